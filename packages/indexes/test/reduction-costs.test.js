'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { couchCollation } = require('@potoroo/collation')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Views } = require('..')
const { reducerFor } = require('../lib/reduces/reducer')

describe('the cost of reductions', function () {
  this.timeout(600_000)

  /** @type {QueryServer} */
  let queryServer
  before(() => { queryServer = new QueryServer() })
  after(() => queryServer.close())

  it('of the middle of 100,000 rows read some hundreds of records, and those of what changed', async () => {
    const { store, views } = await many(1000, 'emit(n, n + (i === 0 && doc.more || 0))')
    const sumOf = (first, last) => (first + last) * (last - first + 1) / 2
    const sum = async (startkey, endkey) => {
      const answer = await views.query(store, 'd', 'v', { startkey, endkey })
      return (await answer.toObject()).rows[0].value
    }
    // Sums are made for the first, and worked out for a range that is asked for.
    assert.equal(await sum(0, 99_999), sumOf(0, 99_999))
    // Chance says where segments end, but not what one range costs on average.
    const starts = Array.from({ length: 9 }, (_, i) => 1000 * i + 12_345)
    const read = countRecords(store)
    for (const start of starts) assert.equal(await sum(start, 87_654), sumOf(start, 87_654))
    assert.ok(read.records < 800 * starts.length, `${read.records} records for ${starts.length} ranges`)
    let { rev } = await store.get('doc-500')
    read.records = 0
    for (const [more, start] of starts.entries()) {
      [{ rev }] = await store.write([{ _id: 'doc-500', _rev: rev, n: 500, more: more + 1 }])
      assert.equal(await sum(start, 87_654), sumOf(start, 87_654) + more + 1)
    }
    assert.ok(read.records < 1500 * starts.length, `${read.records} records after ${starts.length} changes`)
    read.records = 0
    const offsets = Array.from({ length: 9 }, (_, i) => 10_000 * i + 5000)
    for (const startkey of offsets) {
      const answer = await views.query(store, 'd', 'v', { reduce: false, startkey, limit: 1 })
      assert.equal((await answer.toObject()).offset, startkey)
    }
    assert.ok(read.records < 800 * offsets.length, `${read.records} records for ${offsets.length} offsets`)
    await store.close()
  })

  it('of a view that was built read no more than later ones: its sums were worked out with it', async () => {
    const { store, views } = await many(300, 'emit(n, n)')
    const read = countRecords(store)
    await (await views.query(store, 'd', 'v', { reduce: false, limit: 0 })).close()
    read.records = 0
    const answer = await views.query(store, 'd', 'v', { startkey: 1234, endkey: 28_765 })
    assert.deepEqual((await answer.toObject()).rows, [{ key: null, value: (1234 + 28_765) * (28_765 - 1234 + 1) / 2 }])
    assert.ok(read.records < 800, `${read.records} records`)
    await store.close()
  })

  it('of all groups after a change are those of the group that has changed', async () => {
    const { store, views } = await many(300, 'emit([doc.n % 20, n], n + (doc.more || 0))')
    const groups = async () => (await (await views.query(store, 'd', 'v', { group_level: 1 })).toObject()).rows
    const before = await groups()
    let { rev } = await store.get('doc-0')
    const read = countRecords(store)
    for (let time = 1; time <= 5; time++) {
      [{ rev }] = await store.write([{ _id: 'doc-0', _rev: rev, n: 0, more: time }])
      await (await views.query(store, 'd', 'v', { reduce: false, limit: 0 })).close()
      read.records = 0
      const after = await groups()
      assert.deepEqual(after.slice(1), before.slice(1))
      assert.ok(after[0].value > before[0].value)
      assert.ok(read.records < 2000, `${read.records} records`)
    }
    await store.close()
  })

  it('are none for what was asked since the index changed, however many ask, and those of another question are its own', async () => {
    const { store, views } = await many(30, 'emit([n % 3, n], n + (doc.more || 0))')
    const ask = async (options) => (await (await views.query(store, 'd', 'v', options)).toObject()).rows
    const questions = [{}, { startkey: [1], endkey: [2, {}] }, { startkey: [1], endkey: [1, 5] }, { group_level: 1 }, { group_level: 1, limit: 1 }, { group_level: 1, skip: 1 }, { group_level: 1, descending: true }, { group_level: 2, limit: 2 }]
    const answers = []
    for (const options of questions) answers.push(await ask(options))
    assert.equal(new Set(answers.map((rows) => JSON.stringify(rows))).size, questions.length)
    const read = countRecords(store)
    for (let time = 0; time < 3; time++) for (const [i, options] of questions.entries()) assert.deepEqual(await ask(options), answers[i])
    assert.equal(read.records, 0)
    const { rev } = await store.get('doc-0')
    await store.write([{ _id: 'doc-0', _rev: rev, n: 0, more: 1000 }])
    assert.deepEqual(await ask({ update: false }), answers[0])
    const [{ value }] = await ask({})
    assert.equal(value, answers[0][0].value + 100 * 1000)
    assert.deepEqual(await ask({ update: false }), [{ key: null, value }])
    assert.ok(read.records > 0)
    await store.close()
  })

  it('by a function of more than its memory holds are made of parts', async () => {
    const small = new QueryServer({ memory: 48 * 1024 * 1024 })
    const { reduce } = reducerFor('function (keys, values, rereduce) { return rereduce ? sum(values) : values.length }', { library: {}, queryServer: small, collation: couchCollation })
    const rows = Array.from({ length: 600 }, (_, i) => ({ id: `doc-${i}`, key: i, value: i % 2 === 0 ? 'x'.repeat(100_000) : { text: 'x'.repeat(100_000) } }))
    assert.deepEqual(await reduce([rows.slice(0, 1), rows, rows.slice(0, 2)]), [1, 600, 2])
    await small.close()
  })

  it('of long groups read some hundreds of records for each, and none for those that are skipped', async () => {
    const { store, views } = await many(300, 'emit([n % 3, n], n)')
    const query = async (options) => (await (await views.query(store, 'd', 'v', { group_level: 1, ...options })).toObject()).rows
    const expected = [0, 1, 2].map(group => ({ key: [group], value: Array.from({ length: 10_000 }, (_, i) => group + 3 * i).reduce((a, b) => a + b) }))
    for (let i = 0; i < 3; i++) assert.deepEqual(await query({}), expected)
    const read = countRecords(store)
    assert.deepEqual(await query({}), expected)
    assert.ok(read.records < 3 * 800, `${read.records} records`)
    read.records = 0
    assert.deepEqual(await query({ skip: 2, descending: true }), [expected[0]])
    assert.ok(read.records < 3 * 256 + 800, `${read.records} records where two are skipped`)
    await store.close()
  })

  /** Documents with a hundred rows each, which `emit` makes of a number. */
  async function many (count, emit) {
    const store = await DocumentStore.open(new MemoryLevel())
    const map = `function (doc) { for (var i = 0; i < 100; i++) { var n = 100 * doc.n + i; ${emit} } }`
    const docs = Array.from({ length: count }, (_, n) => ({ _id: `doc-${n}`, n }))
    await store.write([{ _id: '_design/d', views: { v: { map, reduce: '_sum' } } }, ...docs])
    return { store, views: new Views({ queryServer }) }
  }
})

/** Counts what is read of indexes from now on. */
function countRecords ({ indexSpace }) {
  const read = { records: 0 }
  const { nextPage } = indexSpace
  indexSpace.nextPage = async (...args) => {
    const page = await nextPage.apply(indexSpace, args)
    read.records += page.length
    return page
  }
  return read
}
