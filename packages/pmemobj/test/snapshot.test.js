'use strict'

const assert = require('node:assert')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

describe('a snapshot', () => {
  const folder = temporaryFolder()
  let pool
  let map

  beforeEach(() => {
    pool = Pool.open(folder.next())
    map = pool.map('a')
    map.batch(['put', 'x', '1', 'put', 'y', '2'])
  })

  afterEach(() => pool.close())

  it('stays as it was, in every map', () => {
    const other = pool.map('b')
    other.put('k', 'old')
    const snapshot = pool.snapshot()
    pool.write([map, 'del', 'x', undefined, map, 'put', 'z', '3', other, 'put', 'k', 'new'])
    assert.deepStrictEqual(map.getMany(['x', 'y', 'z'], { snapshot }), ['1', '2', undefined])
    assert.deepStrictEqual(map.hasMany(['x', 'z'], { snapshot }), [true, false])
    assert.strictEqual(map.has('x', { snapshot }), true)
    assert.deepStrictEqual(map.get('x', { snapshot, encoding: 'buffer' }), Buffer.from('1'))
    assert.strictEqual(other.get('k', { snapshot }), 'old')
    assert.deepStrictEqual(map.iterator({ snapshot }).nextv(9), ['x', '1', 'y', '2'])
    assert.deepStrictEqual(map.iterator().nextv(9), ['y', '2', 'z', '3'])
    snapshot.close()
  })

  it('does not know a map that is younger', () => {
    const snapshot = pool.snapshot()
    const young = pool.map('young')
    young.put('k', 'v')
    assert.strictEqual(young.get('k', { snapshot }), undefined)
    assert.deepStrictEqual(young.iterator({ snapshot }).nextv(9), [])
    snapshot.close()
  })

  it('still has a map that was dropped', () => {
    const snapshot = pool.snapshot()
    pool.dropMap('a')
    assert.strictEqual(map.get('x', { snapshot }), '1')
    snapshot.close()
  })

  it('keeps its state through many writes, beside other snapshots', () => {
    const snapshots = []
    for (let i = 0; i < 50; i++) {
      map.put('n', `${i}`)
      map.batch(Array.from({ length: 100 }, (_, j) => ['put', `${j}`, `${i} `.repeat(50)]).flat())
      snapshots.push(pool.snapshot())
    }
    for (let i = 0; i < 50; i += 2) snapshots[i].close()
    for (let i = 0; i < 500; i++) map.put(`${i % 100}`, 'later'.repeat(100))
    for (let i = 1; i < 50; i += 2) {
      const snapshot = snapshots[i]
      assert.strictEqual(map.get('n', { snapshot }), `${i}`)
      for (let j = 0; j < 100; j++) assert.strictEqual(map.get(`${j}`, { snapshot }), `${i} `.repeat(50))
    }
    for (const snapshot of snapshots) snapshot.close()
    assert.strictEqual(pool.stats().snapshots, 0)
  })

  it('gives its room back when it is closed', () => {
    map.put('big', Buffer.alloc(2 ** 20))
    const { used } = pool.stats()
    const snapshot = pool.snapshot()
    map.put('big', Buffer.alloc(2 ** 20, 1))
    assert.ok(pool.stats().used > used + 2 ** 19)
    snapshot.close()
    map.put('small', '')
    assert.ok(pool.stats().used < used + 2 ** 19)
  })

  it('may be closed twice, and is then closed, but not for its iterators', () => {
    const snapshot = pool.snapshot()
    const iterator = map.iterator({ snapshot })
    map.clear()
    snapshot.close()
    snapshot.close()
    assert.throws(() => map.get('x', { snapshot }), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => map.iterator({ snapshot }), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => map.clear({ snapshot }), { code: 'PMEMOBJ_CLOSED' })
    assert.deepStrictEqual(iterator.nextv(9), ['x', '1', 'y', '2'])
  })
})
