'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { sideBySide } = require('./side-by-side')
const { temporaryPools } = require('./temporary-pools')

describe('arrays', () => {
  const list = () => [1, 'two', { three: 3 }, [4], null, undefined, -0]

  sideBySide('what is asked of them', list,
    a => [Array.isArray(a), a instanceof Array, a instanceof Object, typeof a, a.constructor === Array, a.length],
    a => [Object.keys(a), Reflect.ownKeys(a), Object.entries(a), Object.getOwnPropertyDescriptor(a, 'length')],
    a => ['length' in a, 0 in a, '0' in a, 7 in a, -1 in a, 'map' in a, Object.hasOwn(a, 'length'), Object.hasOwn(a, 6)],
    a => [a[0], a['0'], a['00'], a[-1], a[1.5], a[7], a.at(-1), a.missing],
    a => { const names = []; for (const name in a) names.push(name); return names },
    a => { const values = []; for (const value of a) values.push(value); return values },
    a => [...a],
    a => ({ ...a }),
    a => { const [first, , third, ...rest] = a; return [first, third, rest] },
    a => { const { length, 1: two } = a; return [length, two] },
    a => Array.from(a),
    a => Array.from(a, (value, index) => [index, value]),
    a => Array.from(a.entries()),
    a => [Array.from(a.keys()), Array.from(a.values()), Array.from(a[Symbol.iterator]())],
    a => Math.max(...a.filter(Number.isFinite)),
    a => String.raw({ raw: a }, 'x', 'y'),
    a => [String(a.slice(0, 2)), `${a.slice(3)}`, a.slice(0, 2) + ''],
    a => Object.prototype.toString.call(a),
    a => [Object.isExtensible(a), Object.isFrozen(a), Object.isSealed(a)],
    a => ((...words) => words.length)(...a),
    a => Function.prototype.apply.call((...words) => words, null, a)
  )

  sideBySide('elements are set, added and deleted', list,
    a => { a[0] = 'one' },
    a => { a[2].three = { deep: [] } },
    a => { a[2].three.deep[0] = 1 },
    a => { a[3][0]++ },
    a => { a[a.length] = 'at the end' },
    a => { a['8'] = 'by a string' },
    a => delete a[1],
    a => delete a[1],
    a => delete a[100],
    a => { a[1] = 'back' },
    a => { a[12] = 'beyond' },
    a => delete a[12],
    a => Object.keys(a),
    a => { [a[0], a[4]] = [a[4], a[0]] },
    a => Object.assign(a, ['x', , 'z'], { 3: 'three' }) // eslint-disable-line no-sparse-arrays
  )

  sideBySide('length', list,
    a => { a.length = 3 },
    a => a[3],
    a => { a.length = 6 },
    a => [a[3], 3 in a, a.length],
    a => { a.length = '4' },
    a => { a.length = -1 },
    a => { a.length = 1.5 },
    a => { a.length = 2 ** 32 },
    a => { a.length = 'x' },
    a => { a.length = NaN },
    a => { a.length = { valueOf: () => 2 } },
    a => { a.length = true },
    a => { a.length = null },
    a => a.push(1),
    a => delete a.length,
    a => Reflect.deleteProperty(a, 'length'),
    a => Reflect.set(a, 'length', 0),
    a => [Reflect.defineProperty(a, 'length', { value: 2 }), a.length],
    a => [Reflect.defineProperty(a, 'length', { enumerable: true }), Reflect.defineProperty(a, 'length', { configurable: true })],
    a => [Reflect.defineProperty(a, 'length', { get: () => 1 }), a.length]
  )

  sideBySide('holes', () => [, 1, , undefined, ,], // eslint-disable-line no-sparse-arrays
    a => [a.length, 0 in a, 2 in a, 3 in a, Object.keys(a)],
    a => [a.forEach(() => {}), a.map(value => [value]), a.filter(() => true), a.indexOf(undefined), a.includes(undefined)],
    a => [[...a], a.join(), a.flat(), a.concat([5]), a.findIndex(value => value === undefined), JSON.stringify(a)],
    a => a.reverse(),
    a => a.push(7),
    a => a.sort(),
    a => { a[0] = 'in a hole' },
    a => a.splice(1, 2),
    a => a.unshift('first'),
    a => a.shift(),
    a => a.copyWithin(0, 2),
    a => a.fill(null, 1, 2),
    a => delete a[1],
    a => a.toSorted()
  )

  sideBySide('indexes far out', () => [1],
    a => { a[1000] = 'x' },
    a => { a[100_000] = { y: 1 } },
    a => [a.length, Object.keys(a), 999 in a],
    a => a.pop(),
    a => { a[5] = 5 },
    a => { a.length = 6 },
    a => a.push(7)
  )

  describe('of which a pool does not keep everything', () => {
    const pools = temporaryPools()
    const names = ['name', '01', '-1', '1.5', '4294967295', '-0', '', 'push', 'toJSON']

    it('refuse names that are no index, but tell that they have none', () => {
      const pool = pools.create([1, 2])
      for (const name of names) {
        const plain = JSON.stringify(pool.root)
        assert.throws(() => { pool.root[name] = 'x' }, TypeError, name)
        assert.throws(() => Object.defineProperty(pool.root, name, { value: 1, writable: true, enumerable: true, configurable: true }), TypeError, name)
        assert.strictEqual(Object.hasOwn(pool.root, name), false)
        assert.strictEqual(delete pool.root[name], true)
        assert.strictEqual(typeof pool.root[name], typeof Array.prototype[name])
        assert.strictEqual(name in pool.root, name in Array.prototype)
        assert.strictEqual(JSON.stringify(pool.root), plain)
      }
      assertAlike(pools.reopen(pool).root, [1, 2])
    })

    it('refuse to copy plain arrays with such names, or of other classes', () => {
      const pool = pools.create([1])
      class List extends Array {}
      for (const value of [Object.assign([1], { name: 'x' }), 'xyz'.match(/y/), List.of(1), Object.setPrototypeOf([], null)]) {
        assert.throws(() => { pool.root[0] = value }, TypeError)
        assert.throws(() => { pool.root = [value] }, TypeError)
      }
      assertAlike(pools.reopen(pool).root, [1])
    })

    it('refuse a million holes at once', () => {
      const pool = pools.create([1])
      const calls = [
        a => { a.length = 2 ** 32 - 1 },
        a => { a[2 ** 32 - 2] = 'the last index there is' },
        a => { a[3_000_000_000] = 1 },
        a => { a[0] = new Array(2 ** 32 - 1) }
      ]
      for (const call of calls) {
        assert.throws(() => call(pool.root), RangeError)
        assertAlike(pool.root, [1])
      }
      assertAlike(pools.reopen(pool).root, [1])
    })
  })

  sideBySide('Reflect and Object.defineProperty', list,
    a => [Reflect.set(a, 0, 'zero'), Reflect.set(a, 9, 'nine'), Reflect.get(a, 9), Reflect.has(a, 8)],
    a => [Reflect.deleteProperty(a, 9), Reflect.deleteProperty(a, 100)],
    a => Reflect.defineProperty(a, 0, { value: 'nil' }),
    a => Reflect.defineProperty(a, 12, { value: {}, writable: true, enumerable: true, configurable: true }),
    a => Object.getOwnPropertyDescriptors(a),
    a => Reflect.getPrototypeOf(a) === Array.prototype,
    a => Reflect.setPrototypeOf(a, Array.prototype),
    a => { const receiver = []; return [Reflect.set(a, 1, 'x', receiver), receiver] }
  )

  sideBySide('of numbers only, until another kind comes', () => Array.from({ length: 70 }, (_, index) => index),
    a => { a[69] = 0.5 },
    a => { a[3] = -0 },
    a => { a[40] = 'string' },
    a => { a[33] = { o: 1 } },
    a => { a[33] = 33 },
    a => delete a[64],
    a => { a[64] = NaN }
  )

  // Sizes around those of chunks.
  for (const size of [0, 1, 31, 32, 33, 64, 100]) {
    sideBySide(`of ${size} elements, changed at both ends`, () => Array.from({ length: size }, (_, index) => index % 5 === 0 ? { index } : `v${index}`),
      a => a.push('a', { b: 1 }),
      a => a.pop(),
      a => a.unshift(['c']),
      a => a.shift(),
      a => { a.length = Math.max(0, a.length - 2) },
      a => { a[a.length + 1] = 'after a hole' },
      a => a.splice(a.length >> 1, 2, 'x', 'y', 'z'),
      a => a.reverse()
    )
  }

  describe('of 100,000 elements', () => {
    const pools = temporaryPools()
    const size = 100_000
    const make = () => Array.from({ length: size }, (_, index) => index % 100 === 0 ? { index } : index % 3 ? index : `v${index}`)

    it('are copied, read, changed and opened again', () => {
      let pool = pools.create(make())
      const plain = make()
      assertAlike(pool.root, plain)
      pool = pools.reopen(pool)
      assert.strictEqual(pool.root.length, size)
      assert.strictEqual(pool.root[99_900].index, 99_900)
      for (const a of [plain, pool.root]) {
        a[50_000] = 'changed'
        a.push('one', { more: 1 })
        delete a[77]
        a.splice(70_000, 3)
        a.length -= 10_000
        a.unshift('first')
      }
      assertAlike(pool.root, plain)
      assertAlike(pools.reopen(pool).root, plain)
    })

    it('are pushed one by one, sorted and emptied', () => {
      let pool = pools.create([])
      const plain = Array.from({ length: size }, (_, index) => (index * 7919) % size)
      pool.transaction(() => { for (const value of plain) pool.root.push(value) })
      assertAlike(pool.root, plain)
      pool.root.sort((a, b) => a - b)
      pool = pools.reopen(pool)
      assertAlike(pool.root, plain.toSorted((a, b) => a - b))
      pool.root.length = 0
      assertAlike(pool.root, [])
      assertAlike(pools.reopen(pool).root, [])
    })
  })
})
