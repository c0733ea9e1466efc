'use strict'

const assert = require('node:assert/strict')
const { setTimeout: wait } = require('node:timers/promises')
const { PouchDB } = require('./support/pouchdb')
const { AUTHORIZATION, ask, until } = require('./support/ask')
const { startServers } = require('./support/three-servers')

describe('sharded databases of servers that share an engine', () => {
  /** @type {Awaited<ReturnType<typeof startServers>>} */
  let cluster
  /** @type {any[]} */
  let servers
  beforeEach(async () => {
    cluster = await startServers(3, { admins: { admin: 'secret' } })
    servers = cluster.servers
    for (const server of servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 3)
  })
  afterEach(() => cluster.close())

  const docs = Array.from({ length: 60 }, (_, n) => ({ _id: `doc${String(n).padStart(2, '0')}`, n }))

  /** How many shards each server owns. @param {number} q */
  function ownedBy (q) {
    const shards = servers[0].service.databases.sharded('db').shards
    assert.equal(shards.length, q)
    return servers.map(({ service }) => shards.filter((/** @type {string} */ shard) => service.cluster.owns(shard)).length)
  }

  it('are made by one, and used by another at once', async () => {
    for (const [i, server] of servers.entries()) {
      assert.equal((await ask(server, 'PUT', `/db${i}?q=8`)).status, 201)
      for (const other of servers) {
        assert.equal((await ask(other, 'GET', `/db${i}`)).body.cluster.q, 8)
        assert.equal((await ask(other, 'PUT', `/db${i}/by${servers.indexOf(other)}`, {})).status, 201)
      }
      assert.equal((await ask(server, 'GET', `/db${i}`)).body.doc_count, 3)
    }
  })

  it('have feeds at a server that has not yet heard of them', async () => {
    for (const { service } of servers) {
      service.cluster.spreadName = async () => {}
      service.databases.users.readShards = async () => {}
    }
    await ask(servers[0], 'PUT', '/db?q=4')
    await ask(servers[0], 'POST', '/db/_bulk_docs', { docs })
    for (const server of servers) {
      const { status, body } = await ask(server, 'GET', '/db/_changes?feed=longpoll&since=0&heartbeat=1000')
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.results.length, 60)
    }
  })

  it('have owners for each of their shards, and give the same answers on all servers', async () => {
    await ask(servers[0], 'PUT', '/db?q=16')
    const written = await ask(servers[1], 'POST', '/db/_bulk_docs', { docs })
    assert.deepEqual(written.body.filter((/** @type {any} */ { ok }) => ok !== true), [])
    const design = { views: { n: { map: 'function (doc) { emit(doc.n, doc.n) }', reduce: '_sum' } } }
    assert.equal((await ask(servers[2], 'PUT', '/db/_design/d', design)).status, 201)
    for (const server of servers) {
      const rows = (await ask(server, 'GET', '/db/_all_docs?startkey="doc"')).body.rows
      assert.deepEqual(rows.map((/** @type {any} */ { id }) => id), docs.map(({ _id }) => _id))
      assert.equal((await ask(server, 'GET', '/db/_changes')).body.results.length, 61)
      assert.equal((await ask(server, 'GET', '/db/_design/d/_view/n')).body.rows[0].value, 1770)
      assert.equal((await ask(server, 'POST', '/db/_find', { selector: { n: { $lt: 10 } } })).body.docs.length, 10)
      assert.equal((await ask(server, 'GET', '/db/doc07')).body.n, 7)
    }
    assert.equal(ownedBy(16).reduce((sum, count) => sum + count), 16)
    assert.ok(ownedBy(16).filter(count => count > 0).length > 1)
  })

  it('are searched by text and by likeness through any server', async () => {
    for (const q of [1, 4]) {
      await ask(servers[0], 'PUT', `/search${q}?q=${q}`)
      const text = (/** @type {number} */ n) => `${'fox '.repeat(n % 4)}dog`
      await ask(servers[1], 'POST', `/search${q}/_bulk_docs`, { docs: docs.map(doc => ({ ...doc, text: text(doc.n), at: [doc.n, 0] })) })
      const nouveau = { all: { index: 'function (doc) { index("text", "default", doc.text); index("double", "n", doc.n) }' } }
      const indexes = { all: { index: 'function (doc) { index("default", doc.text); index("n", doc.n) }' } }
      assert.equal((await ask(servers[2], 'PUT', `/search${q}/_design/d`, { indexes, nouveau })).status, 201)
      assert.equal((await ask(servers[1], 'POST', `/search${q}/_index`, { type: 'text', index: {} })).status, 200)
      assert.equal((await ask(servers[0], 'POST', `/search${q}/_index`, { type: 'vector', index: { fields: [{ at: { type: 'vector', dimensions: 2, metric: 'l2' } }] } })).status, 200)
      for (const [i, server] of servers.entries()) {
        const { status } = await ask(server, 'PUT', `/search${q}/more${i}`, { n: 100 + i, text: 'unicorn', at: [100 + i, 0] })
        assert.equal(status, 201)
      }
      for (const server of servers) {
        const search = async (/** @type {string} */ path) => (await ask(server, 'GET', `/search${q}/_design/d/${path}`)).body
        assert.equal((await search('_search/all?q=fox')).total_rows, 45)
        assert.equal((await search('_search/all?q=unicorn')).total_rows, 3)
        assert.deepEqual((await search('_nouveau/all?q=n>=57&sort=%22-n%22')).hits.map((/** @type {any} */ { id }) => id), ['more2', 'more1', 'more0', 'doc59', 'doc58', 'doc57'])
        const find = async (/** @type {any} */ body) => (await ask(server, 'POST', `/search${q}/_find`, body)).body.docs.map((/** @type {any} */ { _id }) => _id)
        assert.equal((await find({ selector: { $text: 'fox' }, limit: 100 })).length, 45)
        assert.deepEqual(await find({ vector: { field: 'at', near: [30, 0], k: 3 } }).then(([first, ...rest]) => [first, ...rest.sort()]), ['doc30', 'doc29', 'doc31'])
        assert.equal((await ask(server, 'GET', `/search${q}/_design/d/_search_info/all`)).body.search_index.doc_count, 63)
      }
    }
  })

  it('are gone everywhere once they are deleted, and may be made anew of another number of shards', async () => {
    for (const [i, q] of [4, 8, 1, 4, 4, 2].entries()) {
      assert.equal((await ask(servers[i % 3], 'PUT', `/db?q=${q}`)).status, 201)
      for (const server of servers) {
        assert.equal((await ask(server, 'PUT', `/db/doc${servers.indexOf(server)}`, {})).status, 201, `${i}`)
        assert.equal((await ask(server, 'GET', '/db')).body.cluster.q, q)
      }
      for (const server of servers) assert.equal((await ask(server, 'GET', '/db/_changes')).body.results.length, 3)
      assert.equal((await ask(servers[(i + 1) % 3], 'DELETE', '/db')).status, 200)
      for (const server of servers) {
        assert.equal((await ask(server, 'GET', '/db')).status, 404)
        assert.equal((await ask(server, 'GET', '/db/doc0')).status, 404)
      }
    }
  })

  it('tell on each server what is written on another', async () => {
    await ask(servers[0], 'PUT', '/db?q=4')
    const feeds = await Promise.all(servers.map(server => fetch(`${server.url}/db/_changes?feed=continuous&heartbeat=1000&limit=60`, { headers: { authorization: AUTHORIZATION } })))
    for (const [i, { _id, ...doc }] of docs.entries()) assert.equal((await ask(servers[i % 3], 'PUT', `/db/${_id}`, doc)).status, 201)
    for (const feed of feeds) {
      const told = (await feed.text()).trim().split(/\n+/).map(line => JSON.parse(line)).filter(({ id }) => id !== undefined)
      assert.deepEqual(told.map(({ id }) => id).sort(), docs.map(({ _id }) => _id))
    }
  })

  it('sync with PouchDBs through two of them, both ways', async () => {
    await ask(servers[0], 'PUT', '/db?q=4')
    const locals = servers.map((_, i) => new PouchDB(`sharded${i}`, { adapter: 'memory' }))
    try {
      const [username, password] = ['admin', 'secret']
      const syncs = locals.map((local, i) => local.sync(new PouchDB(`${servers[i].url}/db`, { auth: { username, password } }), { live: true, retry: true }))
      for (const [i, local] of locals.entries()) for (let n = 0; n < 10; n++) await local.put({ _id: `${i}-${n}`, n })
      for (const local of locals) while ((await local.info()).doc_count < 30) await wait(50)
      for (const sync of syncs) sync.cancel()
    } finally {
      for (const local of locals) await local.destroy()
    }
  })
})
