'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { get, open, post, put, remove, request } = require('./support/request')

const DOCS = 300

/** Answers that a database may give that goes away: it did its work before, or there is none. */
const ALLOWED = new Set([200, 201, 202, 404])

describe('a database that is deleted meanwhile', function () {
  this.timeout(600_000)
  let name = ''

  beforeEach(async () => {
    name = `deleted-${crypto.randomUUID()}`
    await put(`/${name}`)
    await post(`/${name}/_bulk_docs`, { docs: Array.from({ length: DOCS }, (_, n) => ({ _id: `d${n}`, n, text: 'x'.repeat(1000) })) })
    await put(`/${name}/_design/v`, {
      views: { v: { map: 'function (doc) { emit(doc.n, 1) }', reduce: '_sum' } },
      filters: { f: 'function (doc) { return true }' },
      shows: { s: 'function (doc) { return "x" }' },
      lists: { l: 'function () { var row; while (row = getRow()) send("x") }' },
      updates: { u: 'function (doc, req) { return [{ _id: req.uuid }, "x"] }' },
      validate_doc_update: 'function () {}'
    })
    await put(`/${name}/d0/file?rev=${(await get(`/${name}/d0`)).body._rev}`, 'x'.repeat(100000))
  })
  afterEach(() => remove(`/${name}`))

  const big = 'y'.repeat(300000)
  const docs = Array.from({ length: 200 }, (_, n) => ({ _id: `new${n}` }))
  /** @type {Array<[string, string, any?, any?]>} */
  const requests = [
    ['GET', ''], ['GET', '/d1'], ['GET', '/d0/file'], ['GET', '/d1?open_revs=all'], ['GET', '/d1?revs_info=true'],
    ['GET', '/_all_docs?include_docs=true'], ['POST', '/_all_docs', { keys: ['d1', 'd2'] }], ['GET', '/_design_docs'], ['GET', '/_local_docs'],
    ['GET', '/_changes?include_docs=true'], ['GET', '/_changes?filter=v/f'], ['GET', '/_changes?filter=_view&view=v/v'],
    ['GET', '/_design/v/_view/v?reduce=false&include_docs=true'], ['GET', '/_design/v/_view/v'], ['GET', '/_design/v/_view/v?stale=ok'],
    ['GET', '/_design/v/_info'], ['GET', '/_design/v/_show/s/d1'], ['GET', '/_design/v/_list/l/v?reduce=false'], ['POST', '/_design/v/_update/u', ''],
    ['POST', '/_find', { selector: { n: { $gt: 5 } } }], ['POST', '/_explain', { selector: { n: 5 } }], ['GET', '/_index'], ['POST', '/_index', { index: { fields: ['n'] } }],
    ['POST', '/_bulk_get', { docs: docs.map((_, n) => ({ id: `d${n}` })) }], ['POST', '/_revs_diff', { d1: ['1-x'] }], ['POST', '/_missing_revs', { d1: ['1-x'] }],
    ['POST', '/_bulk_docs', { docs }], ['POST', '', { x: 1 }], ['PUT', '/new{n}', { x: 1 }], ['PUT', '/_local/x{n}', {}], ['GET', '/_local/x'], ['COPY', '/d1', undefined, { Destination: 'copy{n}' }],
    ['PUT', '/file{n}/f', big, { 'Content-Type': 'text/plain' }], ['PUT', '/_design/w{n}', { views: { w: { map: 'function (doc) { emit(1) }' } } }],
    ['GET', '/_security'], ['PUT', '/_security', {}], ['GET', '/_revs_limit'], ['PUT', '/_revs_limit', '900'], ['GET', '/_purged_infos_limit'], ['GET', '/_purged_infos'],
    ['POST', '/_purge', { d1: ['1-967a00dff5e02add41819138abb3284d'] }], ['POST', '/_compact'], ['POST', '/_compact/v'], ['POST', '/_view_cleanup'], ['POST', '/_ensure_full_commit'],
    ['GET', '/_shards'], ['POST', '/_sync_shards'], ['GET', '/_adaptive_indexes']
  ]

  /** Names in a request that no other has: two that write the same may conflict where they come before the deletion, in any order. */
  const ofItsOwn = text => text.replace('{n}', String(asked++))
  let asked = 0

  const ask = async ([method, path, body, headers = {}]) => {
    const own = Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, ofItsOwn(value)]))
    const answer = await request(method, `/${name}${ofItsOwn(path)}`, { body, headers: { 'Content-Type': 'application/json', ...own } }).catch(error => ({ status: 0, text: String(error.cause ?? error), body: null }))
    const said = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`
    // An answer that has begun is broken off.
    if (answer.status === 0) return method === 'GET' || method === 'POST' ? assert.match(said, /other side closed|terminated|ECONNRESET/) : assert.fail(said)
    assert.ok(ALLOWED.has(answer.status), said)
    if (answer.status === 404 && path !== '/_local/x') assert.equal(answer.body.error, 'not_found', said)
    for (const row of path === '/_bulk_docs' && Array.isArray(answer.body) ? answer.body : []) assert.notEqual(row.error, 'precondition_failed', said)
    assert.doesNotMatch(answer.text, /database is closed/, said)
  }

  for (const before of [true, false]) {
    for (const each of requests) {
      it(`is there or is not, for ${each[0]} ${each[1]} that comes ${before ? 'before' : 'after'}`, async () => {
        for (const again of before ? [each, each] : [each]) {
          const asked = before ? [ask(again), ask(again)] : []
          const deleted = remove(`/${name}`)
          await Promise.all([...asked, ask(again), ask(again), deleted])
        }
      })
    }
  }

  for (const feed of ['longpoll', 'continuous', 'eventsource']) {
    it(`ends its ${feed} feeds`, async () => {
      const { body: { update_seq: since } } = await get(`/${name}`)
      const response = await open('GET', `/${name}/_changes?feed=${feed}&since=${since}&timeout=60000`)
      const text = response.text().catch(error => String(error.cause ?? error))
      assert.equal((await remove(`/${name}`)).status, 200)
      assert.doesNotMatch(await text, /database is closed/)
    })
  }

  it('is gone for longpolls no earlier than for those who delete it', async () => {
    for (let round = 0; round < 50; round++) {
      await put(`/${name}`)
      /** @type {string[]} */
      const heard = []
      const poll = async () => {
        const { status } = await get(`/${name}/_changes?feed=longpoll&since=now&timeout=60000`)
        // PouchDB asks again after an end without changes.
        if (status === 200) await poll()
        else heard.push(`${status} for the longpoll`)
      }
      await Promise.all([remove(`/${name}`).then(({ status }) => heard.push(`${status} for the deletion`)), poll(), poll()])
      assert.deepEqual(heard, ['200 for the deletion', '404 for the longpoll', '404 for the longpoll'], `in round ${round}`)
    }
  })
})
