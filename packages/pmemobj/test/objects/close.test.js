'use strict'

const assert = require('node:assert')
const { Pool } = require('../..')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

const closed = { code: 'PMEMOBJ_CLOSED' }

describe('pool.close', () => {
  const pools = temporaryPools()
  const make = () => ({ a: { n: 1 }, list: [1, 2], long: 'x'.repeat(1000), map: new Map([['k', 1]]), set: new Set([1]), when: new Date(1) })

  it('leaves objects that say so, whatever is asked of them', () => {
    const pool = pools.create(make())
    const { root, root: { a, list, map, set, when } } = pool
    const loose = pool.create({ n: 1 })
    assert.strictEqual(root.long.length, 1000)
    pool.close()
    const calls = [
      () => pool.root, () => { pool.root = 1 }, () => pool.create({}), () => pool.create(1), () => pool.transaction(() => {}), () => pool.refresh(),
      () => pool.collect(),
      () => root.a, () => root.long, () => root.missing, () => { root.a = 1 }, () => { root.b = 1 }, () => delete root.a, () => 'a' in root,
      () => Object.keys(root), () => ({ ...root }), () => Object.getOwnPropertyDescriptor(a, 'n'), () => Object.getPrototypeOf(a),
      () => Object.defineProperty(a, 'n', { value: 2 }), () => JSON.stringify(root), () => pool.plain(root), () => a.n, () => { a.n++ },
      () => list.length, () => list[0], () => list[9], () => { list[0] = 1 }, () => list.push(3), () => list.pop(), () => list.sort(), () => [...list],
      () => { list.length = 0 }, () => list.map(value => value), () => delete list[0],
      () => map.get('k'), () => map.set('k', 2), () => map.size, () => [...map], () => map.clear(),
      () => set.has(1), () => set.add(2), () => set.size, () => set.delete(1), () => set.forEach(() => {}),
      () => when.getTime(), () => when.setTime(2), () => when.toISOString(),
      () => { loose.n = 2 }
    ]
    for (const call of calls) assert.throws(call, closed, String(call))
    assertAlike(pools.open(pool.path).root, make())
  })

  it('twice is allowed, and leaves what is a plain copy', () => {
    const pool = pools.create(make())
    const plain = pool.plain(pool.root)
    pool.close()
    pool.close()
    assertAlike(plain, make())
  })

  it('then open gives other objects; those of before stay closed', () => {
    const pool = pools.create(make())
    const { a } = pool.root
    const again = pools.reopen(pool)
    assert.notStrictEqual(again.root.a, a)
    assert.throws(() => a.n, closed)
    assert.throws(() => { again.root.b = a }, closed)
    assertAlike(again.root, make())
  })

  it('in a transaction is an error, and the transaction goes on', () => {
    const pool = pools.create(make())
    let thrown
    pool.transaction(() => {
      pool.root.a.n = 2
      try {
        pool.close()
      } catch (error) {
        thrown = error
      }
      pool.root.a.n = 3
    })
    assert.strictEqual(thrown.code, 'PMEMOBJ_IN_TRANSACTION')
    assert.strictEqual(pools.reopen(pool).root.a.n, 3)
  })

  it('of one pool leaves those of another', () => {
    const one = pools.create(make())
    const two = pools.create(make())
    one.close()
    two.root.a.n = 2
    assert.strictEqual(pools.reopen(two).root.a.n, 2)
  })

  it('is as good as the end of a process: nothing has to be called before', () => {
    const pool = pools.create(make())
    pool.root.list.push(3)
    assertAlike(pools.reopen(pool).root.list, [1, 2, 3])
  })
})

describe('Pool.create', () => {
  const pools = temporaryPools()

  it('fails where there is a pool, and leaves it as it is', () => {
    const pool = pools.create({ a: 1 })
    pool.close()
    assert.throws(() => Pool.create(pool.path), { code: 'PMEMOBJ_EXISTS' })
    assert.throws(() => Pool.create(pool.path, { createIfMissing: false, errorIfExists: false }), { code: 'PMEMOBJ_EXISTS' })
    assertAlike(pools.open(pool.path).root, { a: 1 })
  })

  it('takes sizes with units', () => {
    assert.strictEqual(pools.create({}, { size: '9MiB', maxSize: 0 }).stats().size, 9 * 2 ** 20)
    assert.throws(() => pools.create({}, { size: 'many' }), TypeError)
  })
})
