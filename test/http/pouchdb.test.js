'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb')
const { TestDatabase } = require('./support/database')
const { LastingSync } = require('../support/lasting-sync')
const { server } = require('./support/server')

/** The published PouchDB, as a user has it in Node.js, with its own storage. */
describe('PouchDB', function () {
  this.timeout(600_000)
  const db = new TestDatabase()
  let folder, Local, running

  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-pouchdb-'))
    Local = PouchDB.defaults({ prefix: folder + path.sep })
  })

  after(() => fs.rm(folder, { recursive: true, force: true }))

  beforeEach(() => { running = [] })

  afterEach(async () => {
    for (const end of running.reverse()) await end()
  })

  function local () {
    const pouch = new Local(crypto.randomUUID())
    running.push(() => pouch.destroy())
    return pouch
  }

  function remote () {
    const { username, password } = server.credentials
    const pouch = new PouchDB(server.origin + db.path(), { auth: { username, password }, skip_setup: true })
    running.push(() => pouch.close())
    return pouch
  }

  /** Syncs both ways until the test ends. */
  function keepInSync (one, other, options = {}) {
    const sync = one.sync(other, { live: true, retry: true, ...options })
    const ended = new Promise(resolve => sync.on('complete', resolve).on('error', resolve))
    running.push(() => { sync.cancel(); return ended })
    return sync
  }

  /** Resolves once the document fulfils the condition in this database. */
  async function until (pouch, id, condition = doc => !doc._deleted) {
    const changes = pouch.changes({ since: 0, live: true, include_docs: true, conflicts: true, doc_ids: [id] })
    try {
      return await new Promise((resolve, reject) => {
        changes.on('change', ({ doc }) => { if (condition(doc)) resolve(doc) }).on('error', reject)
      })
    } finally {
      changes.cancel()
    }
  }

  it('replicates live both ways between two databases through the server', async () => {
    const [left, right] = [local(), local()]
    keepInSync(left, remote())
    keepInSync(right, remote())
    const { rev } = await left.put({ _id: 'a', text: 'from the left' })
    assert.equal((await until(right, 'a')).text, 'from the left')
    await right.put({ _id: 'a', _rev: rev, text: 'from the right' })
    assert.equal((await until(left, 'a', doc => doc.text === 'from the right'))._rev.split('-')[0], '2')
    const doc = await left.get('a')
    await left.remove(doc)
    await until(right, 'a', ({ _deleted: deleted }) => deleted)
    await assert.rejects(right.get('a'), { status: 404, reason: 'deleted' })
  })

  it('loses nothing where a feed fails while documents are fetched, if the sync begins again', async () => {
    const { username, password } = server.credentials
    const direct = remote()
    await direct.put({ _id: 'fetched' })
    let feeds = 0
    /** @type {() => void} */
    let fail
    const failed = new Promise(resolve => { fail = resolve })
    const failing = async (url, options) => {
      const { pathname } = new URL(url)
      const feed = pathname.endsWith('/_changes') ? ++feeds : 0
      if (feed === 2) await direct.put({ _id: 'waiting' })
      if (feed === 3) {
        setTimeout(fail, 10)
        return new Response('{}', { status: 503 })
      }
      if (pathname.endsWith('/_bulk_get')) await failed
      return PouchDB.fetch(url, options)
    }
    const pouch = local()
    const sync = new LastingSync(pouch, new PouchDB(server.origin + db.path(), { auth: { username, password }, skip_setup: true, fetch: failing }))
    running.push(() => sync.end())
    await Promise.all([until(pouch, 'fetched'), until(pouch, 'waiting')])
  })

  it('carries attachments', async () => {
    const [left, right] = [local(), local()]
    keepInSync(left, remote())
    keepInSync(right, remote())
    const bytes = crypto.randomBytes(1500000)
    const { rev } = await left.putAttachment('photo', 'bild ü.png', bytes, 'image/png')
    await until(right, 'photo')
    assert.ok((await right.getAttachment('photo', 'bild ü.png')).equals(bytes))
    await right.putAttachment('photo', 'note', rev, Buffer.from('hello'), 'text/plain')
    await until(left, 'photo', doc => doc._attachments.note !== undefined)
    assert.equal(String(await left.getAttachment('photo', 'note')), 'hello')
    assert.ok((await left.getAttachment('photo', 'bild ü.png')).equals(bytes))
    const read = await db.get('photo/bild%20%C3%BC.png')
    assert.ok(read.bytes.equals(bytes))
  })

  it('has the same winner and the same conflicts on all sides', async () => {
    const [left, right] = [local(), local()]
    await left.put({ _id: 'a', who: 'left' })
    await right.put({ _id: 'a', who: 'right' })
    keepInSync(left, remote())
    keepInSync(right, remote())
    const both = doc => doc._conflicts?.length === 1
    const docs = [await until(left, 'a', both), await until(right, 'a', both)]
    const { body } = await db.get('a?conflicts=true')
    for (const { _rev: rev, _conflicts: conflicts, who } of docs) assert.deepEqual({ rev, conflicts, who }, { rev: body._rev, conflicts: body._conflicts, who: body.who })
    await left.remove('a', body._conflicts[0])
    await until(right, 'a', doc => doc._conflicts === undefined)
    assert.equal((await db.get('a?conflicts=true')).body._conflicts, undefined)
  })

  it('goes on from its checkpoints', async () => {
    const pouch = local()
    await pouch.bulkDocs(Array.from({ length: 250 }, (_, n) => ({ _id: `d${n}`, n })))
    const first = await pouch.replicate.to(remote())
    assert.equal(first.docs_written, 250)
    const second = await pouch.replicate.to(remote())
    assert.equal(second.docs_written, 0)
    assert.equal(second.docs_read, 0)
    await pouch.put({ _id: 'one more' })
    assert.equal((await pouch.replicate.to(remote())).docs_written, 1)
    const back = local()
    assert.equal((await back.replicate.from(remote())).docs_written, 251)
    assert.equal((await back.replicate.from(remote())).docs_written, 0)
    assert.equal((await db.get('')).body.doc_count, 251)
  })

  it('replicates what a filter, ids or a selector let through', async () => {
    await db.post('_bulk_docs', { docs: Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n })) })
    const byIds = local()
    await byIds.replicate.from(remote(), { doc_ids: ['d1', 'd3'] })
    assert.deepEqual((await byIds.allDocs()).rows.map(({ id }) => id), ['d1', 'd3'])
    const bySelector = local()
    await bySelector.replicate.from(remote(), { selector: { n: { $gte: 8 } } })
    assert.deepEqual((await bySelector.allDocs()).rows.map(({ id }) => id), ['d8', 'd9'])
  })

  it('works on the server directly', async () => {
    const pouch = remote()
    const { rev } = await pouch.put({ _id: 'a/b c', n: 1 })
    await pouch.putAttachment('a/b c', 'x/y.txt', rev, Buffer.from('hello'), 'text/plain')
    assert.equal(String(await pouch.getAttachment('a/b c', 'x/y.txt')), 'hello')
    const doc = await pouch.get('a/b c', { attachments: true, revs: true, conflicts: true })
    assert.equal(doc._attachments['x/y.txt'].data, 'aGVsbG8=')
    assert.equal(doc._revisions.start, 2)
    await assert.rejects(pouch.put({ _id: 'a/b c' }), { status: 409, name: 'conflict' })
    const all = await pouch.allDocs({ include_docs: true, keys: ['a/b c', 'zz'] })
    assert.equal(all.rows[0].doc.n, 1)
    assert.equal(all.rows[1].error, 'not_found')
    const { results: [found] } = await pouch.bulkGet({ docs: [{ id: 'a/b c', rev: doc._rev }] })
    assert.equal(found.docs[0].ok._rev, doc._rev)
    assert.deepEqual(await pouch.revsDiff({ 'a/b c': [doc._rev, '9-x'] }), { 'a/b c': { missing: ['9-x'], possible_ancestors: [doc._rev] } })
    const removed = await pouch.removeAttachment('a/b c', 'x/y.txt', doc._rev)
    await pouch.remove('a/b c', removed.rev)
    await assert.rejects(pouch.get('a/b c'), { status: 404, reason: 'deleted' })
  })
})
