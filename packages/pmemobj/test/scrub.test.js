'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('..')
const { someBytes } = require('./contents')
const { temporaryFolder } = require('./temporary-folder')

describe('scrub', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  /** A pool of several maps whose last checkpoint has all that is in it. */
  function filled (options) {
    const location = folder.next()
    let pool = Pool.open(location, options)
    const value = i => Buffer.concat([Buffer.from(`value ${i} `), someBytes(i % 7 === 0 ? 20_000 : 300, i + 1)])
    for (const name of ['counts', 'empty', 'notes', 'words']) pool.map(name)
    pool.map('notes').batch(Array.from({ length: 2000 }, (_, i) => ['put', `key ${10_000 + i}`, value(i)]).flat())
    pool.map('words').batch(Array.from({ length: 200 }, (_, i) => ['put', `long ${'k'.repeat(300)} ${i}`, `word ${i}`]).flat())
    pool.map('counts').put('visits', 'many')
    pool.map('words').put('large', someBytes(5 * 2 ** 20, 3))
    pool.close()
    pool = Pool.open(location, options)
    return { pool, location }
  }

  async function pass (pool, bytes) {
    const sum = { steps: 0, bytes: 0, pages: 0, values: 0, faults: [] }
    for (let step; step?.done !== true; sum.steps++) {
      step = await pool.scrub(step, bytes)
      for (const name of ['bytes', 'pages', 'values']) sum[name] += step[name]
      sum.faults.push(...step.faults.map(({ kind, map, key }) => `${kind} ${map} ${key}`))
    }
    return sum
  }

  /** Changes a byte behind each place of some bytes in a pool that is open: the log may have them, too. */
  function flip (location, bytes, beyond = 0) {
    let changed = 0
    for (const name of fs.readdirSync(location).filter(name => name.endsWith('.pmem'))) {
      const file = path.join(location, name)
      const contents = fs.readFileSync(file)
      const handle = fs.openSync(file, 'r+')
      for (let at = contents.indexOf(bytes); at !== -1; at = contents.indexOf(bytes, at + 1)) {
        fs.writeSync(handle, Buffer.from([contents[at + beyond] ^ 4]), 0, 1, at + beyond)
        changed++
      }
      fs.closeSync(handle)
    }
    assert.ok(changed > 0)
  }

  it('reads all of a pool, in steps of any size, and finds nothing wrong', async () => {
    const { pool } = filled()
    const whole = await pass(pool, 2 ** 40)
    assert.strictEqual(whole.steps, 1)
    assert.deepStrictEqual(whole.faults, [])
    assert.ok(whole.values >= 2001 && whole.bytes > 2 ** 20 * 10, JSON.stringify(whole))
    for (const bytes of [1, 5000, 1_000_000]) {
      const steps = await pass(pool, bytes)
      assert.deepStrictEqual([steps.values, steps.faults], [whole.values, []])
      assert.ok(steps.steps > whole.bytes / (bytes + 6 * 2 ** 20), `${steps.steps}`)
      assert.ok(steps.pages >= whole.pages)
    }
    pool.close()
  })

  it('finds what has rotted though it was read before, and names it', async () => {
    const { pool, location } = filled()
    assert.deepStrictEqual((await pass(pool)).faults, [])
    for (const key of ['key 10007', 'key 11999']) assert.ok(pool.map('notes').get(key))
    flip(location, 'value 7 ', 15_000)
    flip(location, 'value 1999 ', 100)
    flip(location, someBytes(5 * 2 ** 20, 3).subarray(0, 1000), 4 * 2 ** 20)
    flip(location, `long ${'k'.repeat(300)} 77`, 250)
    for (const bytes of [2 ** 40, 100_000]) {
      assert.deepStrictEqual(new Set((await pass(pool, bytes)).faults), new Set([
        'value notes key 10007', 'value notes key 11999', 'value words large', `key words long ${'k'.repeat(59)}`
      ]))
    }
    pool.close()
  })

  it('finds pages that have rotted, and goes on beside them', async () => {
    const { pool, location } = filled()
    const before = await pass(pool)
    // The counts' only value lies in its page.
    flip(location, 'visits', 1)
    const { faults, values } = await pass(pool, 10_000)
    assert.deepStrictEqual([faults, values], [['page counts '], before.values])
    pool.close()
  })

  it('decrypts what an encrypted pool has in its files again', async () => {
    const { pool, location } = filled({ key: Buffer.alloc(32, 'secret') })
    const whole = await pass(pool)
    assert.deepStrictEqual(whole.faults, [])
    const keys = [...Array(2000).keys()].map(i => `key ${10_000 + i}`)
    for (const key of keys) assert.ok(pool.map('notes').get(key))
    // The decrypted bytes are in memory, and still right.
    const file = path.join(location, '000000.pmem')
    const handle = fs.openSync(file, 'r+')
    for (let at = 6 * 2 ** 20; at < fs.statSync(file).size - 4096; at += 20_011) fs.writeSync(handle, someBytes(8, at), 0, 8, at)
    fs.closeSync(handle)
    const { faults } = await pass(pool, 100_000)
    assert.ok(faults.length > 20, `${faults.length}`)
    for (const fault of faults) assert.match(fault, /^(value|page|key) (notes|words|counts|) ?/)
    for (const key of keys) assert.ok(pool.map('notes').get(key))
    pool.close()
  })

  it('finds nothing wrong while others write, clear, drop and compact', async () => {
    const { pool } = filled()
    let passes = 0
    const writing = new AbortController()
    const scrubbing = (async () => {
      while (!writing.signal.aborted) {
        assert.deepStrictEqual((await pass(pool, 500_000)).faults, [])
        passes++
      }
    })()
    for (let i = 0; i < 100; i++) {
      const other = pool.map(`other ${i % 3}`)
      for (let k = 0; k < 10; k++) {
        const at = 10_000 + (i * 131 + k * 170) % 3000
        pool.map('notes').batch(Array.from({ length: 10 }, (_, j) => ['put', `key ${at + j}`, someBytes((i * k) % 5000, i + 1)]).flat())
        other.put(`key ${k}`, someBytes(400, k + 1))
      }
      if (i % 10 === 3) pool.map('words').clear()
      if (i % 7 === 5) pool.dropMap(`other ${i % 3}`)
      if (i % 50 === 20) await pool.compact()
      if (i % 40 === 30) pool.map('words').put('large', someBytes(4 * 2 ** 20, i))
      await new Promise(setImmediate)
    }
    writing.abort()
    await scrubbing
    assert.ok(passes > 0)
    pool.close()
  })

  it('ends with the pool, and refuses what is no place', async () => {
    const { pool } = filled()
    const steps = Array.from({ length: 8 }, () => pool.scrub(undefined, 2 ** 40).catch(error => error.code))
    await assert.rejects(pool.scrub({ map: 'notes', key: '' }), TypeError)
    pool.close()
    for (const step of await Promise.all(steps)) assert.ok(step === 'PMEMOBJ_CLOSED' || step === 'PMEMOBJ_INVALID' || step.done, String(step))
    await assert.rejects(pool.scrub(), { code: 'PMEMOBJ_CLOSED' })
  })
})
