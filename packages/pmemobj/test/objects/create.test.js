'use strict'

const assert = require('node:assert')
const { isProxy } = require('node:util').types
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

describe('pool.create', () => {
  const pools = temporaryPools()

  it('gives an object that behaves as one of the pool, and is in it when it is assigned', () => {
    const pool = pools.create({})
    const list = pool.create([{ n: 1 }])
    list.push({ n: 2 })
    list[0].list = list
    assert.strictEqual(list[0].list, list)
    pool.root.list = list
    assert.strictEqual(pool.root.list, list)
    list.push(3)
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.list[0].list, root.list)
    assertAlike(root.list.slice(1), [{ n: 2 }, 3])
  })

  it('copies what it is given', () => {
    const pool = pools.create()
    const plain = { deep: [1] }
    const made = pool.create(plain)
    made.deep.push(2)
    assertAlike(plain, { deep: [1] })
    assertAlike(made, { deep: [1, 2] })
  })

  it('gives back what needs no copy', () => {
    const pool = pools.create({ a: {} })
    for (const value of [undefined, null, true, -0, NaN, 1n, 'text']) assert.ok(Object.is(pool.create(value), value))
    assert.strictEqual(pool.create(pool.root.a), pool.root.a)
    const made = pool.create({})
    assert.strictEqual(pool.create(made), made)
  })

  it('copies an object of another pool', () => {
    const one = pools.create({ a: { n: 1 } })
    const two = pools.create({})
    const copy = two.create(one.root.a)
    assert.notStrictEqual(copy, one.root.a)
    copy.n = 2
    assert.strictEqual(one.root.a.n, 1)
  })

  it('may refer to objects of the pool, and to others that were created', () => {
    const pool = pools.create({ a: { n: 1 } })
    const other = pool.create({ other: true })
    const made = pool.create({ a: pool.root.a, other, both: [other, pool.root] })
    assert.strictEqual(made.a, pool.root.a)
    assert.strictEqual(made.both[0], other)
    assert.strictEqual(made.both[1], pool.root)
    pool.root.made = made
    other.other = 'set after it was attached'
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.made.both[1], root)
    assert.strictEqual(root.made.other.other, 'set after it was attached')
  })

  it('is attached through each way in: properties, elements, methods, the root, what is copied', () => {
    const pool = pools.create({ list: [] })
    const objects = Array.from({ length: 6 }, (_, n) => pool.create({ n }))
    pool.root.a = objects[0]
    pool.root.list[0] = objects[1]
    pool.root.list.push(objects[2])
    pool.root.list.splice(1, 0, objects[3])
    Object.assign(pool.root, { assigned: { deep: objects[4] } })
    Object.defineProperty(pool.root, 'defined', { value: objects[5], writable: true, enumerable: true, configurable: true })
    assert.strictEqual(pool.root.assigned.deep, objects[4])
    for (const object of objects) object.later = true
    assertAlike(pools.reopen(pool).root, {
      list: [{ n: 1, later: true }, { n: 3, later: true }, { n: 2, later: true }],
      a: { n: 0, later: true },
      assigned: { deep: { n: 4, later: true } },
      defined: { n: 5, later: true }
    })
  })

  it('is attached with all that it has by then, circles too, at once', () => {
    const pool = pools.create({})
    const a = pool.create({ name: 'a' })
    const b = pool.create({ name: 'b', a })
    a.b = b
    b.list = [a, b, pool.create([b])]
    pool.root.a = a
    const { root } = pools.reopen(pool)
    assert.strictEqual(root.a.b.a, root.a)
    assert.strictEqual(root.a.b.list[2][0], root.a.b)
  })

  it('in a transaction that throws is as it was before, and not attached', () => {
    const pool = pools.create({ n: 1 })
    const made = pool.create({ list: [1] })
    assert.throws(() => pool.transaction(() => {
      made.list.push(2)
      pool.root.made = made
      made.list.push(3)
      throw new RangeError('no')
    }), RangeError)
    assertAlike(pool.root, { n: 1 })
    assertAlike(made, { list: [1] })
    made.list.push(4)
    pool.root.made = made
    assert.strictEqual(pool.root.made, made)
    assertAlike(pools.reopen(pool).root, { n: 1, made: { list: [1, 4] } })
  })

  it('made in a transaction that throws can be used, and attached, afterwards', () => {
    const pool = pools.create({})
    let made
    assert.throws(() => pool.transaction(() => {
      made = pool.create({ deep: { n: 1 } })
      pool.root.a = made
      throw new RangeError('no')
    }), RangeError)
    assertAlike(pool.root, {})
    made.deep.n = 2
    pool.root.b = made
    assertAlike(pools.reopen(pool).root, { b: { deep: { n: 2 } } })
  })

  it('writes nothing until it is attached', () => {
    const pool = pools.create({})
    const before = pool.stats().used
    const made = []
    for (let i = 0; i < 1000; i++) made.push(pool.create({ i, text: 'x'.repeat(100) }))
    assert.strictEqual(pool.stats().used, before)
    assert.strictEqual(made[999].i, 999)
  })

  it('refuses what cannot be kept', () => {
    const pool = pools.create({})
    for (const value of [() => {}, Symbol('s'), new WeakSet(), { deep: [Promise.resolve('x')] }]) assert.throws(() => pool.create(value), TypeError)
    assertAlike(pool.root, {})
  })
})

describe('pool.plain', () => {
  const pools = temporaryPools()

  it('gives a plain copy, all the way down, with sharing and circles', () => {
    const make = () => {
      const shared = { s: [1, , 3] } // eslint-disable-line no-sparse-arrays
      const value = { shared, again: shared, list: [shared, { deep: -0 }], big: 1n, text: 'x'.repeat(1000) }
      value.self = value
      return value
    }
    const pool = pools.create(make())
    const plain = pool.plain(pool.root)
    assertAlike(plain, make())
    for (const value of [plain, plain.shared, plain.shared.s, plain.list, plain.list[1]]) assert.ok(!isProxy(value))
    plain.shared.s.push('not in the pool')
    assertAlike(pool.root, make())
    assertAlike(structuredClone(pool.plain(pool.root)), make())
    pool.close()
    assert.strictEqual(plain.list[0].s[3], 'not in the pool')
  })

  it('gives primitives as they are', () => {
    const pool = pools.create({})
    for (const value of [undefined, null, true, -0, NaN, 1n, 'text']) assert.ok(Object.is(pool.plain(value), value))
  })

  it('gives a copy of what was created, and of a subtree', () => {
    const pool = pools.create({ a: { b: { c: 1 } } })
    assertAlike(pool.plain(pool.create({ x: [1] })), { x: [1] })
    const plain = pool.plain(pool.root.a)
    assertAlike(plain, { b: { c: 1 } })
    assert.ok(!isProxy(plain.b))
  })

  it('gives back what is of no pool', () => {
    const pool = pools.create({ a: {} })
    for (const value of [{ list: [pool.root.a] }, [], new Date(), () => {}]) assert.strictEqual(pool.plain(value), value)
  })
})
