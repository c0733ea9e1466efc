'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

const numbers = [
  0, -0, 1, -1, 0.1, -1.5, 127, 128, 255, 256, 32767, 65536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32,
  2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 2 ** 64, NaN, Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE,
  Number.MIN_VALUE, -Number.MIN_VALUE, Number.EPSILON, 2.2250738585072014e-308, 2.225073858507201e-308, 1e21, 1e-7, Math.PI
]

const bigints = [
  0n, 1n, -1n, 255n, 256n, -256n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 64n,
  -(2n ** 64n), 2n ** 128n - 1n, -(2n ** 127n), 10n ** 100n, -(10n ** 1000n), 2n ** 100_000n + 1n
]

describe('values', () => {
  const pools = temporaryPools()

  const kinds = { undefined: [undefined], null: [null], booleans: [true, false], numbers, bigints }
  for (const [kind, values] of Object.entries(kinds)) {
    it(`${kind} are what they were, in properties, in elements and as the root`, () => {
      const byName = Object.fromEntries(values.map((value, index) => [`p${index}`, value]))
      let pool = pools.create({ byName, list: [...values], pairs: values.map(value => ({ value })) })
      for (let round = 0; round < 2; round++) {
        assertAlike(pool.root, { byName, list: values, pairs: values.map(value => ({ value })) })
        pool = pools.reopen(pool)
      }
      for (const value of values) {
        pool.root = value
        assert.ok(Object.is(pool.root, value), String(value))
      }
      assert.ok(Object.is(pools.reopen(pool).root, values.at(-1)))
    })

    it(`${kind} replace each other`, () => {
      const pool = pools.create({ value: 'before', list: ['before'] })
      for (const value of values) {
        pool.root.value = value
        pool.root.list[0] = value
        assert.ok(Object.is(pool.root.value, value), String(value))
        assert.ok(Object.is(pool.root.list[0], value), String(value))
      }
      const { root } = pools.reopen(pool)
      assert.ok(Object.is(root.value, values.at(-1)))
      assert.ok(Object.is(root.list[0], values.at(-1)))
    })
  }

  it('doubles of any bits are kept', () => {
    const doubles = []
    let bits = 1n
    for (let i = 0; i < 2000; i++) {
      bits = (bits * 6364136223846793005n + 1442695040888963407n) & (2n ** 64n - 1n)
      doubles.push(new Float64Array(new BigUint64Array([bits]).buffer)[0])
    }
    const pool = pools.create(doubles)
    assertAlike(pools.reopen(pool).root, doubles)
  })

  it('an empty slot is told from undefined, and both from null', () => {
    const plain = [undefined, null]
    plain.length = 3
    const pool = pools.create({ none: undefined, nil: null, plain })
    const { root } = pools.reopen(pool)
    assertAlike(root, { none: undefined, nil: null, plain })
    assert.deepStrictEqual(['none' in root, 'other' in root, 0 in root.plain, 2 in root.plain], [true, false, true, false])
  })

  it('a number that changes its kind is what was assigned last', () => {
    const pool = pools.create({ count: 0 })
    for (const value of [1, 1.5, 2 ** 40, '1', 1n, true, null, undefined, {}, [], -0]) {
      pool.root.count = value
      assertAlike(pool.root.count, value)
    }
    for (let i = 0; i < 100; i++) pool.root.count++
    pool.root.count **= 2
    pool.root.count ||= 1
    pool.root.other ??= 7
    pool.root.count &&= pool.root.count + 0.5
    assertAlike(pools.reopen(pool).root, { count: 10000.5, other: 7 })
  })
})
