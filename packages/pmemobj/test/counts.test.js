'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

/** A generator of numbers from 0 to 1, the same each time. @param {number} seed */
function randomNumbers (seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32
  }
}

describe('counts of a map', () => {
  const folder = temporaryFolder()
  const random = randomNumbers(7)
  const below = limit => Math.floor(random() * limit)
  const nameOf = number => `key ${String(number).padStart(6, '0')}`
  let pool
  let map
  let keys

  before(() => {
    pool = Pool.open(folder.next())
    map = pool.map('numbers')
    keys = Array.from({ length: 5000 }, (_, i) => nameOf(i * 2))
    map.batch(keys.flatMap(key => ['put', key, 'value']))
  })

  after(() => pool.close())

  const inRange = ({ gt, gte, lt, lte }) => keys.filter(key =>
    (gte !== undefined ? key >= gte : gt === undefined || key > gt) && (lte !== undefined ? key <= lte : lt === undefined || key < lt))

  it('are those of every kind of range', () => {
    assert.strictEqual(map.count(), keys.length)
    for (let i = 0; i < 200; i++) {
      const [low, high] = [nameOf(below(10_100)), nameOf(below(10_100))]
      for (const range of [{ gt: low, lt: high }, { gte: low, lt: high }, { gt: low, lte: high }, { gte: low, lte: high }, { gt: low }, { lte: high }]) {
        assert.strictEqual(map.count(range), inRange(range).length, JSON.stringify(range))
      }
    }
    assert.strictEqual(map.count({ gte: Buffer.from(nameOf(10)), lte: Buffer.from(nameOf(20)) }), 6)
    assert.strictEqual(pool.map('nothing').count(), 0)
  })

  it('are those of a snapshot, whatever is written meanwhile', () => {
    const snapshot = pool.snapshot()
    const range = { gte: nameOf(1000), lt: nameOf(2000), snapshot }
    map.clear({ gte: nameOf(1200), lt: nameOf(1300) })
    assert.strictEqual(map.count(range), 500)
    assert.strictEqual(map.count({ ...range, snapshot: undefined }), 450)
    snapshot.close()
    map.batch(Array.from({ length: 50 }, (_, i) => ['put', nameOf(1200 + 2 * i), 'value']).flat())
    assert.strictEqual(map.count({ ...range, snapshot: undefined }), 500)
  })

  it('stay right through single writes', () => {
    const others = pool.map('others')
    const there = new Set()
    for (let i = 0; i < 3000; i++) {
      const key = nameOf(below(700))
      if (random() < 0.6) {
        others.put(key, 'x'.repeat(below(90)))
        there.add(key)
      } else {
        others.del(key)
        there.delete(key)
      }
      if (i % 20 !== 0) continue
      const bound = nameOf(below(700))
      assert.strictEqual(others.count({ lt: bound }), [...there].filter(each => each < bound).length)
    }
  })

  it('let an iterator leave out entries, both ways', () => {
    for (const reverse of [false, true]) {
      const range = { gt: nameOf(500), lte: nameOf(9000) }
      const expected = inRange(range)
      if (reverse) expected.reverse()
      for (let i = 0; i < 100; i++) {
        const iterator = map.iterator({ ...range, reverse, values: false })
        let at = 0
        for (let step = 0; step < 5; step++) {
          const count = below(i % 2 === 0 ? 30 : 1500)
          assert.strictEqual(iterator.skip(count), true)
          at += count
          assert.deepStrictEqual(iterator.nextv(3), expected.slice(at, at + 3))
          at += 3
        }
        iterator.close()
      }
    }
  })

  it('refuse what is no count, a closed iterator, and a transaction that changes the map', () => {
    const iterator = map.iterator()
    for (const count of [-1, 0.5, NaN, '3', undefined]) assert.throws(() => iterator.skip(count), TypeError)
    iterator.close()
    assert.throws(() => iterator.skip(1), { code: 'PMEMOBJ_CLOSED' })
    pool.transaction(() => {
      map.put('zzz', 'later')
      assert.throws(() => map.count(), { code: 'PMEMOBJ_IN_TRANSACTION' })
    })
    assert.strictEqual(map.count({ gte: 'zzz' }), 1)
    map.del('zzz')
  })
})
