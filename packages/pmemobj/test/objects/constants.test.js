'use strict'

const assert = require('node:assert')
const { inspect } = require('node:util')
const { assertAlike } = require('./alike')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

const LONG = 'ä€'.repeat(400)
// ESLint does not read the flag v.
const sets = new RegExp('[\\p{L}--[a-z]]', 'v') // eslint-disable-line prefer-regex-literals
const patterns = [/a(b+)c/, /\//gimsuy, /(?<year>\d{4})/d, sets, /(?:)/, /x\n\u2028/, new RegExp(LONG, 'g')]
const boxed = [Object(1), Object(-0), Object(NaN), Object(''), Object('text'), Object(LONG), Object(true), Object(false), Object(-(2n ** 80n)), Object(Symbol.for('s'))]

describe('regular expressions in a pool', () => {
  const pools = temporaryPools()

  for (const pattern of patterns) {
    it(`${String(pattern).slice(0, 40)} is the same one again`, () => {
      const { root } = pools.reopen(pools.create({ pattern, same: pattern }))
      assert.deepStrictEqual(root.pattern, pattern)
      assert.strictEqual(root.pattern, root.same)
      assert.strictEqual(inspect(root.pattern), inspect(pattern))
      assert.deepStrictEqual('abbc 2026 /É'.match(root.pattern), 'abbc 2026 /É'.match(pattern))
      assert.deepStrictEqual(structuredClone(root.pattern), pattern)
    })
  }

  it('work as all do, and begin at 0', () => {
    const plain = /b/g
    plain.lastIndex = 2
    const pool = pools.reopen(pools.create({ plain }))
    const { plain: pattern } = pool.root
    assert.deepStrictEqual([pattern.exec('abb').index, pattern.lastIndex, pattern.exec('abb').index, pattern.exec('abb')], [1, 2, 2, null])
    assert.strictEqual('abb'.replaceAll(pattern, 'c'), 'acc')
    assert.deepStrictEqual([...'abb'.matchAll(pattern)].length, 2)
    assert.throws(() => { pattern.note = 1 }, TypeError)
    assert.ok(!Object.hasOwn(pool.plain(pool.root).plain, 'note'))
  })
})

describe('primitives as objects in a pool', () => {
  const pools = temporaryPools()

  for (const value of boxed) {
    it(`${inspect(value).slice(0, 40)} is the same one again`, () => {
      const { root } = pools.reopen(pools.create({ value, same: value }))
      assert.deepStrictEqual(root.value, value)
      assert.strictEqual(root.value, root.same)
      assert.ok(Object.is(root.value.valueOf(), value.valueOf()))
      assert.strictEqual(inspect(root.value), inspect(value))
      assert.throws(() => { root.value.note = 1 }, TypeError)
      assertAlike(root.value, value)
    })
  }
})

describe('symbols in a pool', () => {
  const pools = temporaryPools()
  const one = Symbol.for('one')
  const two = Symbol.for(LONG)

  it('of Symbol.for() are values and keys', () => {
    const { root } = pools.reopen(pools.create({ list: [one, two], map: new Map([[one, two]]), set: new Set([two]), one }))
    assert.deepStrictEqual([root.list[0], root.list[1], root.map.get(one), root.set.has(two), root.one], [one, two, two, true, one])
    assert.strictEqual(root.list.indexOf(two), 1)
  })

  sideBySide('of Symbol.for() are names', () => ({ b: 1, [one]: { deep: 1 }, 7: 2, [two]: 3, a: 4 }),
    value => Reflect.ownKeys(value),
    value => [value[one].deep, one in value, Object.hasOwn(value, two), Symbol.for('three') in value],
    value => { value[Symbol.for('three')] = 5 },
    value => { value[one].deep++ },
    value => ({ ...value }),
    value => Object.assign({}, value),
    value => JSON.stringify(value),
    value => Object.keys(value),
    value => { const { b, ...rest } = value; return rest },
    value => delete value[one],
    value => { value.c = value[two] },
    value => { value[one] = 'again' },
    value => Reflect.ownKeys(value))

  sideBySide('of Symbol.for() are names of an object that is a dictionary',
    () => ({ [one]: 1, ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`name ${i}`, i])), [two]: 2 }),
    value => { value[Symbol.for('three')] = 3 },
    value => delete value[one],
    value => Reflect.ownKeys(value).length)

  it('of a turn: what was copied, and is assigned again, is the same one', () => {
    const pool = pools.create({})
    const plain = { [one]: 1, failure: new Error('x'), pattern: /x/g, number: Object(1) }
    pool.root.a = plain
    pool.root.b = plain
    assert.strictEqual(pool.root.a, pool.root.b)
    plain[one] = 2
    pool.root.c = plain
    assert.notStrictEqual(pool.root.c, pool.root.a)
    assert.strictEqual(pool.root.c[one], 2)
    assert.strictEqual(pool.root.c.failure, pool.root.a.failure)
    assert.strictEqual(pool.root.c.pattern, pool.root.a.pattern)
    assert.strictEqual(pool.root.c.number, pool.root.a.number)
  })
})

describe('an ArrayBuffer that can be resized', () => {
  const pools = temporaryPools()

  it('has the bytes that it had, and that length, in a pool', () => {
    const buffer = new ArrayBuffer(4, { maxByteLength: 16 })
    const bytes = new Uint8Array(buffer)
    bytes.set([1, 2, 3, 4])
    buffer.resize(6)
    const { root } = pools.reopen(pools.create({ buffer, bytes }))
    assert.deepStrictEqual([...root.bytes], [1, 2, 3, 4, 0, 0])
    assert.strictEqual(root.bytes.buffer, root.buffer)
    assert.strictEqual(root.buffer.resizable, false)
    assert.throws(() => root.buffer.resize(8), { name: 'TypeError', message: /cannot be resized/ })
  })
})

describe('comparisons with plain values', () => {
  const pools = temporaryPools()
  const make = () => ({ list: [1, { a: 2 }], date: new Date(5), map: new Map([[1, { a: new Set([1]) }]]), pattern: /x/, failure: new TypeError('x'), bytes: new Uint8Array([1]) })

  it('assert.deepStrictEqual takes all but Date, Map and Set, which have a prototype of their own', () => {
    const { root } = pools.create(make())
    for (const name of ['list', 'pattern', 'failure', 'bytes']) assert.deepStrictEqual(root[name], make()[name], name)
    for (const name of ['date', 'map']) {
      assert.throws(() => assert.deepStrictEqual(root[name], make()[name]), { code: 'ERR_ASSERTION' })
      assert.deepStrictEqual(root[name], root[name])
    }
  })

  it('assert.deepEqual takes all, and so does assert.deepStrictEqual of a plain copy', () => {
    const pool = pools.create(make())
    assert.deepEqual(pool.root, make())
    assert.deepEqual(make(), pool.root)
    assert.deepStrictEqual(pool.plain(pool.root), make())
    pool.root.map.get(1).a.add(2)
    assert.notDeepEqual(pool.root, make())
    pool.root.map.get(1).a.delete(2)
    pool.root.date.setTime(6)
    assert.notDeepEqual(pool.root, make())
  })

  it('assert.deepStrictEqual takes Dates, Maps and Sets of two pools', () => {
    const one = pools.create(make())
    const other = pools.create(make())
    assert.deepStrictEqual(one.root, other.root)
    other.root.map.get(1).a.add(2)
    assert.notDeepStrictEqual(one.root, other.root)
  })
})
