'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases, DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { EmbeddedViews, Views } = require('..')
const { JournalLevel, applyStep, fill } = require('../../document-store/test/crash/journal-level')
const { Catalogue } = require('../lib/index/catalogue')
const { RowIndex } = require('../lib/index/row-index')
const { RowLayout, rangeOf } = require('../lib/rows/row-layout')
const { assertIntegrity } = require('./integrity')

const MAP = 'function (doc) { emit(doc.n, null) }'

const docs = (count, from = 0) => Array.from({ length: count }, (_, i) => ({ _id: `doc-${from + i}`, n: from + i }))

/** Resolves once `condition()` holds, looking again in each round of the event loop. */
async function until (condition) {
  const end = Date.now() + 500_000
  while (!await condition()) {
    assert.ok(Date.now() < end, `never: ${condition}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Indexes as they were before they had collations and sums, of rows that nobody can read any more. */
async function forgetCollations ({ indexSpace: { keyspace, prefix } }) {
  const layout = new RowLayout(prefix)
  for (const [key, text] of await keyspace.entries(rangeOf(layout.names)).all()) {
    const { index, seq, purgeSeq, counts } = JSON.parse(text)
    const rows = await keyspace.keys(rangeOf(layout.rowsOf(index))).all()
    await keyspace.write([
      ...rows.map(row => ({ type: 'del', key: row })),
      { type: 'put', key: `${layout.rowsOf(index)}a0~unknown\0`, value: '' },
      { type: 'put', key, value: JSON.stringify({ index, seq, purgeSeq, counts }) }
    ])
  }
}

describe('updates of indexes', function () {
  /** @type {Databases} */
  let databases
  /** @type {any} */
  let db
  /** @type {QueryServer} */
  let queryServer
  /** @type {Views} */
  let views

  beforeEach(async function () {
    databases = await Databases.open(new MemoryLevel())
    db = await databases.create('db')
    // A function that hangs does so until the server is closed.
    queryServer = new QueryServer({ timeout: 600_000 })
    views = new Views({ queryServer })
  })
  afterEach(async function () {
    await queryServer.close()
    await databases.close()
  })

  const design = (name, map = MAP, more = {}) => db.put({ _id: `_design/${name}`, views: { v: { map } }, ...more })
  const keysOf = async (name, options = {}, database = db) => {
    const keys = []
    for await (const page of await views.query(database, name, 'v', options)) for (const { key } of page) keys.push(key)
    return keys
  }
  const expected = count => Array.from({ length: count }, (_, i) => i)

  it('take deletions in a level that is full, and reduce what is left', async function () {
    await db.write(docs(3000))
    await db.put({ _id: '_design/a', views: { v: { map: MAP }, sum: { map: MAP, reduce: '_count' } } })
    const sums = async () => {
      const pages = []
      for await (const page of await views.query(db, 'a', 'sum', {})) pages.push(page)
      return pages.flat()
    }
    await keysOf('a')
    const { level } = databases
    const batch = level._batch
    level._batch = async function (operations, options) {
      if (options.kept === undefined) throw Object.assign(new Error('no room'), { code: 'LEVEL_PMEM_FULL' })
      return batch.call(this, operations, options)
    }
    await assert.rejects(db.put({ _id: 'more' }), { code: 'NO_SPACE' })
    for (let i = 2990; i < 3000; i++) {
      const { rev } = await db.get(`doc-${i}`)
      await db.put({ _id: `doc-${i}`, _rev: rev, _deleted: true })
    }
    assert.deepEqual(await keysOf('a'), expected(2990))
    assert.deepEqual(await sums(), [{ key: null, value: 2990 }])
    level._batch = batch
    await assertIntegrity(db)
  })

  it('run side by side, and say how far they are', async function () {
    await db.write(docs(3000))
    await design('a')
    await design('b', `${MAP} // b`)
    const queries = [keysOf('a'), keysOf('b')]
    await until(() => views.tasks([db]).length === 2)
    await until(() => views.tasks([db]).some(({ done }) => done > 0))
    const tasks = views.tasks([db])
    assert.deepEqual(tasks.map(({ database, total }) => [database, total]), tasks.map(() => ['db', 3002]))
    assert.ok(tasks.every(({ done }) => done <= 3002))
    const { updater_running: running, waiting_clients: waiting } = await views.info(db, 'a')
    assert.deepEqual([running, waiting], [true, 1])
    assert.deepEqual(await Promise.all(queries), [expected(3000), expected(3000)])
    assert.deepEqual(views.tasks([db]), [])
  })

  it('let writes go on', async function () {
    await db.write(docs(3000))
    await design('a')
    const query = keysOf('a')
    await until(() => views.tasks([db]).length === 1)
    let writes = 0
    for (; views.tasks([db]).length === 1; writes++) {
      await db.put({ _id: `late-${writes}` })
      await new Promise(resolve => setImmediate(resolve))
    }
    assert.ok(writes > 5, `${writes} writes`)
    assert.deepEqual((await query).filter(key => key !== null), expected(3000))
  })

  it('wait for nobody but their own index', async function () {
    await db.write(docs(10))
    await design('slow', 'function (doc) { while (true) {} }')
    await design('quick')
    const order = []
    const slow = keysOf('slow').catch(error => order.push(error.reason))
    await until(() => views.tasks([db]).length === 1)
    assert.deepEqual(await keysOf('quick'), expected(10))
    order.push('quick')
    await queryServer.close()
    await slow
    assert.deepEqual(order, ['quick', 'The query server is closed'])
  })

  it('that fail tell all who wait, and the next one begins where they were', async function () {
    await db.write(docs(10))
    await design('a', 'function (doc) { if (doc.n === 5 && !doc.good) throw ["fatal", "bad_document", "five"]; emit(doc.n) }')
    const answers = await Promise.allSettled([keysOf('a'), keysOf('a')])
    assert.deepEqual(answers.map(({ reason }) => reason?.reason), ['five', 'five'])
    assert.equal((await views.info(db, 'a')).update_seq, 0)
    const { rev } = await db.get('doc-5')
    await db.put({ _id: 'doc-5', _rev: rev, n: 5, good: true })
    assert.deepEqual(await keysOf('a'), expected(10))
  })

  it('come after the answer where that may be stale, once for all', async function () {
    await db.write(docs(5))
    await design('a')
    assert.deepEqual(await Promise.all([keysOf('a', { update: 'lazy' }), keysOf('a', { update: 'lazy' })]), [[], []])
    await until(async () => (await views.info(db, 'a')).update_seq === db.updateSeq)
    assert.deepEqual(await keysOf('a', { update: false }), expected(5))
  })

  it('end when their database is deleted, and take no rows into a new one', async function () {
    await db.write(docs(3000))
    await design('a')
    const query = keysOf('a').then(() => 'answered', error => error.code)
    await until(() => views.tasks([db]).some(({ done }) => done > 0))
    await databases.destroy('db')
    assert.equal(await query, 'CLOSED')
    db = await databases.create('db')
    await db.write(docs(3))
    await design('a')
    assert.deepEqual(await keysOf('a'), expected(3))
  })

  it('do not keep a database from being deleted when a function hangs', async function () {
    await db.write(docs(1))
    await design('a', 'function (doc) { while (true) {} }')
    const order = []
    const query = keysOf('a').catch(error => order.push(error.code))
    await until(() => queryServer.size.busy === 1)
    await databases.destroy('db')
    order.push('deleted')
    await queryServer.close()
    await query
    assert.deepEqual(order, ['deleted', 'CLOSED'])
  })

  it('are right when all rows are dropped meanwhile', async function () {
    await db.write(docs(2500))
    await design('a')
    const catalogue = await Catalogue.of(db)
    const query = keysOf('a')
    await until(() => views.tasks([db]).some(({ done }) => done > 0))
    const [{ signature }] = views.tasks([db])
    await Promise.all([catalogue.drop(signature), catalogue.drop(signature)])
    assert.deepEqual(await query, expected(2500))
    await Promise.all([catalogue.drop(signature), keysOf('a').then(keys => assert.deepEqual(keys, expected(2500)))])
    await catalogue.drop(signature)
    assert.deepEqual(catalogue.signatures(), [])
    assert.deepEqual(await keysOf('a'), expected(2500))
  })

  it('are shared by design documents with equal views, also after one of them is gone', async function () {
    await db.write(docs(5))
    const { rev } = await design('a')
    await design('b')
    assert.deepEqual(await keysOf('a'), expected(5))
    assert.deepEqual(await keysOf('b', { update: false }), expected(5))
    await db.put({ _id: '_design/a', _rev: rev, _deleted: true })
    await views.cleanup(db)
    assert.deepEqual(await keysOf('b', { update: false }), expected(5))
  })

  it('begin anew where a library changes', async function () {
    await db.write(docs(2))
    const withLibrary = factor => ({ views: { lib: { x: `exports.f = ${factor}` }, v: { map: 'function (doc) { emit(doc.n * require("views/lib/x").f) }' } } })
    const { rev } = await db.put({ _id: '_design/a', ...withLibrary(2) })
    assert.deepEqual(await keysOf('a'), [0, 2])
    await db.put({ _id: '_design/a', _rev: rev, ...withLibrary(3) })
    assert.deepEqual(await keysOf('a'), [0, 3])
  })

  it('begin anew where a version before wrote the rows, for both faces', async function () {
    const level = new MemoryLevel()
    const before = await DocumentStore.open(level)
    await before.put({ _id: '_design/d', views: { v: { map: MAP } } })
    await before.write(docs(100))
    await keysOf('d', {}, before)
    await new EmbeddedViews(before).query('d/v', {}, {})
    await forgetCollations(before)
    await before.close()

    const store = await DocumentStore.open(level)
    assert.deepEqual(await keysOf('d', {}, store), expected(100))
    await store.write(docs(100, 100))
    assert.deepEqual(await keysOf('d', {}, store), expected(200))
    assert.deepEqual((await new EmbeddedViews(store).query('d/v', {}, {})).rows.map(({ key }) => key), expected(200))
    await assertIntegrity(store)
    await store.close()
  })

  it('go on where they were after a crash between any two of their writes', async function () {
    const contents = new Map()
    const level = new JournalLevel(step => journal.push(step))
    const journal = []
    await level.open()
    const store = await DocumentStore.open(level)
    // More than one batch of documents, and one that is written in parts.
    const map = 'function (doc) { for (var i = 0; i < doc.rows; i++) emit([doc.n, i]) }'
    await store.write([...docs(700).map(doc => ({ ...doc, rows: doc.n < 600 ? 1 : 30 })), { _id: '_design/a', views: { v: { map, reduce: '_count' } } }])
    for (const step of journal.splice(0)) applyStep(contents, step)
    const total = 600 + 100 * 30
    assert.equal((await keysOf('a', { reduce: false }, store)).length, total)
    await store.close()
    assert.ok(journal.length >= 3, `${journal.length} writes`)
    let before = -1
    for (const step of journal) {
      applyStep(contents, step)
      const again = await DocumentStore.open(await fill(new MemoryLevel({ storeEncoding: 'buffer' }), contents))
      await assertIntegrity(again)
      const stale = await keysOf('a', { reduce: false, update: false }, again)
      // The last writes are of sums.
      assert.ok(stale.length >= before && stale.length <= total)
      before = stale.length
      assert.equal((await keysOf('a', { reduce: false }, again)).length, total)
      await assertIntegrity(again)
      await again.close()
    }
    assert.equal(before, total)
  })

  describe('in the background', function () {
    /** @type {{ stop (): void }} */
    let indexer
    let failures

    beforeEach(function () { failures = [] })
    afterEach(function () { indexer.stop() })

    const start = (options = {}) => {
      indexer = views.inBackground(databases, { delay: 1, onError: (error, database, name) => failures.push([database, name, error.reason]), ...options })
    }
    const indexed = (name, database = db) => until(async () => (await views.info(database, name)).update_seq === database.updateSeq)

    it('follow changes and new design documents', async function () {
      start()
      await design('a')
      await db.write(docs(5))
      await indexed('a')
      await db.write(docs(5, 5))
      await indexed('a')
      assert.deepEqual(await keysOf('a', { update: false }), expected(10))
      await design('b', `${MAP} // b`)
      await indexed('b')
      assert.deepEqual(await keysOf('b', { update: false }), expected(10))
    })

    it('go on with what was left behind when a database is opened', async function () {
      const { name } = db
      await design('a')
      await db.write(docs(5))
      await db.close()
      start()
      const again = await databases.get(name)
      await indexed('a', again)
      assert.deepEqual(await keysOf('a', { update: false }, again), expected(5))
    })

    it('leave out what asks for it', async function () {
      start({ ignores: name => name === 'other' })
      const other = await databases.create('other')
      await other.write([...docs(3), { _id: '_design/a', views: { v: { map: MAP } } }])
      await db.write(docs(3))
      await design('no', MAP, { autoupdate: false })
      await design('neither', `${MAP} // neither`, { autoupdate: { views: false } })
      await design('foreign', 'fun({Doc}) -> ok end.', { language: 'erlang' })
      await design('yes', `${MAP} // yes`)
      await indexed('yes')
      assert.equal((await views.info(db, 'no')).update_seq, 0)
      assert.equal((await views.info(db, 'neither')).update_seq, 0)
      assert.equal((await views.info(other, 'a')).update_seq, 0)
      assert.deepEqual(failures, [])
    })

    it('are not kept from one design document by another that is none', async function () {
      start()
      await db.write(docs(3))
      await db.put({ _id: '_design/a', views: { v: null, w: 5 }, language: 7, options: 'none' })
      await db.put({ _id: '_design/b', views: 'none' })
      await design('c')
      await indexed('c')
      assert.deepEqual(await keysOf('c', { update: false }), expected(3))
    })

    it('do many databases at once, as far as there are channels', async function () {
      start({ channels: () => ({ batch: 1, incremental: 1, short: 10 }) })
      const others = await Promise.all(['a', 'b', 'c'].map(name => databases.create(name)))
      for (const other of others) await other.write([...docs(300), { _id: '_design/a', views: { v: { map: MAP } } }])
      for (const other of others) await indexed('a', other)
      for (const other of others) assert.deepEqual(await keysOf('a', { update: false }, other), expected(300))
    })

    it('tell once of a function that fails, and leave it for a while', async function () {
      start()
      await design('bad', 'function (doc) { throw ["fatal", "x", "no"] }')
      await db.write(docs(3))
      await until(() => failures.length > 0)
      await design('good')
      await indexed('good')
      await db.write(docs(3, 3))
      await indexed('good')
      assert.deepEqual(failures, [['db', '_design/bad', 'no']])
    })

    it('try a function that fails again, ever later, though nothing is written', async function () {
      start({ pause: 20 })
      await db.write([{ _id: 'odd', bad: true }])
      await design('bad', 'function (doc) { if (doc.bad) throw ["fatal", "x", "no"] }')
      const began = performance.now()
      await until(() => failures.length === 4)
      assert.ok(performance.now() - began > 20 + 40 + 80 - 5)
      indexer.stop()
    })

    it('are up to date once a failure has passed', async function () {
      const { replace } = RowIndex.prototype
      let fails = 2
      RowIndex.prototype.replace = function (...given) {
        if (fails-- > 0) throw Object.assign(new Error('the disk is full'), { reason: 'full' })
        return replace.apply(this, given)
      }
      try {
        start({ pause: 5 })
        await db.write(docs(3))
        await design('a')
        await indexed('a')
        assert.deepEqual(await keysOf('a', { update: false }), expected(3))
        assert.deepEqual(failures, [['db', '_design/a', 'full'], ['db', '_design/a', 'full']])
      } finally {
        RowIndex.prototype.replace = replace
      }
    })

    it('give way to a query that waits for the same index', async function () {
      start()
      await db.write(docs(3000))
      await design('a')
      await until(() => views.tasks([db]).length === 1)
      assert.deepEqual(await keysOf('a'), expected(3000))
    })

    it('stop with their databases', async function () {
      start()
      await db.write(docs(3000))
      await design('a')
      await until(() => views.tasks([db]).length === 1)
      await databases.destroy('db')
      const other = await databases.create('other')
      await other.write([...docs(3), { _id: '_design/a', views: { v: { map: MAP } } }])
      await indexed('a', other)
      assert.deepEqual(failures, [])
    })
  })
})
