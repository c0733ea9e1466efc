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

  it('gives attachments as they were, however they are stored', async () => {
    const compressing = await Databases.open(new MemoryLevel(), { compressionLevel: () => 8 })
    const store = await compressing.create('compressed')
    const db = new PouchDB('compressed', { adapter: 'document-store', store, databases: compressing })
    const content = Buffer.from('all work and no play '.repeat(100))
    await db.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data: content.toString('base64') } } })
    assert.equal((await store.getAttachment('a', 'f')).encoding, 'gzip')
    assert.ok((await db.getAttachment('a', 'f')).equals(content))
    const { _attachments: stubs } = await db.get('a')
    assert.deepEqual(Object.keys(stubs.f).sort(), ['content_type', 'digest', 'length', 'revpos', 'stub'])
    assert.equal(stubs.f.length, content.length)
    const { _attachments: inline } = await db.get('a', { attachments: true })
    assert.equal(inline.f.data, content.toString('base64'))
    const { rows: [{ doc }] } = await db.allDocs({ include_docs: true, attachments: true, binary: true })
    assert.ok(doc._attachments.f.data.equals(content))
    const parts = []
    const stream = await db.getAttachment('a', 'f', { stream: true })
    for await (const part of stream) parts.push(part)
    assert.ok(Buffer.concat(parts).equals(content) && stream.length === content.length)
    await compressing.close()
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

  it('refuses another PouchDB than it was made for', () => {
    const registered = []
    const of = (version) => ({ version, adapter: (name) => registered.push(name) })
    assert.throws(() => plugin(of('8.0.1')), /pouchdb-adapter-document-store goes with PouchDB 9, and this is PouchDB 8\.0\.1/)
    plugin(of('9.1.0'))
    assert.deepEqual(registered, ['document-store'])
  })

  it('refuses a name that it has no store for', async () => {
    const db = new PouchDB('unknown', { adapter: 'document-store' })
    await assert.rejects(db.info(), /No document store for unknown/)
  })
})
