'use strict'

const assert = require('node:assert')
const { setImmediate: turn } = require('node:timers/promises')
const { Pool } = require('../..')
const binding = require('../../lib/binding/binding')
const { temporaryFolder } = require('../temporary-folder')

const LONG = 'a string that is too long for its slot '.repeat(20)

describe('the garbage of a pool', () => {
  const folder = temporaryFolder()
  let location, pool

  beforeEach(() => {
    location = folder.next()
    pool = Pool.create(location, { collect: false })
  })

  afterEach(() => pool.close())

  /** How many entries there are of objects, their parts and long strings; the record of the root is one. */
  function entries (name = '\0objects') {
    const map = binding.openMap(Pool.handleOf(pool), name)
    const iterator = binding.iterator(Pool.handleOf(pool), map, 2 | 8 | 32 | 64, undefined, undefined, -1)
    let count = 0
    for (;;) {
      const found = new Uint32Array(binding.next(iterator, 1000), 0, 1)[0]
      if (found === 0) break
      count += found
    }
    binding.closeIterator(iterator)
    return count
  }

  /** Opens it again, so that JavaScript has nothing of it. */
  function reopen () {
    pool.close()
    pool = Pool.open(location, { collect: false })
  }

  it('is nothing where the root reaches everything', () => {
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 0 })
    pool.root = 5
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 0 })
    pool.root = { a: { b: [1, { c: LONG }] } }
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 4 })
    assert.deepStrictEqual(pool.plain(pool.root), { a: { b: [1, { c: LONG }] } })
  })

  it('goes with all that only it refers to', () => {
    pool.root = { keep: [{ x: 1 }], go: { a: [{ b: LONG }, { c: {} }] } }
    const before = entries()
    pool.root.go = undefined
    assert.strictEqual(entries(), before)
    assert.deepStrictEqual(pool.collect(), { objects: 5, kept: 3 })
    assert.strictEqual(entries(), 4)
    assert.deepStrictEqual(pool.plain(pool.root), { keep: [{ x: 1 }], go: undefined })
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 3 })
  })

  it('goes where objects refer to each other in a circle', () => {
    const circle = { name: 'a' }
    circle.self = circle
    circle.next = { back: circle, list: [circle] }
    pool.root = { circle, other: 1 }
    delete pool.root.circle
    reopen()
    assert.deepStrictEqual(pool.collect(), { objects: 3, kept: 1 })
    assert.strictEqual(entries(), 2)
  })

  it('is not what is shared with something that stays', () => {
    const shared = { is: 'shared', text: LONG }
    pool.root = { a: { shared }, b: { shared } }
    delete pool.root.a
    assert.strictEqual(pool.collect().objects, 1)
    assert.deepStrictEqual(pool.plain(pool.root.b.shared), shared)
  })

  it('leaves no parts behind', () => {
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`name ${i}`, i]))
    const dictionary = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key ${i}`, { i }]))
    pool.root = { list: Array.from({ length: 1000 }, (_, i) => [i]), wide, dictionary }
    pool.root = null
    reopen()
    assert.deepStrictEqual(pool.collect(), { objects: 1 + 1001 + 1 + 501, kept: 0 })
    assert.strictEqual(entries(), 1)
  })

  it('is found behind every slot of every kind of record', () => {
    const child = i => ({ i, text: LONG })
    for (const size of [0, 1, 31, 32, 33, 63, 64, 65, 128, 129, 200]) {
      const names = Array.from({ length: size }, (_, i) => `name ${i}`)
      pool.root = {
        object: Object.fromEntries(names.map((name, i) => [name, child(i)])),
        array: names.map((_, i) => child(i))
      }
      const expected = pool.plain(pool.root)
      reopen()
      assert.strictEqual(pool.collect().kept, 3 + 2 * size)
      assert.strictEqual(entries(), 4 + 4 * size + parts(size), `of ${size}`)
      assert.deepStrictEqual(pool.plain(pool.root), expected)
    }
  })

  /** Numbers of parts: of an object, whose first chunk is in its record unless it is a dictionary, and of an array. */
  function parts (size) {
    const chunks = Math.ceil(size / 32)
    return (size > 128 ? chunks : Math.max(chunks - 1, 0)) + (size > 32 ? chunks : 0)
  }

  it('is found behind Maps, Sets, Dates and views', () => {
    for (const size of [0, 1, 32, 33, 100]) {
      const numbers = Array.from({ length: size }, (_, i) => i)
      pool.root = {
        map: new Map(numbers.map(i => [{ key: i }, { value: i, text: LONG }])),
        set: new Set(numbers.flatMap(i => [[i], `${i} ${LONG}`])),
        views: [new Date(5), new Uint8Array(100), new Float64Array(1), new ArrayBuffer(10), Buffer.from('bytes')]
      }
      const expected = pool.plain(pool.root)
      reopen()
      // The root, a Map, a Set, and an array of a Date, an ArrayBuffer, and three views with an ArrayBuffer each.
      assert.strictEqual(pool.collect().kept, 12 + 3 * size)
      assert.deepStrictEqual(pool.plain(pool.root), expected)
      const { map, set } = pool.root
      if (size > 0) {
        map.delete([...map.keys()][0])
        set.delete([...set.keys()][0])
      }
      reopen()
      assert.strictEqual(pool.collect().objects, size > 0 ? 3 : 0)
      pool.root = null
      reopen()
      assert.strictEqual(entries('\0buffers'), 4)
      assert.strictEqual(pool.collect().kept, 0)
      assert.strictEqual(entries(), 1)
      assert.strictEqual(entries('\0buffers'), 0)
    }
  })

  it('is found past values of all sizes', () => {
    const values = [undefined, null, true, false, 0, -1, 127, 128, -(2 ** 31), 0.5, -0, NaN, Infinity, '', 'x', 'ÿ', '€',
      'y'.repeat(256), '€'.repeat(256), LONG, 0n, -1n, 2n ** 200n, -(2n ** 64n)]
    pool.root = [...values, { last: true }]
    const holes = pool.root
    holes.length = 40
    holes[39] = ['behind holes']
    assert.strictEqual(pool.collect().kept, 3)
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root).slice(0, values.length), values)
    assert.deepStrictEqual(pool.plain(pool.root[39]), ['behind holes'])
  })

  it('may be a list that is longer than the stack is deep', function () {
    this.timeout(600_000)
    let list = null
    for (let i = 0; i < 100_000; i++) list = { i, next: list }
    pool.root = { list }
    list = null
    reopen()
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 100_001 })
    pool.root.list = null
    assert.deepStrictEqual(pool.collect(), { objects: 100_000, kept: 1 })
    assert.strictEqual(entries(), 2)
  })

  it('is not what JavaScript has in its hands', async () => {
    pool.root = { a: { b: { c: 1 } } }
    const { a } = pool.root
    pool.root.a = null
    await turn()
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 3 })
    assert.deepStrictEqual(pool.plain(a), { b: { c: 1 } })
    pool.root.a = a
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root), { a: { b: { c: 1 } } })
  })

  it('is not what an object refers to that is not in the pool', async () => {
    pool.root = { a: { b: { c: 1 } } }
    const outside = pool.create({ list: [{ a: pool.root.a }] })
    pool.root.a = null
    await turn()
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 3 })
    assert.deepStrictEqual(pool.plain(outside), { list: [{ a: { b: { c: 1 } } }] })
    pool.root.outside = outside
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root.outside), { list: [{ a: { b: { c: 1 } } }] })
  })

  it('is not what an object refers to that a transaction took back', async () => {
    pool.root = { a: { b: 1 } }
    let outside
    assert.throws(() => pool.transaction(() => {
      pool.root.outside = [{ a: pool.root.a }]
      outside = pool.root.outside
      throw new Error('no')
    }), /no/)
    pool.root.a = null
    await turn()
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 2 })
    assert.deepStrictEqual(pool.plain(outside), [{ a: { b: 1 } }])
  })

  it('is not collected in a transaction, and changes nothing there', () => {
    pool.root = { a: 1 }
    assert.throws(() => pool.transaction(() => {
      pool.root.a = 2
      pool.collect()
    }), { code: 'PMEMOBJ_IN_TRANSACTION' })
    assert.strictEqual(pool.root.a, 1)
  })

  it('is left where the pool is closed', () => {
    pool.root = { a: {} }
    pool.close()
    assert.throws(() => pool.collect(), { code: 'PMEMOBJ_CLOSED' })
  })

  it('leaves snapshots and other maps alone', () => {
    pool.map('mine').put('key', 'value')
    pool.root = [{}, {}]
    pool.root = null
    reopen()
    const snapshot = pool.snapshot()
    pool.map('mine').put('key', 'new')
    assert.strictEqual(pool.collect().objects, 3)
    const iterator = pool.map('mine').iterator({ snapshot })
    assert.deepStrictEqual(iterator.nextv(2), ['key', 'value'])
    iterator.close()
    assert.strictEqual(pool.map('mine').get('key'), 'new')
    assert.strictEqual(pool.stats().snapshots, 1)
    snapshot.close()
  })
})
