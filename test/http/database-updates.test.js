'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, open, post, put, remove } = require('./support/request')

/** @see https://docs.couchdb.org/en/stable/api/server/common.html#db-updates */
describe('updates of databases', () => {
  const db = new TestDatabase()
  /** CouchDB notes none without a database for them. */
  let mine = false

  before(async () => { mine = (await put('/_global_changes')).status === 201 })
  after(async () => { if (mine) await remove('/_global_changes') })

  /** Returns what is told of our database after a sequence, once it is this. */
  async function until (since, types) {
    for (let last = since, seen = []; ;) {
      const { body } = await get(`/_db_updates?feed=longpoll&since=${encodeURIComponent(last)}&timeout=10000`)
      assert.ok(body.results.length > 0, `of ${types} only ${seen} came`)
      seen = [...seen, ...body.results.filter(({ db_name: name }) => name === db.name).map(({ type }) => type)]
      last = body.last_seq
      if (types.every(type => seen.includes(type))) return last
    }
  }

  async function now () { return (await get('/_db_updates?since=now')).body.last_seq }

  it('tell of creations, updates and deletions', async () => {
    const since = await now()
    const name = `${db.name}-two`
    await put(`/${name}`)
    await db.write('a')
    await remove(`/${name}`)
    await until(since, ['updated'])
    const { body, headers } = await get('/_db_updates')
    const of = wanted => body.results.filter(({ db_name: each }) => each === wanted).map(({ type }) => type)
    assert.deepEqual(of(db.name), ['created', 'updated'])
    assert.deepEqual(of(name), ['created', 'deleted'])
    for (const { seq } of body.results) assert.match(seq, /^\d+-/)
    assert.equal(body.last_seq, body.results.at(-1).seq)
    assert.ok(headers.get('etag'))
    const { status } = await get('/_db_updates', { headers: { 'If-None-Match': headers.get('etag') } })
    assert.equal(status, 304)
  })

  it('come in parts and backwards', async () => {
    await until('0', ['created'])
    const all = (await get('/_db_updates')).body.results
    const first = (await get('/_db_updates?limit=1')).body
    assert.deepEqual(first.results, all.slice(0, 1))
    assert.equal(first.last_seq, first.results[0].seq)
    assert.deepEqual((await get(`/_db_updates?since=${first.last_seq}`)).body.results, all.slice(1))
    assert.deepEqual((await get('/_db_updates?descending=true&limit=2')).body.results, all.slice(-2).reverse())
    assert.deepEqual((await get('/_db_updates?limit=0')).body.results, [])
    assert.deepEqual((await get('/_db_updates?since=now')).body.results, [])
  })

  it('are waited for', async () => {
    const since = await now()
    const waiting = until(since, ['updated'])
    await db.write('a')
    await waiting
    const { body } = await get('/_db_updates?feed=longpoll&since=now&timeout=50')
    assert.deepEqual(body.results, [])
    assert.ok(body.last_seq)
  })

  for (const [feed, form] of [['continuous', /^\{"db_name":"[^"]+","type":"updated","seq":"\d+-[^"]+"\}$/m], ['eventsource', /^data: \{.*\}\nid: "?\d+-/m]]) {
    it(`go on in a feed that is ${feed}`, async () => {
      const ending = new AbortController()
      const response = await open('GET', `/_db_updates?feed=${feed}&since=now&timeout=20000`, { signal: ending.signal })
      let text = ''
      await db.write('a')
      for await (const chunk of response.body) {
        text += Buffer.from(chunk)
        if (form.test(text) && text.includes(db.name)) break
        if (text.split('\n').length > 300) assert.fail(text)
      }
      ending.abort()
      assert.match(text, form)
    })
  }

  it('end where nothing comes', async () => {
    const response = await open('GET', '/_db_updates?feed=continuous&since=now&timeout=50')
    assert.match(await response.text(), /^\n*\{"last_seq":"[^"]+"\}\n+$/)
    const limited = await open('GET', '/_db_updates?feed=continuous&limit=1')
    assert.equal((await limited.text()).trim().split('\n').length, 2)
  })

  it('are for administrators, who ask as they should', async () => {
    assertRefused(await get('/_db_updates', { headers: { Authorization: '' } }), 401, 'unauthorized')
    assertRefused(await post('/_db_updates', {}), 405, 'method_not_allowed', 'Only GET allowed')
    assertRefused(await get('/_db_updates?feed=x'), 400, 'bad_request', 'Supported `feed` types: normal, continuous, longpoll, eventsource')
    for (const name of ['limit', 'timeout', 'heartbeat']) assertRefused(await get(`/_db_updates?${name}=x`), 400, 'bad_request', 'invalid_integer')
    assertRefused(await get('/_db_updates?since=x'), 400, 'bad_request', 'Malformed sequence supplied in \'since\' parameter.')
  })
})
