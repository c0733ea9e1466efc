'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { couchCollation } = require('@potoroo/collation')
const { reducerFor } = require('../lib/reduces/reducer')
const { ReduceLimit } = require('../lib/reduces/reduce-limit')

const reducerOf = (source, limit) => reducerFor(source, { library: {}, queryServer: /** @type {any} */ (null), collation: couchCollation, limit })
const reduce = (source, items, limit) => {
  const { reduce, finish } = reducerOf(source, limit)
  return finish(reduce([items])[0])
}
const valueOf = (source, items, limit) => reduce(source, items, limit).value

const integer = fc.integer({ min: -1000, max: 1000 })
const sums = fc.letrec(tie => ({
  value: fc.oneof(integer, fc.array(integer, { maxLength: 4 })),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'é'), fc.oneof(tie('value'), tie('object')), { maxKeys: 3 })
}))
const stats = fc.oneof(integer, fc.record({ sum: integer, count: integer, min: integer, max: integer, sumsqr: integer }))
const key = fc.oneof(fc.constantFrom(null, true, 'a', 'á'), integer, fc.array(integer, { maxLength: 2 }))

/** As it comes out of JSON, which has no -0. */
const overJson = value => JSON.parse(JSON.stringify(value))
const scalar = fc.oneof(integer, fc.constantFrom(null, 'x'))
const any = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))

/** Values, or keys, that each of them takes. */
const items = {
  _sum: fc.oneof(fc.array(sums.value, { minLength: 2 }), fc.array(sums.object, { minLength: 2 }), fc.array(any, { minLength: 2 })),
  _stats: fc.oneof(fc.array(stats, { minLength: 2 }), fc.array(fc.array(stats, { minLength: 2, maxLength: 2 }), { minLength: 2 })),
  _approx_count_distinct: fc.array(key, { minLength: 2, maxLength: 300 }),
  _top_5: fc.array(fc.jsonValue(), { minLength: 2 }),
  _bottom_5: fc.array(fc.jsonValue(), { minLength: 2 }),
  _first: fc.array(fc.jsonValue(), { minLength: 2 }),
  _last: fc.array(fc.jsonValue(), { minLength: 2 })
}

/** Which of several faults a sum tells of is a matter of how it was put together. */
function withoutCause (value) {
  return value?.error === 'builtin_reduce_error' ? { ...value, caused_by: undefined } : value
}

/** Erlang would say that an object is no number: see sum.js. */
function isMixed (source, values) {
  return source === '_sum' && values.some(value => typeof value === 'object' && value !== null && !Array.isArray(value)) && values.some(value => typeof value !== 'object' || value === null || Array.isArray(value))
}

describe('built-in reduces', () => {
  for (const [source, arbitrary] of Object.entries(items)) {
    it(`${source} of parts is that of the whole`, async () => {
      const property = fc.property(arbitrary.map(overJson), fc.nat(), (all, at) => {
        fc.pre(!isMixed(source, all))
        const middle = 1 + at % (all.length - 1)
        const { reduce, rereduce, finish } = reducerOf(source)
        const parts = overJson(reduce([all.slice(0, middle), all.slice(middle)]))
        const [whole] = reduce([all])
        assert.deepEqual(withoutCause(finish(rereduce([parts])[0]).value), withoutCause(finish(whole).value))
      })
      fc.assert(property, { numRuns: 500 })
    })
  }

  it('_sum numbers, arrays and objects', () => {
    assert.equal(valueOf('_sum', [1, 2, 3.5]), 6.5)
    assert.deepEqual(valueOf('_sum', [2, [3, 5, 7], [0, 0, 0, 42], 1, 3]), [9, 5, 7, 42])
    assert.deepEqual(valueOf('_sum', [{ a: 1, b: { c: [1] } }, { b: { c: [1, 2], d: 4 } }]), { a: 1, b: { c: [2, 2], d: 4 } })
    assert.deepEqual(valueOf('_sum\nand more', [[1, 'x']]), [1, 'x'], 'what nothing is added to is not looked at')
  })

  it('_sum has an error in the place of what cannot be summed, which stays', () => {
    const failed = valueOf('_sum', [1, 'x', 2])
    assert.equal(failed.error, 'builtin_reduce_error')
    assert.equal(failed.caused_by, 'x')
    assert.match(failed.reason, /^The _sum function requires that map values be numbers, /)
    assert.deepEqual(valueOf('_sum', [5, failed].slice(1)), failed)
    assert.equal(valueOf('_sum', [{ a: 1 }, 1]).caused_by, 1)
    assert.deepEqual(valueOf('_sum', [[1, 2], [1, null]]).caused_by, [2])
  })

  it('_sum has to shrink', () => {
    const values = Array.from({ length: 5 }, (_, doc) => Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`${doc} ${i}`, i])))
    assert.match(valueOf('_sum', values).reason, /^Reduce output must shrink more rapidly: input size: \d+ output size: \d+ context: $/)
    const told = []
    const letThrough = new ReduceLimit({ mode: 'log', threshold: 5000, ratio: 2 }, message => told.push(message))
    assert.equal(Object.keys(valueOf('_sum', values, letThrough)).length, 2000)
    assert.equal(told.length, 1)
    assert.equal(Object.keys(valueOf('_sum', values, new ReduceLimit({ mode: 'false', threshold: 5000, ratio: 2 }))).length, 2000)
    const same = { ...values[0] }
    assert.equal(valueOf('_sum', [same, same, same]).error, undefined)
  })

  it('_stats takes numbers, statistics and arrays of them', () => {
    assert.deepEqual(valueOf('_stats', [1, 4]), { sum: 5, count: 2, min: 1, max: 4, sumsqr: 17 })
    const made = { sum: 10, count: 2, min: 3, max: 7, sumsqr: 58, other: 'x' }
    assert.deepEqual(valueOf('_stats', [1, made]), { sum: 11, count: 3, min: 1, max: 7, sumsqr: 59 })
    assert.deepEqual(valueOf('_stats', [[1, made], [2, 3]]), [{ sum: 3, count: 2, min: 1, max: 2, sumsqr: 5 }, { sum: 13, count: 3, min: 3, max: 7, sumsqr: 67 }])
  })

  for (const [values, reason] of /** @type {Array<[any[], string]>} */ ([
    [[1, 'x'], "The _stats function requires that map values be numbers or arrays of numbers, not '<<\"x\">>'"],
    [[1, [1]], "The _stats function requires that map values be numbers or arrays of numbers, not '[1]'"],
    [['abc'], 'non-numeric _stats input: <<97,98,99>>'],
    [[null], 'non-numeric _stats input: null'],
    [[{ sum: 1, count: 1, min: 1, max: 2 }], 'user _stats input missing required field sumsqr ([{<<"sum">>,1},{<<"count">>,1},{<<"min">>,1},{<<"max">>,2}])'],
    [[{ sum: 1, count: 1, min: 'a', max: 2, sumsqr: 1 }], 'non-numeric _stats input received for min: <<97>>']
  ])) {
    it(`_stats refuses ${JSON.stringify(values)}`, () => {
      assert.throws(() => valueOf('_stats', values), { status: 500, error: 'invalid_value', reason })
    })
  }

  it('_approx_count_distinct is right of few keys, and nearly of many', () => {
    assert.equal(valueOf('_approx_count_distinct', [1, [1], 1, 'a', [1]]), 3)
    for (const count of [100, 1000, 10_000, 100_000]) {
      const estimate = valueOf('_approx_count_distinct', Array.from({ length: count }, (_, i) => ['key', i]))
      assert.ok(Math.abs(estimate - count) < 0.08 * count, `${estimate} of ${count}`)
    }
  })

  it('_top_N and _bottom_N rank different values', () => {
    const values = [1, 'b', 3, [0], 3, null, 'a', { a: 1 }]
    assert.deepEqual(valueOf('_top_3', values), [{ a: 1 }, [0], 'b'])
    assert.deepEqual(valueOf('_bottom_+03', values), [null, 1, 3])
    assert.deepEqual(valueOf('_top_100', [2, 2]), [2])
  })

  for (const [source, reason] of [
    ['_median', '`_median` is not a supported reduce function.'],
    ['_top_', 'invalid rank reducer'],
    ['_top_3\n', 'invalid rank reducer'],
    ['_bottom_x', 'invalid rank reducer'],
    ['_top_0', 'rank value must be between 1 and 100'],
    ['_bottom_101', 'rank value must be between 1 and 100']
  ]) {
    it(`refuse ${JSON.stringify(source)}`, () => {
      assert.throws(() => reducerOf(source), { status: 400, error: 'invalid_design_doc', reason })
    })
  }
})
