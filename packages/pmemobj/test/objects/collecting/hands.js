'use strict'

// Tests of what is collected once JavaScript has let go of it. To be run with --expose-gc, in a process of its own.

const assert = require('node:assert')
const { setImmediate: turn } = require('node:timers/promises')
const { Pool } = require('../../..')

async function sweepUp () {
  await turn()
  globalThis.gc()
}

async function main (location) {
  const pool = Pool.create(location, { collect: false })
  const collected = async () => {
    await sweepUp()
    return pool.collect().objects
  }
  const tree = () => ({ b: { c: [{}] } })

  pool.root = { a: tree() }
  let a = pool.root.a
  let c = a.b.c
  pool.root.a = null
  assert.strictEqual(await collected(), 0)
  assert.strictEqual(Object.keys(a).length, 1)
  a = undefined
  assert.strictEqual(await collected(), 2)
  assert.strictEqual(c.length, 1)
  c = undefined
  assert.strictEqual(await collected(), 2)

  // By an object that is not in the pool.
  pool.root.a = tree()
  let outside = pool.create([[pool.root.a]])
  pool.root.a = null
  assert.strictEqual(await collected(), 0)
  assert.deepStrictEqual(pool.plain(outside), [[tree()]])
  outside = undefined
  assert.strictEqual(await collected(), 4)

  // By one that a transaction had put there, and took back.
  pool.root.a = tree()
  try {
    pool.transaction(() => {
      pool.root.outside = [pool.root.a]
      outside = pool.root.outside
      throw new Error('no')
    })
  } catch {}
  pool.root.a = null
  assert.strictEqual(await collected(), 0)
  assert.deepStrictEqual(pool.plain(outside), [tree()])
  outside = undefined
  assert.strictEqual(await collected(), 4)

  // By an iterator, a view, and a Map's key.
  pool.root.map = new Map([['a', tree()], ['b', {}]])
  let iterator = pool.root.map.values()
  iterator.next()
  delete pool.root.map
  assert.strictEqual(await collected(), 0)
  assert.deepStrictEqual(pool.plain(iterator.next().value), {})
  iterator = undefined
  assert.strictEqual(await collected(), 6)
  pool.root.bytes = new Uint8Array([1, 2, 3])
  let part = pool.root.bytes.subarray(1)
  delete pool.root.bytes
  await collected()
  assert.deepStrictEqual([...part], [2, 3])
  part[0] = 5
  assert.deepStrictEqual([...part], [5, 3])
  part = undefined
  // V8 tells of an ArrayBuffer that is gone a little later.
  while (pool.collect().kept > 1) await sweepUp()
  pool.close()
}

main(process.argv[2]).catch(error => {
  console.error(error)
  process.exitCode = 1
})
