'use strict'

const assert = require('node:assert')
const v8 = require('node:v8')
const vm = require('node:vm')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')

/** Collects until `done()`: finalizers run some turns after the collection that found them. */
async function collectUntil (done) {
  while (!done()) {
    collect()
    await new Promise(resolve => setImmediate(resolve))
  }
}

describe('what is not closed but forgotten', () => {
  const folder = temporaryFolder()

  function use (map, count) {
    for (let i = 0; i < count; i++) {
      const iterator = map.iterator()
      assert.strictEqual(iterator.nextv(1)[0], 'a')
    }
  }

  it('iterators are collected, with their snapshots', async () => {
    const pool = Pool.open(folder.next())
    const map = pool.map('a')
    map.put('a', 'b')
    use(map, 100)
    map.put('c', 'd')
    assert.ok(pool.stats().snapshots > 0)
    await collectUntil(() => pool.stats().snapshots === 0)
    pool.close()
  })

  it('snapshots are collected', async () => {
    const pool = Pool.open(folder.next())
    const map = pool.map('a')
    const forget = () => { for (let i = 0; i < 100; i++) { pool.snapshot(); map.put('a', `${i}`) } }
    forget()
    assert.ok(pool.stats().snapshots > 0)
    await collectUntil(() => pool.stats().snapshots === 0)
    pool.close()
  })

  it('a pool is collected, and its lock with it', async () => {
    const location = folder.next()
    const forget = () => {
      const pool = Pool.open(location)
      pool.map('a').put('key', 'value')
      pool.snapshot()
    }
    forget()
    let pool
    await collectUntil(() => {
      try {
        pool = Pool.open(location)
        return true
      } catch (error) {
        assert.strictEqual(error.code, 'PMEMOBJ_IN_USE')
        return false
      }
    })
    assert.strictEqual(pool.map('a').get('key'), 'value')
    pool.close()
  })

  it('an iterator keeps its pool open when it is all that is left', async () => {
    const open = () => {
      const pool = Pool.open(folder.next())
      const map = pool.map('a')
      map.batch(['put', 'a', '1', 'put', 'b', '2'])
      return map.iterator()
    }
    const iterator = open()
    for (let i = 0; i < 5; i++) {
      collect()
      await new Promise(resolve => setImmediate(resolve))
    }
    assert.deepStrictEqual(iterator.nextv(9), ['a', '1', 'b', '2'])
  })

  it('iterators may outlive the close of their pool', async () => {
    const forget = () => {
      const pool = Pool.open(folder.next())
      const map = pool.map('a')
      map.put('a', 'b')
      use(map, 20)
      pool.snapshot()
      pool.close()
      registry.register(pool)
    }
    let gone = false
    const registry = new FinalizationRegistry(() => { gone = true })
    forget()
    await collectUntil(() => gone)
  })
})
