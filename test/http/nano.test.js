'use strict'

const assert = require('node:assert/strict')
const { text } = require('node:stream/consumers')
const Nano = require('nano')
const { server } = require('./support/server')

/** CouchDB's own client for Node.js, as its README uses it. */
describe('nano', () => {
  const name = `nano-${process.pid}`
  let nano
  let db

  before(async () => {
    nano = Nano({ url: server.origin, headers: { Authorization: server.authorization } })
    await nano.db.create(name)
    db = nano.use(name)
  })
  after(() => nano?.db.destroy(name))

  it('logs in for a cookie, and is who it says', async () => {
    const own = Nano(server.origin)
    const { username, password } = server.credentials
    assert.equal((await own.auth(username, password)).ok, true)
    const { userCtx } = await own.session()
    assert.equal(userCtx.name, username)
    assert.ok((await own.db.list()).includes(name))
  })

  it('describes the server and its databases', async () => {
    assert.equal((await nano.info()).couchdb, 'Welcome')
    assert.equal((await nano.uuids(3)).uuids.length, 3)
    assert.ok((await nano.db.list()).includes(name))
    assert.equal((await db.info()).db_name, name)
  })

  it('writes, reads, lists and removes documents', async () => {
    const { rev } = await db.insert({ kind: 'tea' }, 'green')
    await assert.rejects(db.insert({ kind: 'tea' }, 'green'), { statusCode: 409, error: 'conflict', reason: 'Document update conflict.' })
    assert.deepEqual(await db.get('green'), { _id: 'green', _rev: rev, kind: 'tea' })
    assert.equal((await db.head('green')).etag, `"${rev}"`)
    await db.bulk({ docs: [{ _id: 'black', kind: 'tea' }, { _id: 'espresso', kind: 'coffee' }] })
    const rows = await db.list({ include_docs: true })
    assert.deepEqual(rows.rows.map(row => row.doc.kind), ['tea', 'coffee', 'tea'])
    assert.equal((await db.fetch({ keys: ['black', 'white'] })).rows[1].error, 'not_found')
    assert.equal((await db.destroy('green', rev)).ok, true)
    await assert.rejects(db.get('green'), { statusCode: 404, error: 'not_found', reason: 'deleted' })
  })

  it('keeps attachments, alone and with their document', async () => {
    await db.multipart.insert({ kind: 'picture' }, [{ name: 'a.txt', data: 'first', content_type: 'application/x-first' }], 'picture')
    const { _rev: rev } = await db.get('picture')
    await db.attachment.insert('picture', 'b.bin', Buffer.from([0, 255]), 'application/octet-stream', { rev })
    assert.equal(String(await db.attachment.get('picture', 'a.txt')), 'first')
    assert.deepEqual(Buffer.from(await db.attachment.get('picture', 'b.bin')), Buffer.from([0, 255]))
    assert.match(String(await db.multipart.get('picture')), /first/)
  })

  it('uses views, shows, lists and updates', async () => {
    await db.insert({
      views: { kinds: { map: 'function (doc) { emit(doc.kind, 1) }', reduce: '_sum' } },
      shows: { kind: 'function (doc, req) { return doc.kind }' },
      lists: { keys: 'function (head, req) { start({ headers: { "Content-Type": "text/plain" } }); var row; while ((row = getRow())) send(row.key + ";") }' },
      updates: { set: 'function (doc, req) { doc.kind = JSON.parse(req.body).kind; return [doc, "changed"] }' }
    }, '_design/drinks')
    await db.insert({ kind: 'tea' }, 'oolong')
    assert.deepEqual((await db.view('drinks', 'kinds', { reduce: false, key: 'tea' })).rows.map(row => row.id), ['black', 'oolong'])
    assert.deepEqual((await db.view('drinks', 'kinds', { group: true, key: 'tea' })).rows, [{ key: 'tea', value: 2 }])
    assert.equal(String(await db.show('drinks', 'kind', 'oolong')), 'tea')
    assert.equal(String(await db.viewWithList('drinks', 'kinds', 'keys', { reduce: false, key: 'tea' })), 'tea;tea;')
    assert.equal(String(await db.atomic('drinks', 'set', 'oolong', { kind: 'wine' })), 'changed')
    assert.equal((await db.get('oolong')).kind, 'wine')
  })

  it('finds with an index', async () => {
    await db.createIndex({ index: { fields: ['kind'] }, name: 'by-kind' })
    const { docs } = await db.find({ selector: { kind: 'coffee' }, fields: ['_id'] })
    assert.deepEqual(docs, [{ _id: 'espresso' }])
  })

  it('streams lists', async () => {
    const answer = JSON.parse(await text(db.listAsStream({ startkey: 'black', endkey: 'espresso' })))
    assert.deepEqual(answer.rows.map(row => row.id), ['black', 'espresso'])
  })

  it('follows changes as they come', async () => {
    const { last_seq: since } = await db.changes()
    const reader = db.changesReader.start({ since, includeDocs: true })
    const seen = new Promise((resolve, reject) => reader.on('change', resolve).on('error', reject))
    await db.insert({ kind: 'first' }, 'late')
    const change = await seen
    db.changesReader.stop()
    assert.equal(change.id, 'late')
    assert.equal(change.doc.kind, 'first')
  })

  it('replicates into a database that it makes', async () => {
    const copy = `${name}-copy`
    const { username, password } = server.credentials
    const url = database => Object.assign(new URL(`${server.origin}/${database}`), { username, password }).href
    try {
      const result = await nano.db.replicate(url(name), url(copy), { create_target: true })
      assert.equal(result.ok, true)
      assert.equal((await nano.use(copy).info()).doc_count, (await db.info()).doc_count)
    } finally {
      await nano.db.destroy(copy).catch(() => {})
    }
  })
})
