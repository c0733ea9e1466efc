'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-memory')).plugin(require('pouchdb-adapter-http')).plugin(require('pouchdb-replication'))
const { assertRefused } = require('../support/refusal')
const { get, post } = require('../support/request')
const { server } = require('../support/server')
const { fourShards, some } = require('../support/sharded')

describe('A database of several shards', () => {
  let db
  const { bulk, make } = fourShards(name => { db = name })

  it('syncs with a PouchDB both ways', async () => {
    const url = new URL(`/${db}`, server.origin)
    Object.assign(url, server.credentials)
    const local = new PouchDB(`local-${crypto.randomUUID()}`, { adapter: 'memory' })
    try {
      await local.bulkDocs(Array.from({ length: 150 }, (_, i) => ({ _id: `l${i}`, i, _attachments: i % 50 === 0 ? { a: { content_type: 'text/plain', data: 'YQ==' } } : undefined })))
      await local.put({ _id: '_design/p', views: { v: { map: 'function (doc) { emit(doc.i) }' } } })
      await bulk(Array.from({ length: 150 }, (_, i) => ({ _id: `r${i}`, i })))
      await bulk([{ _id: 'l7', other: true }])
      const remote = new PouchDB(url.href, { adapter: 'http' })
      await local.sync(remote)
      // An attachment that is compressed has another digest.
      const rows = async database => JSON.parse(JSON.stringify((await database.allDocs({ include_docs: true, conflicts: true })).rows, (key, value) => key === 'digest' ? undefined : value))
      assert.deepEqual(await rows(remote), await rows(local))
      assert.equal((await rows(local)).length, 301)
      assert.equal((await local.get('l7', { conflicts: true }))._conflicts.length, 1)
      await local.remove(await local.get('l3'))
      const again = await local.sync(remote)
      assert.deepEqual([again.push.docs_written, again.pull.docs_written], [1, 0])
      assertRefused(await get(`/${db}/l3`), 404, 'not_found')
    } finally {
      await local.destroy()
    }
  })

  it('replicates by its URL to a database in one piece, and back', async () => {
    await bulk(some)
    const other = await make(1)
    const third = await make(3)
    const urlOf = name => Object.assign(new URL(`/${name}`, server.origin), server.credentials).href
    for (const [source, target] of [[db, other], [other, third], [third, db]]) {
      const { status, body } = await post('/_replicate', { source: urlOf(source), target: urlOf(target) })
      assert.equal(status, 200)
      assert.equal(body.history[0].docs_written, target === db ? 0 : 20)
    }
    const rows = async name => (await get(`/${name}/_all_docs?include_docs=true`)).text
    assert.equal(await rows(db), await rows(third))
  })

  it('replicates by its name, to others and back, and with filters', async () => {
    await bulk([...some, { _id: 'attached', _attachments: { a: { content_type: 'text/plain', data: Buffer.from('content').toString('base64') } } }])
    const [other, third, fourth] = [await make(1), await make(3), await make(4)]
    for (const [source, target] of [[db, other], [other, third], [third, db]]) {
      const { status, body, text } = await post('/_replicate', { source, target })
      assert.equal(status, 200, text)
      assert.equal(body.history[0].docs_written, target === db ? 0 : 21)
    }
    const rows = async name => (await get(`/${name}/_all_docs?include_docs=true`)).text
    assert.equal(await rows(db), await rows(third))
    assert.equal((await get(`/${third}/attached/a`)).text, 'content')
    assert.equal((await post('/_replicate', { source: db, target: fourth, create_target: true, doc_ids: [some[0]._id] })).body.docs_written, 1)
    assertRefused(await post('/_replicate', { source: db, target: 'no-such-database' }), 500, 'db_not_found')
  })
})
