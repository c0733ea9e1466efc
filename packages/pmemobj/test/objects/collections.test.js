'use strict'

const assert = require('node:assert')
const { types, inspect, isDeepStrictEqual } = require('node:util')
const { Pool } = require('../..')
const { Heap } = require('../../lib/objects/heap/heap')
const { nodeOf } = require('../../lib/objects/nodes/node')
const { OrderedMap } = require('../../lib/map/ordered-map')
const { temporaryPools } = require('./temporary-pools')
const { runWorker } = require('../worker')

const LONG = 'long '.repeat(100)

describe('Maps and Sets in a pool', () => {
  const pools = temporaryPools()
  let pool
  beforeEach(() => { pool = pools.create() })

  function reopen () {
    pool = pools.reopen(pool)
  }

  it('have an object once, also if it was two in what they were copied from', () => {
    const plain = { a: 1 }
    pool.root = { plain, other: { b: 2 } }
    const { plain: kept, other } = pool.root
    pool.root.set = new Set([kept, 1, plain, other])
    pool.root.map = new Map([[plain, 'plain'], [other, 'other'], [kept, 'kept']])
    for (let i = 0; i < 2; i++) {
      const { set, map, plain, other } = pool.root
      assert.deepStrictEqual([...set], [plain, 1, other])
      assert.deepStrictEqual([...map], [[plain, 'kept'], [other, 'other']])
      assert.deepStrictEqual([set.size, map.size], [3, 2])
      reopen()
    }
    pool.root.set.delete(pool.root.plain)
    assert.strictEqual(pool.root.set.size, 2)
    assert.strictEqual(pool.root.set.has(pool.root.plain), false)
  })

  it('are Maps and Sets', () => {
    pool.root = { map: new Map([[1, 'one']]), set: new Set(['one']) }
    const { map, set } = pool.root
    assert.ok(map instanceof Map && types.isMap(map) && map.constructor === Map)
    assert.ok(set instanceof Set && types.isSet(set) && set.constructor === Set)
    assert.strictEqual(Object.prototype.toString.call(map), '[object Map]')
    assert.strictEqual(inspect(map), "Map(1) { 1 => 'one' }")
    assert.strictEqual(inspect(set), "Set(1) { 'one' }")
    assert.deepEqual(map, new Map([[1, 'one']]))
    assert.deepEqual(set, new Set(['one']))
    assert.deepStrictEqual(new Map(map), new Map([[1, 'one']]))
    assert.deepStrictEqual(new Set(set), new Set(['one']))
    assert.deepStrictEqual([...map], [[1, 'one']])
    assert.deepStrictEqual(Array.from(set), ['one'])
    assert.strictEqual(pool.root.map, map)
    assert.strictEqual(map.set(2, 'two'), map)
    assert.strictEqual(set.add('two'), set)
  })

  it('keep keys and values of all kinds', () => {
    const date = new Date(5)
    const entries = [
      [undefined, null], [null, undefined], [NaN, -0], [0, NaN], [1n, 2n ** 70n], ['', LONG], [LONG, ''],
      ['\ud800', '\udfff'], [true, false], [date, [1, [2]]], [[], { a: { b: 1 } }]
    ]
    pool.root = { map: new Map(entries), set: new Set(entries.flat()) }
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root), { map: new Map(entries), set: new Set(entries.flat()) })
    const { map, set } = pool.root
    for (const [key] of entries.slice(0, 9)) assert.ok(map.has(key) && set.has(key), String(key))
    const [kept] = [...map.keys()].slice(-2)
    assert.strictEqual(kept.getTime(), 5)
    assert.ok(map.has(kept) && set.has(kept) && !map.has(date))
  })

  it('know keys as Map does', () => {
    pool.root = new Map([[-0, 'zero'], [NaN, 'none']])
    const map = pool.root
    assert.ok(Object.is([...map.keys()][0], 0))
    assert.strictEqual(map.get(0), 'zero')
    assert.strictEqual(map.get(-0), 'zero')
    assert.strictEqual(map.get(NaN), 'none')
    assert.strictEqual(map.get('0'), undefined)
    assert.strictEqual(map.set(-0, 1).size, 2)
    assert.strictEqual(map.get(undefined), undefined)
    map.set(undefined, 'nothing')
    // A value that is no key of it is not undefined.
    assert.strictEqual(map.get({}), undefined)
    assert.strictEqual(map.has(() => {}), false)
    assert.strictEqual(map.has(Symbol('s')), false)
  })

  it('know objects by what they are, before and after they are attached', () => {
    const key = pool.create({ name: 'key' })
    const map = pool.create(new Map())
    map.set(key, 1)
    assert.strictEqual(map.get(key), 1)
    pool.root = { map }
    assert.strictEqual(map.get(key), 1)
    pool.root.key = key
    reopen()
    assert.strictEqual(pool.root.map.get(pool.root.key), 1)
    assert.strictEqual(pool.root.map.keys().next().value, pool.root.key)
    assert.strictEqual(pool.root.map.set(pool.root.key, 2).size, 1)
    assert.strictEqual(pool.root.map.delete(pool.root.key), true)
    assert.strictEqual(pool.root.map.has(pool.root.key), false)
  })

  it('may contain themselves', () => {
    const map = new Map()
    map.set('self', map).set(map, 'self')
    pool.root = map
    reopen()
    assert.strictEqual(pool.root.get('self'), pool.root)
    assert.strictEqual(pool.root.get(pool.root), 'self')
    const copy = pool.plain(pool.root)
    assert.strictEqual(copy.get('self'), copy)
  })

  it('refuse what no pool keeps, and stay as they were', () => {
    class Index extends Map {}
    assert.throws(() => { pool.root = new Index() }, { name: 'TypeError', message: /class that extends Map/ })
    assert.throws(() => { pool.root = Object.assign(new Set(), { a: 1 }) }, { name: 'TypeError', message: /properties/ })
    pool.root = { map: new Map([[1, 1]]), set: new Set([1]) }
    const { map, set } = pool.root
    assert.throws(() => map.set(1, () => {}), TypeError)
    assert.throws(() => map.set(() => {}, 1), TypeError)
    assert.throws(() => map.set(Symbol('s'), 1), TypeError)
    assert.throws(() => set.add(Symbol('s')), TypeError)
    assert.throws(() => { map.name = 1 }, TypeError)
    assert.throws(() => map.forEach(1), TypeError)
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root), { map: new Map([[1, 1]]), set: new Set([1]) })
  })

  it('cannot be cloned but by plain()', () => {
    pool.root = new Map([[1, 1]])
    assert.throws(() => structuredClone(pool.root), { name: 'DataCloneError', message: /plain\(\)/ })
    assert.deepStrictEqual(structuredClone(pool.plain(pool.root)), new Map([[1, 1]]))
  })

  it('take a long key once, and give its place back', () => {
    pool.root = new Map([[LONG, 1]])
    pool.root.set(LONG, 2)
    assert.strictEqual(pool.root.size, 1)
    pool.root.delete(LONG)
    assert.strictEqual(pool.root.set(LONG, LONG).size, 1)
    reopen()
    assert.strictEqual(pool.root.get(LONG), LONG)
    pool.root.set(LONG, 3)
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root), new Map([[LONG, 3]]))
  })

  it('combine as Sets do, with Sets of a pool and without', function () {
    if (Set.prototype.union === undefined) this.skip()
    pool.root = { a: new Set([1, 2, 3]), b: new Set([3, 4]) }
    const { a, b } = pool.root
    for (const other of [b, new Set(b)]) {
      assert.deepStrictEqual(a.union(other), new Set([1, 2, 3, 4]))
      assert.deepStrictEqual(a.intersection(other), new Set([3]))
      assert.deepStrictEqual(a.difference(other), new Set([1, 2]))
      assert.deepStrictEqual(a.symmetricDifference(other), new Set([1, 2, 4]))
      assert.strictEqual(a.isSubsetOf(other), false)
      assert.strictEqual(a.isDisjointFrom(other), false)
      assert.strictEqual(new Set([1, 2, 3, 4, 5]).isSupersetOf(other), true)
    }
  })

  describe('while they are gone over', () => {
    /** Does the same with a plain one and with one of the pool. */
    function compare (work) {
      pool.root = new Map(Array.from({ length: 100 }, (_, i) => [i, -i]))
      const plain = new Map(pool.root)
      assert.deepStrictEqual(work(pool.root), work(plain))
      assert.deepStrictEqual([...pool.root], [...plain])
    }

    it('show entries that are added', () => compare(map => {
      const seen = []
      for (const [key] of map) {
        seen.push(key)
        if (key < 100) map.set(key + 1000, key)
      }
      return seen
    }))

    it('leave out entries that are deleted, also when many are', () => compare(map => {
      const seen = []
      map.forEach((value, key) => {
        seen.push(key, value)
        if (key === 10) for (let i = 0; i < 90; i++) map.delete(i)
        if (key === 95) map.delete(95)
        if (key === 97) map.set(5, 'five')
      })
      return seen
    }))

    it('begin anew where they are cleared', () => compare(map => {
      const seen = []
      for (const key of map.keys()) {
        seen.push(key)
        if (key !== 50) continue
        map.clear()
        map.set(1, 1).set(2, 2)
      }
      return seen
    }))

    it('show an entry that was deleted and set again at the end', () => compare(map => {
      const values = map.values()
      const seen = [values.next()]
      map.delete(0)
      map.set(0, 'again')
      for (const value of values) seen.push(value)
      return [seen, values.next()]
    }))

    it('go on when a transaction among it is rolled back', () => {
      pool.root = new Set(Array.from({ length: 100 }, (_, i) => i))
      const seen = []
      for (const element of pool.root) {
        seen.push(element)
        if (element % 10 !== 0) continue
        assert.throws(() => pool.transaction(() => {
          if (element === 50) pool.root.clear()
          for (let i = 0; i < 90; i++) pool.root.delete(i)
          throw new Error('no')
        }), /no/)
      }
      assert.deepStrictEqual(seen, [...pool.root])
      assert.strictEqual(seen.length, 100)
    })

    it('have iterators as JavaScript has', () => {
      pool.root = new Map([[1, 2]])
      const iterator = pool.root.entries()
      assert.strictEqual(iterator[Symbol.iterator](), iterator)
      assert.strictEqual(iterator[Symbol.toStringTag], 'Map Iterator')
      assert.deepStrictEqual(iterator.next(), { value: [1, 2], done: false })
      assert.deepStrictEqual(iterator.next(), { value: undefined, done: true })
      pool.root.set(3, 4)
      assert.strictEqual(iterator.next().done, true)
      assert.deepStrictEqual([...new Set(pool.root.values()).entries()], [[2, 2], [4, 4]])
    })
  })

  it('write little of many entries for a change', () => {
    pool.root = new Map(Array.from({ length: 20000 }, (_, i) => [`key ${i}`, i]))
    const before = pool.stats().used
    for (let i = 0; i < 100; i++) pool.root.set('key 7', i)
    assert.ok(pool.stats().used - before < 2 ** 20)
    reopen()
    assert.strictEqual(pool.root.size, 20000)
    assert.strictEqual(pool.root.get('key 7'), 99)
  })

  it('leave nothing of what they do not have any more', () => {
    // Records: the pool's, the Set's, its parts of 32 entries, and long strings.
    const count = () => {
      const { heap } = nodeOf(pool.root)
      const iterator = new OrderedMap(heap.pool, heap.maps.objects, 'objects').iterator({ values: false })
      const { length } = iterator.nextv(1000)
      iterator.close()
      return length
    }
    pool.root = new Set()
    assert.strictEqual(count(), 2)
    for (let i = 0; i < 300; i++) pool.root.add(`${i} ${LONG}`)
    assert.strictEqual(count(), 2 + 10 + 300)
    for (let i = 0; i < 280; i++) pool.root.delete(`${i} ${LONG}`)
    assert.strictEqual(count(), 2 + 2 + 20)
    reopen()
    pool.root.clear()
    assert.strictEqual(count(), 2)
  })

  it('stay small where entries come and go', () => {
    pool.root = new Map()
    for (let i = 0; i < 2000; i++) {
      pool.root.set(i, i)
      pool.root.delete(i - 10)
    }
    reopen()
    assert.deepStrictEqual([...pool.root.keys()], Array.from({ length: 10 }, (_, i) => 1990 + i))
    assert.ok(nodeOf(pool.root).table.length < 100)
  })

  it('lose nothing when the cache takes their entries', () => {
    const heap = new Heap(Pool.handleOf(pool), { cacheSize: 2 })
    heap.root = { map: new Map(), set: new Set(), others: [{}, {}, {}, {}] }
    const model = new Map()
    const { map, set } = heap.root
    for (let i = 0; i < 200; i++) {
      for (const other of heap.root.others) other.i = i
      map.set(i, { i })
      set.add(`${i}`)
      model.set(i, i)
      if (i % 3 === 0) map.delete(i - 6)
      if (i % 3 === 0) model.delete(i - 6)
    }
    const seen = []
    for (const [key, value] of map) seen.push([key, value.i])
    assert.deepStrictEqual(seen, [...model])
    assert.strictEqual(set.size, 200)
    heap.close()
  })

  it('are the latest in threads that read, and cannot be changed there', async () => {
    pool.root = new Map(Array.from({ length: 100 }, (_, i) => [i, i]))
    const turns = new Int32Array(new SharedArrayBuffer(4))
    const ended = runWorker(`
      const pool = Pool.open(location)
      const map = pool.root
      const seen = [map.size, map.get(50)]
      for (const work of [() => map.set(1, 2), () => map.delete(1), () => map.clear()]) {
        try { work() } catch (error) { seen.push(error.code) }
      }
      Atomics.store(data, 0, 1)
      Atomics.notify(data, 0)
      Atomics.wait(data, 0, 1)
      seen.push(map.size)
      pool.refresh()
      seen.push(map.size, map.get(99), map.has(50))
      pool.close()
      if (seen.join() !== '100,50,,,,100,21,new,false'.replace(',,,,', ',PMEMOBJ_READ_ONLY'.repeat(3) + ',')) {
        throw new Error(seen.join())
      }`, pool.path, turns)
    await Atomics.waitAsync(turns, 0, 0).value
    for (let i = 0; i < 80; i++) pool.root.delete(i)
    pool.root.set(99, 'new').set('more', 1)
    Atomics.store(turns, 0, 2)
    Atomics.notify(turns, 0)
    assert.strictEqual(await ended, 0)
  })

  it('throw when the pool is closed', () => {
    pool.root = new Map([[1, 1]])
    const map = pool.root
    const iterator = map.keys()
    reopen()
    for (const work of [() => map.size, () => map.get(1), () => map.set(1, 2), () => iterator.next()]) {
      assert.throws(work, { code: 'PMEMOBJ_CLOSED' })
    }
    assert.ok(isDeepStrictEqual([...pool.root], [[1, 1]]))
  })
})
