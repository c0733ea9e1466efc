'use strict'

const assert = require('node:assert')
const { inspect, format, isDeepStrictEqual } = require('node:util')
const { temporaryPools } = require('./temporary-pools')

const make = () => ({
  name: 'Alice',
  list: [1, , { deep: { deeper: { deepest: true } } }], // eslint-disable-line no-sparse-arrays
  when: new Date(0),
  map: new Map([['k', { v: 1 }]]),
  set: new Set([1, 'two']),
  big: 10n,
  none: undefined,
  long: 'x'.repeat(300)
})

describe('persistent objects, shown', () => {
  const pools = temporaryPools()

  describe('by JSON.stringify', () => {
    const same = (value, ...words) => {
      const pool = pools.create(value)
      const expected = JSON.stringify(value, ...words)
      assert.strictEqual(JSON.stringify(pool.root, ...words), expected)
      assert.strictEqual(JSON.stringify(pools.reopen(pool).root, ...words), expected)
    }

    it('are as plain ones', () => {
      const value = { ...make(), big: 'no bigint' }
      same(value)
      same(value, null, 2)
      same([value, [value]], null, '\t')
      same('text')
      same([])
      same({ 2: 'b', 1: 'a', undefined, nan: NaN, minus: -0 })
    })

    it('go through replacers', () => {
      const value = { ...make(), big: 'no bigint' }
      same(value, ['name', 'list', 'deep'])
      same(value, (key, item) => typeof item === 'string' ? item.length : item)
      const { root } = pools.create(value)
      const seen = []
      JSON.stringify(root, function (key, item) { seen.push([this === root, key]); return key === '' ? item : undefined })
      assert.deepStrictEqual(seen.slice(1), Object.keys(value).map(key => [true, key]))
    })

    it('have their classes\' toJSON called', () => {
      class Price {
        constructor (cents) { this.cents = cents }
        toJSON (key) { return `${key}: ${this.cents / 100}` }
      }
      const pool = pools.create()
      pool.register(Price)
      pool.root = { price: new Price(150), list: [new Price(99)] }
      assert.strictEqual(JSON.stringify(pool.root), '{"price":"price: 1.5","list":["0: 0.99"]}')
    })

    it('fail where plain ones do', () => {
      const { root } = pools.create({ big: 1n })
      assert.throws(() => JSON.stringify(root), TypeError)
      delete root.big
      root.self = root
      assert.throws(() => JSON.stringify(root), /circular/)
    })
  })

  describe('by util.inspect, and so by console.log', () => {
    it('are as plain ones, to any depth', () => {
      const pool = pools.create(make())
      for (const options of [{}, { depth: 0 }, { depth: 1 }, { depth: null }, { depth: Infinity }, { compact: false }, { sorted: true }, { breakLength: 20 }]) {
        assert.strictEqual(inspect(pool.root, options), inspect(make(), options))
        assert.strictEqual(inspect({ in: [pool.root] }, options), inspect({ in: [make()] }, options))
      }
      assert.strictEqual(format('%O %j %s %d', pool.root.list, { a: pool.root.list }, 'x', 1), format('%O %j %s %d', make().list, { a: make().list }, 'x', 1))
      assert.strictEqual(format(pool.root.list), format(make().list))
    })

    it('are as plain ones where they are in a circle', () => {
      const circle = () => {
        const value = { name: 'a', list: [] }
        value.self = value
        value.list.push(value, value.list)
        return value
      }
      const { root } = pools.create(circle())
      assert.strictEqual(inspect(root), inspect(circle()))
      assert.strictEqual(inspect(root.list), inspect(circle().list))
    })

    it('say their class', () => {
      class Point { constructor (x) { this.x = x } }
      const pool = pools.create()
      pool.register(Point)
      pool.root = [new Point(1), Object.create(null)]
      assert.strictEqual(inspect(pool.root), inspect([new Point(1), Object.create(null)]))
    })

    it('show what a transaction has done so far', () => {
      const pool = pools.create({ a: 1 })
      pool.transaction(() => {
        pool.root.a = 2
        assert.strictEqual(inspect(pool.root), '{ a: 2 }')
      })
    })

    it('that are not attached are shown too, and those of a closed pool do not throw', () => {
      const pool = pools.create({ a: 1 })
      assert.strictEqual(inspect(pool.create({ b: [1] })), '{ b: [ 1 ] }')
      const { root } = pool
      pool.close()
      assert.strictEqual(inspect(root), '[of a closed pool]')
      assert.match(inspect({ object: { root } }), /of a closed pool/)
    })
  })

  describe('to node:assert', () => {
    it('objects and arrays equal plain ones, from both sides, to deepStrictEqual and deepEqual', () => {
      const value = () => ({ a: 1, list: [1, { b: -0, n: NaN }, [undefined, null]], text: 'x'.repeat(400), big: 1n })
      const { root } = pools.create(value())
      assert.deepStrictEqual(root, value())
      assert.deepStrictEqual(value(), root)
      assert.deepEqual(root, value())
      assert.deepStrictEqual(root.list, value().list)
      assert.ok(isDeepStrictEqual(root, value()) && isDeepStrictEqual(value(), root))
    })

    it('and differ where plain ones do', () => {
      const { root } = pools.create({ a: 1, list: [1, 2] })
      for (const other of [{ a: 2, list: [1, 2] }, { a: 1, list: [1] }, { a: 1, list: [1, 3] }, { a: 1 }, { a: 1, list: [1, 2], b: 1 }, { a: 1, list: { 0: 1, 1: 2 } }, Object.assign(Object.create(null), { a: 1, list: [1, 2] })]) {
        assert.notDeepStrictEqual(root, other)
        assert.notDeepStrictEqual(other, root)
      }
    })

    it('two persistent ones are compared by what they hold', () => {
      const { root } = pools.create({ a: { n: [1] }, b: { n: [1] }, c: { n: [2] } })
      assert.deepStrictEqual(root.a, root.b)
      assert.notDeepStrictEqual(root.a, root.c)
      assert.notStrictEqual(root.a, root.b)
    })
  })

  describe('to structuredClone and postMessage', () => {
    it('objects and arrays are refused loudly, and plain copies are not', () => {
      const pool = pools.create({ a: [1, { b: 2 }], when: new Date(5) })
      const { port1, port2 } = new MessageChannel()
      for (const value of [pool.root, pool.root.a, { in: pool.root }]) {
        assert.throws(() => structuredClone(value), { name: 'DataCloneError' })
        assert.throws(() => port1.postMessage(value), { name: 'DataCloneError' })
      }
      port1.close()
      port2.close()
      assert.deepStrictEqual(structuredClone(pool.plain(pool.root)), { a: [1, { b: 2 }], when: new Date(5) })
    })
  })
})
