'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const PouchDB = require('pouchdb-core')

PouchDB.plugin(require('pouchdb-replication')).plugin(require('pouchdb-mapreduce')).plugin(require('pouchdb-find'))

/**
 * What an application may expect of a PouchDB adapter on a document store.
 *
 * @param {object} definition
 * @param {string} definition.adapter its name
 * @param {(PouchDB: any) => void} definition.plugin
 * @param {() => string} definition.name gives the name of a database that does not exist yet
 * @param {() => Record<string, any>} [definition.options] for every instance; where there are
 *   any, the store and its options are somebody else's
 */
function testAdapter ({ adapter, plugin, name: newName, options: given }) {
  PouchDB.plugin(plugin)
  const open = (name, options) => new PouchDB(name, { adapter, ...given?.(), ...options })
  const context = { open, newName }

  describe(`pouchdb-adapter-${adapter}`, () => {
    beforeEach(() => {
      context.name = newName()
      context.db = open(context.name)
    })
    afterEach(() => context.db._destroyed || context.db._closed || context.db.destroy())

    describe('documents', () => testDocuments(context))
    describe('bulkDocs', () => testBulk(context))
    describe('reading many', () => testReads(context))
    describe('attachments', () => testAttachments(context))
    describe('changes', () => testChanges(context))
    describe('revisions', () => testRevisions(context))
    if (given === undefined) describe('options', () => testOptions(context))
    describe('instances', () => testInstances(context))
    describe('with plugins', () => testPlugins(context))
  })
}

const names = (rows) => rows.map((row) => row.id)

function testDocuments (context) {
  it('takes, gives, updates and removes a document', async () => {
    const { db } = context
    const first = await db.put({ _id: 'a', n: 1 })
    assert.match(first.rev, /^1-[0-9a-f]{32}$/)
    const second = await db.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.deepEqual(await db.get('a'), { _id: 'a', _rev: second.rev, n: 2 })
    const { rev } = await db.remove('a', second.rev)
    await assert.rejects(db.get('a'), { status: 404, name: 'not_found', message: 'missing', reason: 'deleted', docId: 'a' })
    assert.deepEqual(await db.get('a', { rev }), { _id: 'a', _rev: rev, _deleted: true })
  })

  it('answers callbacks, not before the call has returned', async () => {
    const { db } = context
    let returned = false
    await new Promise((resolve, reject) => {
      db.put({ _id: 'a' }, (error) => {
        assert.equal(returned, true)
        error ? reject(error) : db.get('a', (error, doc) => error ? reject(error) : resolve(doc))
      })
      returned = true
    })
  })

  it('gives errors to callbacks in PouchDB\'s form', (done) => {
    context.db.get('nothing', (error) => {
      assert.deepEqual([error.status, error.name, error.message, error.error, error.docId],
        [404, 'not_found', 'missing', true, 'nothing'])
      done()
    })
  })

  it('refuses a conflicting update in PouchDB\'s words', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    await assert.rejects(db.put({ _id: 'a' }), {
      status: 409, name: 'conflict', message: 'Document update conflict', error: true, docId: 'a', id: 'a'
    })
  })

  it('makes up an id for a document without one', async () => {
    const { db } = context
    const { id } = await db.post({ n: 1 })
    assert.equal((await db.get(id)).n, 1)
    await assert.rejects(db.put({ n: 1 }), { status: 412, name: 'missing_id' })
  })

  it('neither keeps nor changes the objects that it is given', async () => {
    const { db } = context
    await db.info()
    const doc = { _id: 'a', list: [1] }
    const written = db.put(doc)
    doc.list.push(2)
    await written
    assert.deepEqual(doc, { _id: 'a', list: [1, 2] })
    assert.deepEqual((await db.get('a')).list, [1])
  })

  it('refuses ids, members and revisions that are not allowed', async () => {
    const { db } = context
    await assert.rejects(db.put({ _id: '_a' }), { status: 400, name: 'bad_request' })
    await assert.rejects(db.put({ _id: 'a', _b: 1 }), { status: 500, name: 'doc_validation', message: 'Bad special document member: _b' })
    await assert.rejects(db.put({ _id: 'a', _rev: 'x' }), { status: 400, message: 'Invalid rev format' })
    await assert.rejects(db.put([]), { status: 400, message: 'Document must be a JSON object' })
    await assert.rejects(db.get(1), { status: 400, message: '_id field must contain a string' })
  })

  it('says that there is nothing to remove', async () => {
    const { db } = context
    await assert.rejects(db.remove({ _id: 'a', _rev: '1-a' }), { status: 404, reason: 'deleted' })
    assert.equal((await db.info()).update_seq, 0)
  })

  it('keeps local documents apart', async () => {
    const { db } = context
    const { rev } = await db.put({ _id: '_local/a', n: 1 })
    assert.deepEqual(await db.get('_local/a'), { _id: '_local/a', _rev: rev, n: 1 })
    await assert.rejects(db.put({ _id: '_local/a', n: 2 }), { status: 409 })
    assert.deepEqual((await db.allDocs()).rows, [])
    assert.equal((await db.info()).doc_count, 0)
    await db.remove('_local/a', rev)
    await assert.rejects(db.get('_local/a'), { status: 404 })
  })
}

function testBulk (context) {
  it('writes many documents, each with its own result', async () => {
    const { db } = context
    await db.put({ _id: 'b' })
    const results = await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }, { n: 1 }])
    assert.equal(results[0].ok, true)
    assert.deepEqual([results[1].status, results[1].name, results[1].id], [409, 'conflict', 'b'])
    assert.equal(results[2].ok, true)
    assert.equal((await db.info()).doc_count, 3)
  })

  it('writes none where one cannot be read', async () => {
    const { db } = context
    await assert.rejects(db.bulkDocs([{ _id: 'a' }, { _id: '_b' }]), { status: 400 })
    await assert.rejects(db.bulkDocs([{ _id: 'a' }, 1]), { status: 400 })
    await assert.rejects(db.bulkDocs({ docs: 1 }), { message: 'Missing JSON list of \'docs\'' })
    assert.equal((await db.info()).doc_count, 0)
  })

  it('stores revisions as they come with new_edits false, and says only what failed', async () => {
    const { db } = context
    const docs = [
      { _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'a'] } },
      { _id: 'a', _rev: '2-c', _revisions: { start: 2, ids: ['c', 'a'] } }
    ]
    assert.deepEqual(await db.bulkDocs(docs, { new_edits: false }), [])
    assert.deepEqual(await db.get('a', { conflicts: true }), { _id: 'a', _rev: '2-c', _conflicts: ['2-b'] })
  })

  it('writes all or nothing where that is asked for', async () => {
    const { db } = context
    await db.put({ _id: 'b' })
    const refused = await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }], { all_or_nothing: true })
    assert.deepEqual(refused.map(({ id, status, error }) => [id, status, error]), [['a', 417, true], ['b', 409, true]])
    await assert.rejects(db.get('a'), { status: 404 })
    const written = await db.bulkDocs({ docs: [{ _id: 'a' }, { _id: 'c' }], all_or_nothing: true })
    assert.deepEqual(written.map(({ ok }) => ok), [true, true])
  })

  it('shows a compaction among the tasks', async () => {
    const { db } = context
    for (let i = 0, rev; i < 3; i++) rev = (await db.put({ _id: 'a', _rev: rev, i })).rev
    const seen = []
    const { update } = PouchDB.activeTasks
    PouchDB.activeTasks.update = function (id, task) {
      update.call(this, id, task)
      seen.push(this.get(id))
    }
    try {
      await db.compact()
    } finally {
      PouchDB.activeTasks.update = update
    }
    assert.deepEqual(seen.map(({ name, completed_items: done, total_items: total }) => [name, done, total]), [['database_compaction', 2, 2]])
    assert.deepEqual(PouchDB.activeTasks.list(), [])
  })
}

function testReads (context) {
  beforeEach(() => context.db.bulkDocs(['a', 'b', 'c', 'd', 'e'].map((_id) => ({ _id, up: _id.toUpperCase() }))))

  it('lists documents in order, in ranges, with skip and limit', async () => {
    const { db } = context
    const all = await db.allDocs()
    assert.deepEqual([all.total_rows, all.offset, ...names(all.rows)], [5, 0, 'a', 'b', 'c', 'd', 'e'])
    const ids = async (options) => names((await db.allDocs(options)).rows)
    assert.deepEqual(await ids({ startkey: 'b', endkey: 'd' }), ['b', 'c', 'd'])
    assert.deepEqual(await ids({ start_key: 'b', end_key: 'd', inclusive_end: false }), ['b', 'c'])
    assert.deepEqual(await ids({ descending: true, startkey: 'd', endkey: 'b' }), ['d', 'c', 'b'])
    assert.deepEqual(await ids({ skip: 1, limit: 2 }), ['b', 'c'])
    assert.deepEqual(await ids({ limit: 0 }), [])
    assert.deepEqual(await ids({ key: 'c' }), ['c'])
    assert.deepEqual(await ids({ startkey: 'd', endkey: 'b' }), [])
  })

  it('lists by keys, the missing and the deleted too', async () => {
    const { db } = context
    const { rev } = await db.remove(await db.get('b'))
    const { rows } = await db.allDocs({ keys: ['c', 'x', 'b'], include_docs: true })
    assert.equal(rows[0].doc.up, 'C')
    assert.deepEqual(rows[1], { key: 'x', error: 'not_found' })
    assert.deepEqual(rows[2], { id: 'b', key: 'b', value: { rev, deleted: true }, doc: null })
    assert.deepEqual(names((await db.allDocs({ keys: ['c', 'a', 'd'], skip: 1, limit: 1 })).rows), ['a'])
    await assert.rejects(db.allDocs({ keys: ['a'], key: 'a' }), { name: 'query_parse_error' })
  })

  it('includes documents and the update sequence', async () => {
    const { rows, update_seq: updateSeq } = await context.db.allDocs({ include_docs: true, update_seq: true })
    assert.deepEqual(rows[0].doc, { _id: 'a', _rev: rows[0].value.rev, up: 'A' })
    assert.equal(updateSeq, 5)
  })

  it('gets many revisions at once', async () => {
    const { db } = context
    const { results } = await db.bulkGet({ docs: [{ id: 'a' }, { id: 'x' }, { id: 'b', rev: '1-x' }, { id: 'a' }] })
    assert.deepEqual(names(results), ['a', 'a', 'x', 'b'])
    assert.equal(results[0].docs[0].ok.up, 'A')
    assert.equal(results[2].docs[0].error.status, 404)
    assert.deepEqual(results[3].docs, [{ missing: '1-x' }])
  })

  it('says which revisions are not here', async () => {
    const { db } = context
    const { _rev } = await db.get('a')
    assert.deepEqual(await db.revsDiff({ a: [_rev, '2-x'], x: ['1-y'] }), { a: { missing: ['2-x'] }, x: { missing: ['1-y'] } })
  })
}

function testAttachments (context) {
  const text = Buffer.from('hello').toString('base64')
  const digest = 'md5-XUFAKrxLKna5cZ2REBfFkg=='

  it('gives attachments as stubs, as base64 and as Buffers', async () => {
    const { db } = context
    await db.put({ _id: 'a', _attachments: { 'x.txt': { content_type: 'text/plain', data: text } } })
    const stub = { content_type: 'text/plain', revpos: 1, digest, length: 5, stub: true }
    assert.deepEqual((await db.get('a'))._attachments, { 'x.txt': stub })
    const base64 = (await db.get('a', { attachments: true }))._attachments['x.txt']
    assert.deepEqual(base64, { content_type: 'text/plain', revpos: 1, digest, data: text })
    const { data } = (await db.get('a', { attachments: true, binary: true }))._attachments['x.txt']
    assert.deepEqual([data instanceof Buffer, data.toString(), data.type], [true, 'hello', 'text/plain'])
    const listed = await db.allDocs({ include_docs: true, attachments: true })
    assert.equal(listed.rows[0].doc._attachments['x.txt'].data, text)
    const { results } = await db.changes({ include_docs: true, attachments: true, binary: true })
    assert.equal(results[0].doc._attachments['x.txt'].data.toString(), 'hello')
  })

  it('puts, gets and removes one attachment', async () => {
    const { db } = context
    const { rev } = await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    const content = await db.getAttachment('a', 'x.txt')
    assert.deepEqual([content.toString(), content.type], ['hello', 'text/plain'])
    assert.equal((await db.getAttachment('a', 'x.txt', { rev })).toString(), 'hello')
    await assert.rejects(db.getAttachment('a', 'y.txt'), { status: 404, name: 'not_found', message: 'missing' })
    await assert.rejects(db.getAttachment('b', 'x.txt'), { status: 404, message: 'missing' })
    await db.removeAttachment('a', 'x.txt', rev)
    assert.equal((await db.get('a'))._attachments, undefined)
  })

  it('takes new content in place of a stub, and a copy of it', async () => {
    const { db } = context
    await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    const doc = await db.get('a')
    const data = Buffer.from('good bye')
    delete doc._attachments['x.txt'].stub
    doc._attachments['x.txt'].data = data
    const written = db.put(doc)
    data.fill(0)
    await written
    assert.equal((await db.getAttachment('a', 'x.txt')).toString(), 'good bye')
    assert.equal((await db.get('a'))._attachments['x.txt'].revpos, 2)
  })

  it('keeps attachments through an update with stubs, and refuses stubs of nothing', async () => {
    const { db } = context
    await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    await db.put({ ...await db.get('a'), n: 1 })
    assert.equal((await db.getAttachment('a', 'x.txt')).toString(), 'hello')
    await assert.rejects(db.put({ _id: 'b', _attachments: { x: { stub: true, digest: 'md5-x', content_type: 'a/b' } } }), { status: 412 })
    await assert.rejects(db.put({ _id: 'b', _attachments: { x: { data: '?', content_type: 'a/b' } } }), { status: 500, name: 'badarg' })
    await assert.rejects(db.put({ _id: 'b', _attachments: { _x: { data: text, content_type: 'a/b' } } }), { status: 400 })
  })
}

function testChanges (context) {
  const write = async ({ db }) => {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c', n: 3 }])
    await db.remove(await db.get('a'))
  }

  it('lists changes, once for each document', async () => {
    await write(context)
    const { results, last_seq: lastSeq } = await context.db.changes()
    assert.deepEqual(results.map(({ id, seq, deleted }) => [id, seq, deleted]), [['b', 2, undefined], ['c', 3, undefined], ['a', 4, true]])
    assert.equal(lastSeq, 4)
    assert.match(results[0].changes[0].rev, /^1-/)
  })

  it('lists some of them, from where it is told, in either direction', async () => {
    await write(context)
    const { db } = context
    const ids = async (options) => names((await db.changes(options)).results)
    assert.deepEqual(await ids({ since: 2 }), ['c', 'a'])
    assert.deepEqual(await ids({ since: 'now' }), [])
    assert.deepEqual(await ids({ limit: 1 }), ['b'])
    assert.deepEqual(await ids({ descending: true }), ['a', 'c', 'b'])
    assert.deepEqual(await ids({ doc_ids: ['a', 'c', 'x'] }), ['c', 'a'])
    assert.deepEqual(await ids({ filter: (doc) => doc.n === 2 }), ['b'])
    assert.deepEqual(await ids({ selector: { n: { $gt: 2 } } }), ['c'])
  })

  it('includes documents, conflicts and all leaves', async () => {
    const { db } = context
    const docs = ['a', 'b'].map((hash) => ({ _id: 'x', _rev: `1-${hash}`, n: 1 }))
    await db.bulkDocs(docs, { new_edits: false })
    const { results } = await db.changes({ include_docs: true, conflicts: true, style: 'all_docs' })
    assert.deepEqual(results, [{
      id: 'x', seq: 1, changes: [{ rev: '1-b' }, { rev: '1-a' }], doc: { _id: 'x', _rev: '1-b', _conflicts: ['1-a'], n: 1 }
    }])
  })

  it('filters by a function of a design document, and reports one that throws', async () => {
    const { db } = context
    await db.put({ _id: '_design/d', filters: { big: 'function (doc, req) { return doc.n > req.query.n }' } })
    await write(context)
    assert.deepEqual(names((await db.changes({ filter: 'd/big', query_params: { n: 2 } })).results), ['c'])
    await assert.rejects(Promise.resolve(db.changes({ filter () { throw new Error('no') } })), { status: 400, name: 'bad_request' })
  })

  it('tells a live listener of what there is and of what comes', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    const feed = db.changes({ live: true, include_docs: true })
    const [first] = await once(feed, 'change')
    assert.equal(first.id, 'a')
    const next = once(feed, 'change')
    await db.put({ _id: 'b', n: 1 })
    assert.deepEqual((await next)[0].doc.n, 1)
    feed.cancel()
    assert.deepEqual(await feed, { status: 'cancelled' })
  })

  it('tells a live listener since now of nothing older, and of no change twice', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    const feed = db.changes({ live: true, since: 'now' })
    const seen = []
    const last = new Promise((resolve) => feed.on('change', ({ id }) => {
      seen.push(id)
      if (id === 'z') resolve()
    }))
    await db.info()
    await Promise.all(['b', 'c', 'd'].map((_id) => db.put({ _id })))
    await db.put({ _id: 'z' })
    await last
    feed.cancel()
    assert.deepEqual(seen.sort(), ['b', 'c', 'd', 'z'])
  })

  it('ends a live listener when the database is destroyed', async () => {
    const { db } = context
    const feed = db.changes({ live: true })
    await db.info()
    await db.destroy()
    assert.deepEqual(await feed, { status: 'cancelled' })
  })
}

function testRevisions (context) {
  it('gives histories and open revisions', async () => {
    const { db } = context
    await db.bulkDocs([
      { _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'a'] } },
      { _id: 'a', _rev: '2-c', _deleted: true, _revisions: { start: 2, ids: ['c', 'a'] } }
    ], { new_edits: false })
    const doc = await db.get('a', { revs: true, revs_info: true })
    assert.deepEqual(doc._revisions, { start: 2, ids: ['b', 'a'] })
    assert.deepEqual(doc._revs_info, [{ rev: '2-b', status: 'available' }, { rev: '1-a', status: 'missing' }])
    const leaves = await db.get('a', { open_revs: 'all' })
    assert.deepEqual(leaves.map(({ ok }) => ok._rev).sort(), ['2-b', '2-c'])
    assert.deepEqual(await db.get('a', { open_revs: ['2-x', '2-b'] }), [{ missing: '2-x' }, { ok: { _id: 'a', _rev: '2-b' } }])
    await assert.rejects(db.get('a', { open_revs: 'x' }), { status: 500 })
    await assert.rejects(db.get('a', { open_revs: ['x'] }), { status: 400 })
  })

  it('gives the latest of a branch', async () => {
    const { db } = context
    const { rev } = await db.put({ _id: 'a', n: 1 })
    await db.put({ _id: 'a', _rev: rev, n: 2 })
    assert.equal((await db.get('a', { rev })).n, 1)
    assert.equal((await db.get('a', { rev, latest: true })).n, 2)
  })

  it('compacts when asked, and by itself when told to', async () => {
    const { db, open, newName } = context
    const rewrite = async (target) => {
      const { rev } = await target.put({ _id: 'a', n: 1 })
      await target.put({ _id: 'a', _rev: rev, n: 2 })
      return rev
    }
    const rev = await rewrite(db)
    await db.compact()
    await assert.rejects(db.get('a', { rev }), { status: 404 })
    const automatic = open(newName(), { auto_compaction: true })
    const old = await rewrite(automatic)
    await assert.rejects(automatic.get('a', { rev: old }), { status: 404 })
    assert.equal((await automatic.info()).auto_compaction, true)
    await automatic.destroy()
  })
}

function testOptions (context) {
  it('keeps no more revisions than revs_limit', async () => {
    const { open, newName } = context
    const db = open(newName(), { revs_limit: 2 })
    let rev
    for (let n = 0; n < 4; n++) rev = (await db.put({ _id: 'a', _rev: rev, n })).rev
    assert.equal((await db.get('a', { revs: true }))._revisions.ids.length, 2)
    await db.destroy()
  })

  it('gives equal documents equal revisions, unless told otherwise', async () => {
    const { open, newName } = context
    const revs = async (options) => {
      const dbs = [open(newName(), options), open(newName(), options)]
      const written = await Promise.all(dbs.map((db) => db.put({ _id: 'a', n: 1 })))
      await Promise.all(dbs.map((db) => db.destroy()))
      return new Set(written.map(({ rev }) => rev)).size
    }
    assert.equal(await revs({}), 1)
    assert.equal(await revs({ deterministic_revs: false }), 2)
  })
}

function testInstances (context) {
  it('shares a database between instances of one name', async () => {
    const { db, open, name } = context
    const other = open(name)
    await db.put({ _id: 'a' })
    assert.equal((await other.get('a'))._id, 'a')
    await other.close()
    await db.put({ _id: 'b' })
    assert.equal((await db.info()).doc_count, 2)
  })

  it('tells all instances that it is destroyed', async () => {
    const { db, open, name } = context
    const other = open(name)
    await other.info()
    const told = once(other, 'destroyed')
    await db.destroy()
    await told
  })

  it('keeps its data over a close', async () => {
    const { db, open, name } = context
    await db.put({ _id: 'a', n: 1 })
    const id = await db.id()
    await db.close()
    await assert.rejects(db.get('a'), { message: 'database is closed' })
    context.db = open(name)
    assert.equal((await context.db.get('a')).n, 1)
    assert.equal(await context.db.id(), id)
  })

  it('is empty when made again, at once, after being destroyed', async () => {
    const { db, open, name } = context
    await db.put({ _id: 'a' })
    const destroyed = db.destroy()
    await destroyed
    context.db = open(name)
    assert.equal((await context.db.info()).doc_count, 0)
  })

  it('says what it is', async () => {
    const { db, name } = context
    await db.put({ _id: 'a' })
    const { adapter, db_name: dbName, doc_count: docCount, update_seq: updateSeq } = await db.info()
    assert.deepEqual([adapter, dbName, docCount, updateSeq], [db.adapter, name, 1, 1])
  })
}

function testPlugins (context) {
  it('serves map/reduce and find', async () => {
    const { db } = context
    await db.bulkDocs([1, 2, 3].map((n) => ({ _id: `n${n}`, n })))
    await db.put({ _id: '_design/d', views: { n: { map: 'function (doc) { emit(doc.n) }', reduce: '_sum' } } })
    const { rows } = await db.query('d/n', { reduce: false, startkey: 2 })
    assert.deepEqual(rows.map(({ key }) => key), [2, 3])
    await db.createIndex({ index: { fields: ['n'] } })
    const { docs } = await db.find({ selector: { n: { $lt: 3 } }, fields: ['n'] })
    assert.deepEqual(docs, [{ n: 1 }, { n: 2 }])
  })

  it('replicates both ways, conflicts and attachments too, and goes on from its checkpoint', async () => {
    const { db, open, newName } = context
    const other = open(newName())
    await db.put({ _id: 'a', side: 1, _attachments: { x: { content_type: 'text/plain', data: 'aGVsbG8=' } } })
    await other.put({ _id: 'a', side: 2 })
    await db.sync(other)
    const read = async (side) => side.get('a', { conflicts: true, attachments: true })
    assert.deepEqual(await read(db), await read(other))
    assert.equal((await read(db))._conflicts.length, 1)
    await db.put({ _id: 'b' })
    const { docs_read: docsRead } = await db.replicate.to(other)
    assert.equal(docsRead, 1)
    await other.destroy()
  })
}

module.exports = { testAdapter }
