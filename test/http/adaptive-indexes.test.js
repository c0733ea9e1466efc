'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, put, remove, request } = require('./support/request')

/** More than `[adaptive_indexes] min_documents`. */
const DOCUMENTS = 1200

describe('adaptive indexes', () => {
  // No other server has them.
  before(async function () { if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip() })

  const db = new TestDatabase()
  const find = async (selector, more = {}) => {
    const answer = await db.post('_find', { selector, ...more })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const ids = ({ docs }) => docs.map(({ _id }) => _id)
  const listed = async () => (await db.get('_index?adaptive=true')).body.indexes.slice(1)
  const explained = async (selector, more) => (await db.post('_explain', { selector, ...more })).body

  /** Asks twice, and waits until the index is there. */
  async function teach (selector, more) {
    await find(selector, more)
    await find(selector, more)
    for (let indexes = []; indexes.at(-1)?.adaptive.state !== 'ready';) indexes = await listed()
  }

  beforeEach(async () => {
    const docs = Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: `d${String(n).padStart(4, '0')}`, n, kind: `k${n % 100}` }))
    assert.equal((await db.post('_bulk_docs', { docs })).status, 201)
  })

  it('come by themselves, and clients see what CouchDB has', async () => {
    assert.deepEqual((await db.get('_adaptive_indexes')).body, { enabled: true, source: 'server', indexes: [], shapes: [] })
    const before = await find({ kind: 'k3' }, { execution_stats: true })
    assert.match(before.warning, /^No matching index found.*\nThe number of documents examined is high/)
    await teach({ kind: 'k3' })
    const after = await find({ kind: 'k3' }, { execution_stats: true })
    assert.equal(after.execution_stats.total_docs_examined, 12)
    assert.match(after.warning, /^No matching index found.*$/)
    assert.deepEqual([after.docs, after.bookmark, Object.keys(after.execution_stats)], [before.docs, before.bookmark, Object.keys(before.execution_stats)])
    assert.deepEqual((await db.get('_index')).body.indexes.map(({ name }) => name), ['_all_docs'])
    assert.equal((await db.get('_index')).body.total_rows, 1)
    assertRefused(await db.post('_find', { selector: { kind: 'k3' }, sort: ['n'] }), 400, 'no_usable_index')
  })

  it('do not come in a database that is switched off', async () => {
    assert.deepEqual((await db.put('_adaptive_indexes', 'false')).body, { ok: true })
    for (let i = 0; i < 3; i++) await find({ kind: 'k3' })
    assert.deepEqual((await db.get('_adaptive_indexes')).body, { enabled: false, source: 'database', indexes: [], shapes: [] })
    assert.deepEqual(await listed(), [])
  })

  it('come to what is asked again, and say why', async () => {
    assert.deepEqual((await db.put('_adaptive_indexes', 'true')).body, { ok: true })
    const selector = { kind: 'k3', n: { $gte: 500 } }
    const before = await find(selector)
    await teach(selector)
    const [{ adaptive, ...index }] = await listed()
    assert.deepEqual(index, { ddoc: null, name: 'adaptive/kind,n', type: 'json', partitioned: false, def: { fields: [{ kind: 'asc' }, { n: 'asc' }] } })
    assert.match(adaptive.reason, /^\d queries without it examined \d+ documents and returned \d+$/)
    const explanation = await explained(selector)
    assert.equal(explanation.index.name, 'adaptive/kind,n')
    assert.equal(explanation.index.adaptive.state, 'ready')
    const after = await find(selector, { execution_stats: true })
    assert.deepEqual(after.docs, before.docs)
    assert.match(after.warning, /^No matching index found.*$/)
    assert.equal(after.execution_stats.total_docs_examined, before.docs.length)
    assert.deepEqual((await db.get('_design_docs')).body.rows, [])
    assert.equal((await db.post('_view_cleanup', {})).status, 202)
    assert.equal((await listed())[0].adaptive.state, 'ready')
  })

  it('give the same answers while documents change', async () => {
    await db.put('_adaptive_indexes', 'true')
    await teach({ kind: 'k3' })
    await db.write('d0000a', { kind: 'k3' })
    await db.remove(`d0003?rev=${(await db.get('d0003')).body._rev}`)
    await db.put('d0103', { ...(await db.get('d0103')).body, kind: 'other' })
    assert.deepEqual(ids(await find({ kind: 'k3' }, { limit: 3 })), ['d0000a', 'd0203', 'd0303'])
  })

  it('page through the same documents before and after', async () => {
    await db.put('_adaptive_indexes', 'true')
    const selector = { n: { $gte: 100, $lt: 160 } }
    const first = await find(selector)
    await teach(selector, { limit: 100 })
    assert.equal((await explained(selector)).index.name, 'adaptive/n')
    const second = await find(selector, { bookmark: first.bookmark })
    assert.deepEqual([...ids(first), ...ids(second)], Array.from({ length: 50 }, (_, i) => `d0${100 + i}`))
  })

  it('sort without an index of the application', async () => {
    await db.put('_adaptive_indexes', 'true')
    const more = { sort: [{ n: 'desc' }], limit: 2 }
    assert.deepEqual(ids(await find({ kind: 'k3' }, more)), ['d1103', 'd1003'])
    await teach({ kind: 'k3' }, more)
    assert.deepEqual(ids(await find({ kind: 'k3' }, more)), ['d1103', 'd1003'])
  })

  it('give way to those of design documents', async () => {
    await db.put('_adaptive_indexes', 'true')
    await teach({ kind: 'k3' })
    await db.post('_index', { index: { fields: ['kind'] }, ddoc: 'mine' })
    assert.equal((await explained({ kind: 'k3' })).index.ddoc, '_design/mine')
  })

  it('go when they are switched off', async () => {
    await db.put('_adaptive_indexes', 'true')
    await teach({ kind: 'k3' })
    assert.deepEqual((await db.put('_adaptive_indexes', 'false')).body, { ok: true })
    assert.deepEqual(await listed(), [])
  })

  it('can be switched off for all databases, except those that say otherwise', async () => {
    const setting = '/_node/_local/_config/mango/adaptive_indexes'
    await teach({ kind: 'k3' })
    await put(setting, '"false"')
    try {
      assert.deepEqual((await db.get('_adaptive_indexes')).body, { enabled: false, source: 'server', indexes: [], shapes: [] })
      await db.put('_adaptive_indexes', 'true')
      const { enabled, source } = (await db.get('_adaptive_indexes')).body
      assert.deepEqual({ enabled, source }, { enabled: true, source: 'database' })
      await teach({ kind: 'k4' })
      await db.put('_adaptive_indexes', 'null')
      assert.deepEqual(await listed(), [])
    } finally {
      await remove(setting)
    }
  })

  it('tell what is asked and has no index yet', async () => {
    await db.put('_adaptive_indexes', 'true')
    await find({ kind: 'k3' })
    const { shapes: [{ last_asked: at, ...shape }] } = (await db.get('_adaptive_indexes')).body
    assert.deepEqual(shape, { fields: ['kind'], state: 'learning', asked: 1, docs_examined: DOCUMENTS, keys_needed: 12, results_returned: 12 })
    assert.ok(Date.parse(at) <= Date.now())
  })

  for (const body of ['1', '"yes"', '{}']) {
    it(`are not switched by ${body}`, async () => {
      assertRefused(await db.put('_adaptive_indexes', body), 400, 'bad_request')
    })
  }

  it('are for administrators to switch', async () => {
    const name = `jan-${crypto.randomUUID()}`
    const path = `/_users/org.couchdb.user:${name}`
    const { body: { rev } } = await put(path, { name, type: 'user', roles: [], password: 'apple' })
    await db.put('_security', { admins: { names: [], roles: [] }, members: { names: [name], roles: [] } })
    const headers = { Authorization: `Basic ${Buffer.from(`${name}:apple`).toString('base64')}` }
    assertRefused(await request('PUT', db.path('_adaptive_indexes'), { headers, body: 'true' }), 403, 'forbidden')
    assert.equal((await request('GET', db.path('_adaptive_indexes'), { headers })).status, 200)
    await remove(`${path}?rev=${rev}`)
  })
})
