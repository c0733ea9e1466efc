'use strict'

const assert = require('node:assert/strict')
const { CONNECTIONS, ThreadedServer } = require('./threaded-server')

describe('finds by several threads', function () {
  this.timeout(600_000)
  const threads = ThreadedServer.forTests()
  const { askedOwner, everywhere, send, settled, withoutOwner } = threads
  let db
  beforeEach(() => { db = threads.db })

  const index = (fields, more = {}) => send('POST', `${db}/_index`, { body: { index: { fields }, ddoc: fields.join('-'), name: 'i', ...more } })
  const find = (body, { connection = 0, url = `${db}/_find`, ...more } = /** @type {any} */ ({})) => send('POST', url, { body, connection, ...more })
  const one = { selector: { n: 7 } }

  beforeEach(async () => {
    await index(['n'])
    await send('POST', `${db}/_bulk_docs`, { body: { docs: Array.from({ length: 40 }, (_, n) => ({ _id: `d${n}`, n, kind: n % 3, text: `t${n}` })) } })
  })
  const build = () => find(one)

  it('ask the owner only where an index is not up to date, or a find teaches something', async () => {
    await build()
    await settled()
    const asks = [one, { selector: { n: { $gt: 30 } }, limit: 3, sort: [{ n: 'desc' }] }, { ...one, fields: ['n'] }, { ...one, execution_stats: true, update: false }]
    await withoutOwner(() => everywhere(async connection => {
      for (const body of asks) assert.equal((await find(body, { connection })).status, 200, JSON.stringify(body))
    }))
    for (const body of [{ selector: { kind: 1 } }, { selector: { _id: 'd1' } }]) assert.ok(await askedOwner(() => find(body)) > 0, JSON.stringify(body))
    await send('PUT', `${db}/more`, { body: { n: 100 } })
    await withoutOwner(async () => {
      for (let connection = 0; connection < CONNECTIONS; connection++) assert.equal((await find({ ...one, update: false }, { connection })).body.docs.length, 1)
    })
    assert.ok(await askedOwner(() => find(one)) > 0)
  })

  it('give what the owner gives', async () => {
    await build()
    await index(['kind', 'n'])
    await find({ selector: { kind: 1, n: { $gt: 0 } }, use_index: 'kind-n' })
    const bodies = [
      one, { selector: { n: { $gt: 5, $lt: 9 } } }, { selector: { n: { $gt: 5 } }, limit: 3, skip: 1, sort: ['n'] }, { selector: { n: { $gt: 5 } }, sort: [{ n: 'desc' }], fields: ['_id', 'text'] },
      { selector: { n: { $gt: -1 }, text: { $regex: '^t1' } }, execution_stats: true }, { selector: { kind: 1, n: { $gt: 3 } }, use_index: ['kind-n', 'i'] }, { selector: { kind: 1, n: { $gt: 3 } } },
      { selector: { n: 7 }, use_index: 'none' }, { selector: { n: { $in: [3, 5, 50] } } }, { selector: { $or: [{ n: 3 }, { n: 5 }] } }, { selector: {} }, { selector: { text: 't3' } }, { selector: { n: 7 }, conflicts: true },
      { selector: { n: { $gt: 1 } }, limit: 0 }, { selector: { n: 7 }, bookmark: 'x' }, { selector: 3 }, [], { selector: { n: { $x: 1 } } }, { selector: { n: 7 }, partition: 'p' }, { ...one, at: 5 }, { selector: { $and: [] } }
    ]
    const told = ({ status, headers: { 'x-couch-request-id': id, date, 'x-couchdb-body-time': time, 'content-length': length, ...headers }, bytes }) => [status, headers, bytes.toString().replace(/"execution_time_ms":[\d.]+/, '')]
    for (const body of bodies) {
      const owners = await find(body, { url: `${db}/_find?owner=please` })
      await everywhere(async connection => assert.deepEqual(told(await find(body, { connection })), told(owners), JSON.stringify(body)))
      const bookmark = owners.body?.bookmark
      if (!bookmark || bookmark === 'nil') continue
      const next = await find({ ...body, bookmark }, { url: `${db}/_find?owner=please` })
      assert.deepEqual(told(await find({ ...body, bookmark }, { connection: 1 })), told(next), JSON.stringify(body))
    }
  })

  it('find what was written before, whoever wrote it', async () => {
    await build()
    let rev
    for (let n = 100; n < 130; n++) {
      rev = (await send('PUT', `${db}/late`, { body: { _rev: rev, n }, connection: (n * 3) % CONNECTIONS })).body.rev
      for (const [value, found] of [[n, [rev]], [n - 1, []]]) {
        for (const { body } of await everywhere(connection => find({ selector: { n: value } }, { connection }))) assert.deepEqual(body.docs.map(({ _rev }) => _rev), found)
      }
    }
  })

  it('are of one moment while others write', async () => {
    await build()
    const written = new AbortController()
    const writing = (async () => {
      for (let n = 0; n < 60; n++) await send('POST', `${db}/_bulk_docs`, { body: { docs: [{ n: 1000 + n }, { n: 1000 + n }] }, connection: 0 })
    })().finally(() => written.abort())
    while (!written.signal.aborted) {
      const answers = await Promise.all(threads.agents.slice(1).map((_, i) => find({ selector: { n: { $gte: 1000 } }, fields: ['n'], limit: 1000 }, { connection: i + 1 })))
      for (const { body: { docs } } of answers) assert.equal(docs.length % 2, 0)
    }
    await writing
  })

  it('are by the indexes as they are, for who may read, and count', async () => {
    await build()
    const counted = async () => (await send('GET', '/_node/_local/_stats/mango')).body
    const before = await counted()
    await everywhere(connection => find(one, { connection }))
    assert.equal((await counted()).docs_examined.value - before.docs_examined.value, CONNECTIONS)
    assert.equal((await counted()).results_returned.value - before.results_returned.value, CONNECTIONS)
    await send('DELETE', `${db}/_index/n/json/i`)
    for (const { body } of await everywhere(connection => find(one, { connection }))) assert.match(body.warning, /No matching index/)
    await index(['n', 'kind'])
    for (const { body } of await everywhere(connection => find({ selector: { n: 7, kind: 1 } }, { connection }))) assert.deepEqual([body.docs.length, body.warning], [1, undefined])
    await send('PUT', `${db}/_security`, { body: { members: { names: ['jan'] } } })
    for (const { status } of await everywhere(connection => find(one, { connection, authorization: null }))) assert.equal(status, 401)
  })
})
