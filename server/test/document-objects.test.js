'use strict'

const assert = require('node:assert')
const { mkdtempSync, rmSync } = require('node:fs')
const http = require('node:http')
const { once } = require('node:events')
const os = require('node:os')
const path = require('node:path')
const { openDocuments } = require('@potoroo/document-objects')
const { Pool } = require('pmemobj')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-document-store'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))
const { potoroo } = require('..')

describe('documents that are objects', () => {
  let folder, pool, todos, app, server, url

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-objects-'))
    pool = Pool.open(path.join(folder, 'pool'))
    todos = await openDocuments(pool, 'todos')
    app = potoroo({ databases: todos.databases, adminParty: true, log: () => {} })
    await app.ready
    server = http.createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${server.address().port}`
  })

  after(async () => {
    server.closeAllConnections()
    server.close()
    await app.close()
    await todos.close()
    pool.close()
    rmSync(folder, { recursive: true })
  })

  const request = async (method, way, body) => (await fetch(url + way, { method, body: body && JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })).json()

  it('are served while they change, and change as clients write', async () => {
    await todos.transaction(() => { todos.set('milk', { done: false }) })
    const milk = todos.get('milk')
    const { _rev } = await request('GET', '/todos/milk')
    assert.strictEqual(_rev, milk._rev)
    await request('PUT', '/todos/milk', { _rev, done: 'by a client' })
    assert.strictEqual(milk.done, 'by a client')
    assert.ok((await request('GET', '/_all_dbs')).includes('todos'))
  })

  it('replicate both ways, live', async () => {
    const local = new PouchDB('elsewhere', { adapter: 'document-store', databases: todos.databases })
    const sync = local.sync(new PouchDB(`${url}/todos`), { live: true })
    try {
      await todos.transaction(() => { todos.set('tea', { from: 'here' }) })
      await told(local, 'tea', ({ from }) => from === 'here')
      const tea = todos.get('tea')
      const changed = new Promise(resolve => todos.watch(tea, resolve))
      await local.put({ ...await local.get('tea'), from: 'elsewhere' })
      await changed
      assert.strictEqual(tea.from, 'elsewhere')
    } finally {
      sync.cancel()
    }
  })

  it('are PouchDB\'s, too', async () => {
    const pouch = new PouchDB('todos', { adapter: 'document-store', databases: todos.databases })
    await pouch.put({ _id: 'coffee', hot: true })
    assert.strictEqual(todos.get('coffee').hot, true)
    await todos.transaction(() => todos.delete('coffee'))
    await assert.rejects(pouch.get('coffee'), { status: 404 })
  })

  it('may be those of a server that was there before', async () => {
    const data = path.join(folder, 'data')
    const other = potoroo({ path: data, storage: 'pmem', allowVolatile: true, adminParty: true, log: () => {} })
    await other.ready
    const served = await openDocuments(other.service.databases.users, 'served')
    await served.transaction(() => { served.set('a', { n: 1 }) })
    await other.close()
    const again = potoroo({ path: data, storage: 'pmem', allowVolatile: true, adminParty: true, log: () => {} })
    await again.ready
    assert.strictEqual((await openDocuments(again.service.databases.users, 'served')).get('a').n, 1)
    await again.close()
  })
})

/** Resolves once a document of a PouchDB is as it has to be. */
async function told (pouch, id, isSo) {
  const changes = pouch.changes({ live: true, include_docs: true, doc_ids: [id] })
  try {
    await new Promise((resolve, reject) => changes.on('change', ({ doc }) => { if (isSo(doc)) resolve() }).on('error', reject))
  } finally {
    changes.cancel()
  }
}
