'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')

const SUM_REASON = 'The _sum function requires that map values be numbers, arrays of numbers, or objects. Objects cannot be mixed with other data structures. Objects can be arbitrarily nested, provided that the values for all fields are themselves numbers, arrays of numbers, or objects.'

describe('reduces', () => {
  const db = new TestDatabase()

  /** @param {string} map @param {string} reduce @param {any[]} docs */
  async function make (map, reduce, docs) {
    assert.equal((await db.put('_design/d', { views: { v: { map, reduce } } })).status, 201)
    await db.post('_bulk_docs', { docs: docs.map((doc, i) => ({ _id: `doc-${i}`, ...doc })) })
  }
  const query = (parameters = '') => db.get(`_design/d/_view/v?${parameters}`)
  const rows = async parameters => (await query(parameters)).body.rows
  const values = async parameters => (await rows(parameters)).map(({ value }) => value)

  const byKey = 'function (doc) { emit(doc.key, doc.value) }'
  const letters = ['a', 'a', 'b', 'b', 'b', 'c'].map((letter, i) => ({ key: [letter, i], value: i + 1 }))

  for (const [reduce, all, grouped] of /** @type {Array<[string, any, any[]]>} */ ([
    ['_sum', 21, [3, 12, 6]],
    ['_count', 6, [2, 3, 1]],
    ['_stats', { sum: 21, count: 6, min: 1, max: 6, sumsqr: 91 }, [{ sum: 3, count: 2, min: 1, max: 2, sumsqr: 5 }, { sum: 12, count: 3, min: 3, max: 5, sumsqr: 50 }, { sum: 6, count: 1, min: 6, max: 6, sumsqr: 36 }]],
    ['_approx_count_distinct', 6, [2, 3, 1]],
    ['_top_2', [6, 5], [[2, 1], [5, 4], [6]]],
    ['_bottom_2', [1, 2], [[1, 2], [3, 4], [6]]],
    ['_first', 1, [1, 3, 6]],
    ['_last', 6, [2, 5, 6]],
    ['function (keys, values, rereduce) { return sum(values) }', 21, [3, 12, 6]]
  ])) {
    it(`${reduce} of all, of groups, and backwards`, async () => {
      await make(byKey, reduce, letters)
      assert.deepEqual(await rows(), [{ key: null, value: all }])
      assert.deepEqual(await rows('group_level=1'), ['a', 'b', 'c'].map((letter, i) => ({ key: [letter], value: grouped[i] })))
      assert.deepEqual(await values('group_level=1&descending=true'), [...grouped].reverse())
      assert.deepEqual(await values('group_level=1&skip=1&limit=1'), [grouped[1]])
      assert.deepEqual(await values('startkey=["b"]&endkey=["b",{}]'), [grouped[1]])
      assert.deepEqual(await rows('startkey=["x"]'), [])
    })
  }

  it('take two array keys for one group of a level that the shorter one ends at', async () => {
    await make(byKey, '_count', [{ key: ['a', 1] }, { key: ['a', 1, 2] }, { key: ['a'] }, { key: 'a' }])
    assert.deepEqual(await rows('group_level=2'), [{ key: 'a', value: 1 }, { key: ['a'], value: 1 }, { key: ['a', 1], value: 2 }])
  })

  it('group keys that collate alike', async () => {
    await make(byKey, '_count', [{ key: '\u00e9' }, { key: 'e\u0301' }, { key: 'e' }])
    assert.deepEqual(await values('group=true'), [1, 2])
  })

  it('give a row for each of some keys, in their order', async () => {
    await make(byKey, '_sum', letters)
    const keys = encodeURIComponent(JSON.stringify([['b', 3], ['x'], ['a', 0]]))
    assert.deepEqual(await rows(`group=true&keys=${keys}`), [{ key: ['b', 3], value: 4 }, { key: ['a', 0], value: 1 }])
    assert.deepEqual(await values(`group=true&keys=${keys}&skip=1`), [1])
  })

  it('_sum has an error in the place of a sum', async () => {
    await make(byKey, '_sum', [{ key: 1, value: 1 }, { key: 2, value: 'x' }, { key: 3, value: { a: 1 } }])
    const failed = { error: 'builtin_reduce_error', reason: SUM_REASON, caused_by: 'x' }
    assert.deepEqual(await values('group=true'), [1, failed, { a: 1 }])
    assert.equal((await values())[0].error, 'builtin_reduce_error')
  })

  it('_stats refuses what is no number', async () => {
    await make(byKey, '_stats', [{ key: 1, value: 1 }, { key: 2, value: 'x' }])
    const { status, body } = await query()
    assert.deepEqual([status, body.error, body.reason], [500, 'invalid_value', "The _stats function requires that map values be numbers or arrays of numbers, not '<<\"x\">>'"])
  })

  it('are null where a function throws', async () => {
    await make(byKey, 'function (keys, values) { throw new Error("no") }', letters)
    assert.deepEqual(await rows(), [{ key: null, value: null }])
  })

  it('fail where a function says so', async () => {
    await make(byKey, 'function (keys, values) { throw ["fatal", "my_error", "my reason"] }', letters)
    const { status, body } = await query()
    assert.deepEqual([status, body.error, body.reason], [500, 'my_error', 'my reason'])
  })

  it('that do not shrink have no key', async () => {
    await make(byKey, 'function (keys, values) { return "x".repeat(6000 * values[0]) }', [{ key: 'a', value: 0 }, { key: 'b', value: 1 }])
    const [small, large] = await rows('group=true')
    assert.deepEqual(small, { key: 'a', value: '' })
    assert.deepEqual([large.key, large.error], [null, 'reduce_overflow_error'])
  })

  it('have to shrink', async () => {
    await make(byKey, 'function (keys, values) { return values }', Array.from({ length: 5 }, (_, i) => ({ key: i, value: 'x'.repeat(6000) })))
    const [{ key, error, reason, ...others }] = await rows()
    assert.deepEqual([key, error, others], [null, 'reduce_overflow_error', {}])
    assert.match(reason, /^Reduce output must shrink more rapidly: input size: 30\d\d\d output size: 300\d\d context: $/)
    assert.equal((await rows('group=true')).length, 5)
  })

  it('of objects have to shrink', async () => {
    const value = i => Object.fromEntries(Array.from({ length: 400 }, (_, field) => [`${i} ${field}`, field]))
    await make(byKey, '_sum', Array.from({ length: 5 }, (_, i) => ({ key: i, value: value(i) })))
    const [{ error, reason }] = await values()
    assert.equal(error, 'builtin_reduce_error')
    assert.match(reason, /^Reduce output must shrink more rapidly: input size: \d+ output size: \d+ context: $/)
  })

  it('of many rows are right after changes', async () => {
    const docs = Array.from({ length: 3000 }, (_, i) => ({ key: [i % 3, i], value: i }))
    await make(byKey, '_sum', docs)
    const sumOf = wanted => docs.filter(wanted).reduce((sum, { value }) => sum + value, 0)
    assert.deepEqual(await values(), [sumOf(() => true)])
    assert.deepEqual(await values('startkey=[0,1500]&endkey=[2,1000]'), [sumOf(({ key: [a, b] }) => a === 1 || (a === 0 && b >= 1500) || (a === 2 && b <= 1000))])
    const { body } = await db.get('doc-1501')
    docs[1501] = { key: [2, 0], value: 7 }
    await db.put('doc-1501', { _rev: body._rev, ...docs[1501] })
    for (let i = 0; i < 2; i++) assert.deepEqual(await values('group_level=1'), [0, 1, 2].map(group => sumOf(({ key: [a] }) => a === group)))
    assert.deepEqual(await values('group_level=1&descending=true&limit=1'), [sumOf(({ key: [a] }) => a === 2)])
  })

  it('are not needed to say where rows are', async () => {
    await make(byKey, '_count', Array.from({ length: 3000 }, (_, i) => ({ key: i })))
    for (let i = 0; i < 2; i++) {
      const { body } = await query('reduce=false&startkey=2000&limit=1')
      assert.deepEqual([body.total_rows, body.offset], [3000, 2000])
      const { body: backwards } = await query('reduce=false&startkey=1000&limit=1&descending=true')
      assert.equal(backwards.offset, 1999)
    }
  })
})
