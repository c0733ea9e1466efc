'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { MemoryLevel } = require('memory-level')
const { Databases } = require('@potoroo/document-store')
const PouchDB = require('pouchdb-core')

const plugin = require('..')
const { testAdapter } = require('./adapter-suite')

let databases
let count = 0

before(async () => {
  databases = await Databases.open(new MemoryLevel())
})

testAdapter({ adapter: 'document-store', plugin, name: () => `test-${++count}`, options: () => ({ databases }) })

describe('pouchdb-adapter-document-store', () => {
  it('uses the store that it is given, and closes nothing', async () => {
    const store = await databases.create('given')
    const db = new PouchDB('given', { adapter: 'document-store', store, databases })
    await db.put({ _id: 'a' })
    await db.close()
    assert.equal((await store.get('a')).id, 'a')
  })

  it('commits the writes of those who do not wait for each other together', async () => {
    const store = await databases.create('busy')
    const db = new PouchDB('busy', { adapter: 'document-store', store, databases })
    await db.info()
    let commits = 0
    store.on('commit', () => commits++)
    const results = await Promise.all(Array.from({ length: 1000 }, (_, i) => db.put({ _id: String(i) })))
    assert.ok(results.every(({ ok }) => ok))
    assert.equal(commits, 1)
    await db.destroy()
  })

  it('keeps the rows of views in the database itself', async () => {
    const store = await databases.create('viewed')
    const db = new PouchDB('viewed', { adapter: 'document-store', store, databases })
    await db.bulkDocs([{ _id: 'a' }, { _id: '_design/d', views: { v: { map: 'function (doc) { emit(doc._id) }' } } }])
    assert.equal((await db.query('d/v')).rows.length, 1)
    assert.deepEqual(databases.list().filter((name) => name.startsWith('viewed')), ['viewed'])
    await db.destroy()
    assert.deepEqual(databases.list().filter((name) => name.startsWith('viewed')), [])
  })

  it('hears that its owner destroyed the store', async () => {
    const store = await databases.create('owned')
    const db = new PouchDB('owned', { adapter: 'document-store', store, databases })
    const feed = db.changes({ live: true })
    await db.info()
    const told = once(db, 'destroyed')
    await databases.destroy('owned')
    await told
    assert.deepEqual(await feed, { status: 'cancelled' })
  })

  it('refuses a name that it has no store for', async () => {
    const db = new PouchDB('unknown', { adapter: 'document-store' })
    await assert.rejects(db.info(), /No document store for unknown/)
  })
})
