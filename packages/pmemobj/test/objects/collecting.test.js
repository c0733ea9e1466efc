'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const { promisify } = require('node:util')
const { Pool } = require('../..')
const { Heap } = require('../../lib/objects/heap/heap')
const { Collection } = require('../../lib/objects/collector/collection')
const { temporaryFolder } = require('../temporary-folder')
const { run, start } = require('../child')

const RUNS = process.env.COLLECT_RUNS ?? '15'

/** Runs a script of the folder beside, in a process where `gc()` is to be had. */
async function runScript (name, ...args) {
  await promisify(execFile)(process.execPath, ['--expose-gc', path.join(__dirname, 'collecting', name), ...args])
}

describe('collecting garbage', function () {
  this.timeout(Math.max(600_000, 1000 * Number(RUNS)))
  const folder = temporaryFolder()
  const objects = count => Array.from({ length: count }, (_, i) => ({ i, inner: {} }))

  it('begins where JavaScript lets go', async () => {
    await runScript('hands.js', folder.next())
  })

  it('finds all garbage and nothing else, whatever programs do between its steps', async () => {
    await runScript('program.js', folder.next(), RUNS)
  })

  it('happens by itself, in the background', async () => {
    const location = folder.next()
    const pool = Pool.create(location)
    pool.root = { list: objects(3000), keep: objects(100) }
    const { used } = pool.stats()
    pool.root.list = null
    // Many references that went are a reason to begin at once.
    for (let i = 0; i < 1100; i++) pool.root.n = { i }
    while (pool.stats().used > used / 2) {
      pool.root.now = Date.now()
      await turn()
    }
    assert.deepStrictEqual(pool.plain(pool.root.keep), objects(100))
    assert.deepStrictEqual(pool.plain(pool.root.n), { i: 1099 })
    pool.close()
    const again = Pool.open(location)
    assert.ok(again.collect().objects < 1100)
    again.close()
  })

  it('finds what went with a single reference, and gives its room back without a write', async () => {
    const pool = Pool.create(folder.next())
    pool.root = { list: objects(3000), keep: objects(10) }
    const { used } = pool.stats()
    pool.root.list = null
    while (pool.stats().used > used / 4) await turn()
    assert.deepStrictEqual(pool.plain(pool.root), { list: null, keep: objects(10) })
    pool.close()
  })

  it('finds what an earlier process has left', async () => {
    const location = folder.next()
    let pool = Pool.create(location)
    pool.root = { list: objects(3000) }
    pool.root.list = null
    const { used } = pool.stats()
    pool.close()
    pool = Pool.open(location)
    pool.root.now = 1
    while (pool.stats().used > used / 4) await turn()
    pool.close()
  })

  it('finds what JavaScript lets go of later, though nothing is dropped then', async () => {
    const pool = Pool.create(folder.next())
    pool.root = { list: objects(3000) }
    const { used } = pool.stats()
    let held = [...pool.root.list]
    pool.root.list = null
    while (pool.stats().snapshots === 0) await turn()
    while (pool.stats().snapshots > 0) await turn()
    assert.strictEqual(held[2999].i, 2999)
    held = null
    while (pool.stats().used > used / 4) await turn()
    pool.close()
  })

  it('does so in small steps, between which others have their turns', async () => {
    const pool = Pool.create(folder.next())
    pool.root = { list: objects(20_000) }
    for (let i = 0; i < 1100; i++) pool.root.n = {}
    let turns = 0
    while (pool.stats().snapshots === 0) await turn()
    for (; pool.stats().snapshots > 0; turns++) {
      pool.root.list[turns % 20_000].i = turns
      await turn()
    }
    assert.ok(turns >= 5, `${turns} turns`)
    pool.close()
  })

  it('does not, where that was not wanted', async () => {
    const pools = [Pool.create(folder.next(), { collect: false }), Pool.create(folder.next())]
    for (const pool of pools) {
      pool.root = {}
      for (let i = 0; i < 3000; i++) pool.root.n = { i }
    }
    const used = pools.map(pool => pool.stats().used)
    while (pools[1].stats().used >= used[1]) {
      pools[1].root.now = Date.now()
      await turn()
    }
    assert.strictEqual(pools[0].stats().used, used[0])
    assert.strictEqual(pools[0].collect().objects, 2999)
    for (const pool of pools) pool.close()
  })

  it('does not keep a process alive', async () => {
    const output = await run(`
      const pool = Pool.create(process.argv[1])
      pool.root = { list: Array.from({ length: 100000 }, (_, i) => ({ i })) }
      for (let i = 0; i < 3000; i++) pool.root.n = { i }
      const look = () => {
        if (pool.stats().snapshots === 0) return setImmediate(look)
        process.on('exit', () => console.log(pool.stats().snapshots > 0 ? 'under way' : 'done'))
      }
      look()`, [folder.next()])
    assert.strictEqual(output, 'under way\n')
  })

  it('is left by close() wherever it is, and begins anew after it', async () => {
    const location = folder.next()
    let pool = Pool.create(location)
    pool.root = { keep: objects(50), list: objects(2000) }
    pool.root.list = null
    pool.close()
    for (let steps = 1, objects = 0; ; steps++) {
      pool = Pool.open(location, { collect: false })
      const heap = new Heap(Pool.handleOf(pool), { collect: false })
      heap.claim()
      const collection = new Collection(heap)
      let more = true
      for (let i = 0; i < steps && more; i++) more = collection.step()
      collection.close()
      assert.strictEqual(pool.stats().snapshots, 0)
      assert.strictEqual(collection.step(), false)
      objects += collection.objects
      pool.close()
      if (more) continue
      assert.strictEqual(objects, 4001)
      break
    }
    pool = Pool.open(location)
    assert.deepStrictEqual(pool.plain(pool.root.keep), objects(50))
    assert.deepStrictEqual(pool.collect(), { objects: 0, kept: 102 })
    pool.close()
  })

  it('loses and leaks nothing where the process is killed', async () => {
    const location = folder.next()
    Pool.create(location).close()
    for (const steps of [1, 5, 9, 14, 20, 27]) {
      const child = start(`
        const pool = Pool.open(process.argv[1])
        const make = n => ({ n, list: Array.from({ length: 40 }, (_, i) => ({ i, text: 'text '.repeat(60) })) })
        async function main () {
          pool.root ??= { slots: [] }
          for (let n = 0; ; n++) {
            pool.root.slots[n % 50] = make(n)
            for (let i = 0; i < 100; i++) pool.root.other = { i }
            if (pool.stats().snapshots > 0) console.log('collecting')
            await new Promise(setImmediate)
          }
        }
        main()`, [location])
      const exit = once(child, 'exit')
      // Each time after another number of steps.
      let seen = 0
      for await (const chunk of child.stdout) {
        seen += String(chunk).split('\n').length - 1
        if (seen >= steps) break
      }
      child.kill('SIGKILL')
      await exit
      const pool = Pool.open(location)
      const slots = pool.plain(pool.root.slots)
      for (const { n, list } of slots) {
        assert.ok(Number.isInteger(n))
        assert.deepStrictEqual(list, Array.from({ length: 40 }, (_, i) => ({ i, text: 'text '.repeat(60) })))
      }
      const { kept } = pool.collect()
      assert.strictEqual(kept, 3 + 42 * slots.length)
      assert.deepStrictEqual(pool.collect(), { objects: 0, kept })
      pool.close()
    }
  })
})
