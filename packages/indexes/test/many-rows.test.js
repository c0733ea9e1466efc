'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { EmbeddedViews, Views } = require('..')
const { JournalLevel, applyStep, fill } = require('../../document-store/test/crash/journal-level')
const { assertIntegrity } = require('./integrity')

const MAP = 'function (doc) { for (var i = 0; i < doc.rows; i++) emit([i % doc.keys, doc.text], (i * 7919) % doc.rows) }'

/** More than are written at once. */
const MANY = 4500

const documentOf = (_id, rows, more = {}) => ({ _id, rows, keys: rows, text: '', ...more })

describe('documents with many rows in a view', function () {
  this.timeout(600_000)
  /** @type {QueryServer} */
  let queryServer
  /** @type {Views} */
  let views
  let log

  beforeEach(() => {
    log = []
    queryServer = new QueryServer({ timeout: 60_000, log: ({ message }) => log.push(message) })
    views = new Views({ queryServer })
  })
  afterEach(() => queryServer.close())

  /** How many rows each document has, in order of keys. */
  const countsOf = async (store, options = {}) => {
    const counts = {}
    for await (const page of await views.query(store, 'd', 'v', { reduce: false, ...options })) for (const { id } of page) counts[id] = (counts[id] ?? 0) + 1
    return counts
  }
  const put = async (store, doc) => store.put({ ...doc, _rev: (await store.get(doc._id).catch(() => ({}))).rev })
  const design = { _id: '_design/d', views: { v: { map: MAP, reduce: '_sum' } } }

  it('are indexed whole or not at all after a crash between any two writes, and right after that', async () => {
    const journal = []
    const contents = new Map()
    const level = new JournalLevel(step => journal.push(step))
    await level.open()
    const store = await DocumentStore.open(level)
    await store.write([design, documentOf('a', 1), documentOf('b', MANY), documentOf('c', 2)])
    const changes = [
      async () => {},
      () => put(store, documentOf('b', MANY + 10, { keys: 3 })),
      () => put(store, documentOf('b', 2)),
      () => put(store, documentOf('a', MANY)),
      () => put(store, { _id: 'a', _deleted: true })
    ]
    let before = {}
    let points = 0
    for (const change of changes) {
      await change()
      for (const step of journal.splice(0)) applyStep(contents, step)
      const after = await countsOf(store)
      for (const step of journal.splice(0)) {
        applyStep(contents, step)
        points++
        const again = await DocumentStore.open(await fill(new MemoryLevel({ storeEncoding: 'buffer' }), contents))
        await assertIntegrity(again)
        for (const [id, count] of Object.entries(await countsOf(again, { update: false }))) assert.ok([before[id], after[id]].includes(count), `${count} rows of ${id}`)
        assert.deepEqual(await countsOf(again), after)
        await assertIntegrity(again)
        await again.close()
      }
      before = after
    }
    assert.ok(points > 15, `${points} writes`)
    await store.close()
  })

  it('are shown whole or not at all while they are written, with their sums', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    await store.write([design, documentOf('a', 300), documentOf('b', MANY)])
    const sum = async () => {
      const rows = []
      for await (const page of await views.query(store, 'd', 'v', {})) rows.push(...page)
      return rows[0].value
    }
    const sumTo = count => count * (count - 1) / 2
    assert.equal(await sum(), sumTo(300) + sumTo(MANY))
    let rows = MANY
    for (const next of [MANY + 1, 3, MANY + 2]) {
      await put(store, documentOf('b', next))
      const reader = { isDone: false }
      const update = countsOf(store).finally(() => { reader.isDone = true })
      while (!reader.isDone) {
        const { b } = await countsOf(store, { update: false })
        assert.ok([rows, next].includes(b), `${b} rows`)
        await new Promise(setImmediate)
      }
      assert.deepEqual(await update, { a: 300, b: next })
      assert.equal(await sum(), sumTo(300) + sumTo(next))
      await assertIntegrity(store)
      rows = next
    }
    await store.close()
  })

  for (const [what, docs] of Object.entries({ 'the first': [documentOf('b', MANY), design], others: [documentOf('a', 1), design, documentOf('b', MANY)] })) {
    it(`go when they are purged where a crash left some of their rows: ${what}`, async () => {
      const journal = []
      const contents = new Map()
      const level = new JournalLevel(step => journal.push(step))
      await level.open()
      const store = await DocumentStore.open(level)
      await store.write(docs)
      for (const step of journal.splice(0)) applyStep(contents, step)
      const expected = await countsOf(store)
      await store.close()
      const parts = journal.filter(step => step.length > 1000)
      assert.equal(parts.length, 2)
      for (const step of journal.slice(0, journal.indexOf(parts[1]) + 1)) applyStep(contents, step)
      const again = await DocumentStore.open(await fill(new MemoryLevel({ storeEncoding: 'buffer' }), contents))
      await again.purge({ b: [(await again.get('b')).rev] })
      delete expected.b
      assert.deepEqual(await countsOf(again), expected)
      await assertIntegrity(again)
      await again.close()
    })
  }

  it('have those of one key in the order of their values, and all others in theirs', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    await store.write([design, documentOf('a', 3000, { keys: 2, text: 'x' })])
    const values = []
    for await (const page of await views.query(store, 'd', 'v', { reduce: false })) for (const { value } of page) values.push(value)
    const expected = key => Array.from({ length: 3000 }, (_, i) => i).filter(i => i % 2 === key).map(i => (i * 7919) % 3000).sort((a, b) => a - b)
    assert.deepEqual(values, [...expected(0), ...expected(1)])
    await assertIntegrity(store)
    await store.close()
  })

  it('have none where they are more than a document may have', async () => {
    queryServer.configure({ rows: MANY })
    const store = await DocumentStore.open(new MemoryLevel())
    await store.write([design, documentOf('a', MANY), documentOf('b', MANY + 1), documentOf('c', 1)])
    assert.deepEqual(await countsOf(store), { a: MANY, c: 1 })
    assert.deepEqual(log, [`function emits more than ${MANY} rows for one document, which has none in this view with doc._id b`])
    await store.close()
  })

  it('let others run, however many they are', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    await store.write([design, ...Array.from({ length: 10 }, (_, i) => documentOf(`doc-${i}`, 20_000))])
    const reader = { isDone: false }
    const update = views.query(store, 'd', 'v', { limit: 0, reduce: false }).finally(() => { reader.isDone = true })
    let turns = 0
    for (; !reader.isDone; turns++) await new Promise(setImmediate)
    await update
    assert.ok(turns > 100, `${turns} turns of the event loop for 100 commits`)
    await store.close()
  })

  it('are written in parts for a function of the application, too', async () => {
    const store = await DocumentStore.open(new MemoryLevel())
    const embedded = new EmbeddedViews(store)
    await store.write([design, documentOf('a', 3), documentOf('b', MANY)])
    for (const rows of [MANY, 5, MANY + 1]) {
      await put(store, documentOf('b', rows))
      const { total_rows: total } = await embedded.query('d/v', { reduce: false, limit: 1 }, {})
      assert.equal(total, 3 + rows)
      await assertIntegrity(store)
    }
    await store.close()
  })
})
