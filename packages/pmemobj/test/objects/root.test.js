'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

describe('pool.root', () => {
  const pools = temporaryPools()

  it('is undefined in a new pool', () => {
    const pool = pools.create()
    assert.strictEqual(pool.root, undefined)
    assert.strictEqual(pools.reopen(pool).root, undefined)
  })

  it('may be any value, and another one later', () => {
    let pool = pools.create()
    for (const value of [{ a: 1 }, [1, [2]], 'text', 'x'.repeat(10_000), 0, -0, NaN, 5n, true, null, undefined, {}, []]) {
      pool.root = value
      assertAlike(pool.root, value)
      pool = pools.reopen(pool)
      assertAlike(pool.root, value)
    }
  })

  it('may be one of the objects below it, and what is above is gone', () => {
    const pool = pools.create({ a: { b: { c: [1] } } })
    const { b } = pool.root.a
    pool.root = b
    assert.strictEqual(pool.root, b)
    pool.root.c.push(2)
    assertAlike(pools.reopen(pool).root, { c: [1, 2] })
  })

  it('may be assigned to itself', () => {
    const pool = pools.create({ a: 1 })
    const { root } = pool
    pool.root = pool.root // eslint-disable-line no-self-assign
    assert.strictEqual(pool.root, root)
    pool.root.self = pool.root
    pool.root = pool.root.self
    assert.strictEqual(pools.reopen(pool).root.a, 1)
  })

  it('may be wrapped', () => {
    const pool = pools.create({ a: 1 })
    const before = pool.root
    pool.root = { before, list: [before] }
    assert.strictEqual(pool.root.before, before)
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.before, root.list[0])
  })

  it('is not what was assigned, but a copy', () => {
    const plain = { a: [1] }
    const pool = pools.create(plain)
    assert.notStrictEqual(pool.root, plain)
    plain.a.push(2)
    assertAlike(pool.root, { a: [1] })
  })

  it('is back when a transaction throws', () => {
    const pool = pools.create({ a: 1 })
    const before = pool.root
    assert.throws(() => pool.transaction(() => {
      pool.root = { b: 2 }
      pool.root.c = 3
      pool.root = 'gone'
      throw new RangeError('no')
    }), RangeError)
    assert.strictEqual(pool.root, before)
    assertAlike(pool.root, { a: 1 })
    assertAlike(pools.reopen(pool).root, { a: 1 })
  })

  it('stays, when what cannot be kept is assigned', () => {
    const pool = pools.create({ a: 1 })
    const before = pool.root
    for (const value of [() => {}, Symbol('s'), { f () {} }, [[new WeakSet()]]]) assert.throws(() => { pool.root = value }, TypeError)
    assert.strictEqual(pool.root, before)
    assertAlike(pools.reopen(pool).root, { a: 1 })
  })

  it('is beside the maps of the pool, which are not among its names, nor it among theirs', () => {
    let pool = pools.create({ a: 1 })
    pool.map('notes').put('a', 'b')
    pool.map('objects').put('1', 'x')
    assert.deepStrictEqual(pool.maps(), ['notes', 'objects'])
    for (const name of ['\0objects', '\0shapes', '\0buffers', '\0undo', '\0anything']) {
      assert.throws(() => pool.map(name), { code: 'PMEMOBJ_INVALID' })
      assert.throws(() => pool.dropMap(name), { code: 'PMEMOBJ_INVALID' })
    }
    pool = pools.reopen(pool)
    assert.deepStrictEqual(pool.maps(), ['notes', 'objects'])
    assert.strictEqual(pool.map('notes').get('a'), 'b')
    assertAlike(pool.root, { a: 1 })
  })
})
