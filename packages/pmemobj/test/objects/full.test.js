'use strict'

const assert = require('node:assert')
const { assertAlike } = require('./alike')
const { temporaryPools } = require('./temporary-pools')

const full = { code: 'PMEMOBJ_NO_SPACE' }

describe('a pool without room', () => {
  const pools = temporaryPools()

  /** One with so little room that nothing of a megabyte has a place, and a plain copy of its root. */
  function fill () {
    const pool = pools.create({ list: [], a: { n: 1 }, map: new Map([['k', 1]]), set: new Set(['x']), when: new Date(7), blobs: [] }, { size: '8MiB', maxSize: 0 })
    assert.throws(() => { for (;;) pool.root.blobs.push('x'.repeat(200_000)) }, full)
    return { pool, plain: pool.plain(pool.root) }
  }

  const big = 'y'.repeat(2 ** 20)
  const operations = {
    'a property': root => { root.a.n = big },
    'a new property': root => { root.a.more = big },
    'an object': root => { root.a = { deep: [{ n: 1 }, big] } },
    'elements, short ones first': root => root.list.push(1, { n: 2 }, big),
    'a splice': root => root.blobs.splice(0, 0, 'first', big),
    'a map\'s value': root => root.map.set('k', big),
    'a map\'s key': root => root.map.set(big, 1),
    'a set\'s element': root => root.set.add(big),
    'a great many objects': root => { root.list = Array.from({ length: 50_000 }, (_, n) => ({ n, text: `text ${n}`.repeat(10) })) }
  }

  for (const [kind, operation] of Object.entries(operations)) {
    it(`refuses ${kind}, and has what it had`, () => {
      const { pool, plain } = fill()
      const { root } = pool
      const { a, list } = root
      for (let round = 0; round < 3; round++) {
        assert.throws(() => operation(root), full)
        assertAlike(root, plain)
      }
      assert.ok(root.a === a && root.list === list)
      assertAlike(pools.reopen(pool).root, plain)
    })
  }

  it('takes back all of a transaction that does not fit, in memory as in the pool', () => {
    const { pool, plain } = fill()
    const made = pool.create({ n: 1 })
    assert.throws(() => pool.transaction(() => {
      pool.root.a.n = 2
      pool.root.made = made
      pool.root.list.push({ n: 3 })
      pool.root.map.delete('k')
      pool.root.set.clear()
      pool.root.when.setTime(8)
      pool.root.blobs.length = 1
      pool.root = { before: pool.root, big: big.repeat(8) }
    }), full)
    assertAlike(pool.root, plain)
    assertAlike(made, { n: 1 })
    assertAlike(pools.reopen(pool).root, plain)
  })

  it('refuses a new root, and keeps the old one', () => {
    const { pool, plain } = fill()
    assert.throws(() => { pool.root = { big: big.repeat(8) } }, full)
    assertAlike(pool.root, plain)
    assertAlike(pools.reopen(pool).root, plain)
  })

  it('has room again when something was deleted', () => {
    const { pool } = fill()
    const count = pool.root.blobs.length
    pool.root.blobs.length = count >> 1
    for (let i = 2; i < count >> 1; i++) pool.root.list.push({ works: 'z'.repeat(200_000) })
    const { root } = pools.reopen(pool)
    assert.deepStrictEqual([root.blobs.length, root.list.length], [count >> 1, (count >> 1) - 2])
    assert.ok(root.list.every(({ works }) => works === 'z'.repeat(200_000)))
  })

  it('has room again when garbage was collected', () => {
    const pool = pools.create({ list: [] }, { size: '8MiB', maxSize: 0, collect: false })
    assert.throws(() => { for (;;) pool.root.list.push({ text: 'x'.repeat(200), more: 'x'.repeat(100_000) }) }, full)
    const count = pool.root.list.length
    pool.root.list.length = 0
    const again = pools.reopen(pool)
    assert.ok(again.collect().objects >= count)
    for (let i = 0; i < count - 2; i++) again.root.list.push({ text: 'x'.repeat(200), more: 'y'.repeat(100_000) })
    assert.strictEqual(pools.reopen(again).root.list.length, count - 2)
  })
})
