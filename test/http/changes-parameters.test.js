'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { LiveFeed } = require('./support/feed')
const { assertRefused } = require('./support/refusal')
const { RawConnection } = require('./support/raw')
const { request } = require('./support/request')
const { setting } = require('./support/setting')

const json = value => encodeURIComponent(JSON.stringify(value))

describe('parameters of _changes', () => {
  const db = new TestDatabase()
  const ids = ({ body }) => body.results.map(({ id }) => id)
  const changes = (search, options) => db.get(`_changes?${search}`, options)

  beforeEach(async () => { for (const id of 'abc') await db.write(id, { id }) })

  it('may ask for none, and how many there are', async () => {
    const { body } = await changes('limit=0')
    assert.deepEqual([body.results, body.pending, String(body.last_seq).split('-')[0]], [[], 3, '0'])
    const { body: { last_seq: last } } = await changes('limit=1')
    assert.equal((await changes(`limit=0&since=${encodeURIComponent(last)}`)).body.pending, 2)
  })

  it('count what is not given, with ids and among design documents', async () => {
    await db.write('_design/d')
    const { body } = await db.post('_changes?filter=_doc_ids&limit=1', { doc_ids: ['a', 'c', 'none'] })
    assert.deepEqual([ids({ body }), body.pending], [['a'], 3])
    assert.equal((await db.post('_changes?filter=_doc_ids', { doc_ids: ['a', 'c', 'none'] })).body.pending, 2)
    assert.equal((await changes('filter=_design')).body.pending, 3)
    assert.equal((await db.post('_changes?filter=_selector', { selector: { id: 'a' } })).body.pending, 0)
  })

  it('take a sequence of a CouchDB for the start', async () => {
    assert.deepEqual(ids(await changes('since=9-g1AAAABXeJzLYWBgYMpgTmHgz8tPSTV0MDQy1zMAQsMcoARTIkNS_f___7MyGFiNGRgYGBgYAEs')), ['a', 'b', 'c'])
  })

  it('have two names for where to begin, of which the last counts', async () => {
    assert.deepEqual(ids(await changes('last-event-id=now')), [])
    assert.deepEqual(ids(await changes('since=0&last-event-id=now')), [])
    assert.deepEqual(ids(await changes('last-event-id=now&since=0')), ['a', 'b', 'c'])
    assert.deepEqual(ids(await changes('since=0', { headers: { 'Last-Event-ID': 'now' } })), ['a', 'b', 'c'])
  })

  it('come by POST only as JSON', async () => {
    assertRefused(await request('POST', db.path('_changes')), 415, 'bad_content_type', 'Content-Type must be application/json')
    assertRefused(await db.post('_changes', '{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
    assert.deepEqual(ids(await db.post('_changes', '')), ['a', 'b', 'c'])
    const connection = await RawConnection.open()
    await connection.request('POST', db.path('_changes'), { 'Content-Type': 'application/json', Connection: 'close' })
    assert.match(await connection.closed(), /^HTTP\/1\.1 400 [^]*"bad_request"/, 'no length says that there is no body')
  })

  it('may name the fields of documents, with integers of any size', async () => {
    await db.put('big', '{"n":12345678901234567890,"list":[98765432109876543210],"f":1.5}')
    const { text } = await db.post('_changes?filter=_selector&include_docs=true', { selector: { n: { $gt: 1 } }, fields: ['n', 'list'] })
    assert.match(text, /"doc":\{"n":12345678901234567890,"list":\[98765432109876543210\]\}/)
  })

  it('are told to filter functions with all of the request', async () => {
    await db.write('_design/d', { filters: { f: 'function (doc, req) { return doc._id === req.query.id && req.method === "POST" && req.body.x === 1 && req.headers["X-Own"] === "h" && !req.headers.Authorization && req.info.doc_count === 4 && req.userCtx.roles[0] === "_admin" && req.secObj.admins && this._id === "_design/d" }' } })
    const { body } = await db.post('_changes?filter=d/f&id=b', { x: 1 }, { headers: { 'X-Own': 'h' } })
    assert.deepEqual(body.results.map(({ id }) => id), ['b'])
  })

  it('name functions that have to be there', async () => {
    await db.write('_design/d', { filters: { f: 'function () { return true }' } })
    assertRefused(await changes('filter=d/none'), 404, 'not_found', 'missing json key: none')
    assertRefused(await changes('filter=d/toString'), 404, 'not_found', 'missing json key: toString')
    assertRefused(await changes('filter=_view&view=d/none'), 404, 'not_found', 'missing json key: views')
    assertRefused(await changes('filter=none/f'), 404, 'not_found')
  })

  it('say where a feed of events goes on', async () => {
    const { headers, body: { results: [first] } } = await changes('limit=1')
    assert.match(headers.get('etag'), /^".+"$/)
    const feed = await LiveFeed.open(db.path('_changes?feed=eventsource&limit=1&timeout=1000'), { headers: { 'Last-Event-ID': String(first.seq) } })
    assert.equal(JSON.parse((await feed.line()).slice('data: '.length)).id, 'b')
    assert.match(await feed.line(), /^id: "?\d+/)
    feed.close()
  })

  it('begin a live feed with its first change, or a blank line', async () => {
    const full = await LiveFeed.open(db.path('_changes?feed=continuous&limit=1'))
    assert.equal(JSON.parse(await full.line()).id, 'a')
    full.close()
    const empty = await LiveFeed.open(db.path('_changes?feed=continuous&since=now'))
    assert.equal(await empty.line(), '')
    await db.write('d')
    assert.equal((await empty.next()).id, 'd')
    empty.close()
  })

  it('count the limit of a live feed from its beginning', async () => {
    const feed = await LiveFeed.open(db.path('_changes?feed=continuous&limit=4'))
    for (const id of ['a', 'b', 'c']) assert.equal((await feed.next()).id, id)
    await db.write('d')
    assert.equal((await feed.next()).id, 'd')
    assert.ok((await feed.next()).last_seq)
    assert.equal(await feed.next(), null)
  })

  describe('where silence is bounded', () => {
    setting('chttpd', 'changes_timeout', 200)

    it('end a feed after it, whatever they ask for', async () => {
      const { body } = await changes(`feed=longpoll&since=now&timeout=60000&filter=_doc_ids&doc_ids=${json(['none'])}`)
      assert.deepEqual(body.results, [])
      const feed = await LiveFeed.open(db.path('_changes?feed=continuous&since=now&heartbeat=true'))
      assert.deepEqual([await feed.line(), await feed.line()], ['', ''])
      feed.close()
    })
  })
})
