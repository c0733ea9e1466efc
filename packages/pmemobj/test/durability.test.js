'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { run, start } = require('./child')
const { runWorker } = require('./worker')

const MIB = 2 ** 20

// As on an ordinary file system, wherever the pool lies.
const OFF_PMEM = { PMEM_IS_PMEM_FORCE: '0' }

describe('writes that wait for the disk', () => {
  const folder = temporaryFolder()

  it('are seen at once, and their promises resolve, beside big ones', async () => {
    const output = await run(`
      const assert = require('node:assert')
      const pool = Pool.open(process.argv[1])
      const map = pool.map('a')
      assert.strictEqual(pool.stats().isPmem, false)
      async function main () {
        const all = []
        // Undefined where the flush of another has covered it already.
        const note = (name, written) => {
          assert.ok(written === undefined || written instanceof Promise, name)
          all.push(written)
        }
        note('first', map.putAsync('first', '1'))
        assert.ok(all[0] instanceof Promise)
        for (let i = 0; i < 50; i++) {
          note('put ' + i, map.putAsync('k' + i, String(i)))
          assert.strictEqual(map.get('k' + i), String(i))
        }
        note('batch', map.batchAsync(['put', 'b', '1', 'del', 'k0', undefined]))
        note('del', map.delAsync('k1'))
        note('write', pool.writeAsync([map, 'put', 'w', '1']))
        note('clear', map.clearAsync({ gte: 'k2', lt: 'k3' }))
        assert.deepStrictEqual([map.has('b'), map.has('k0'), map.has('k1'), map.has('w'), map.has('k2')], [true, false, false, true, false])
        note('big', map.putAsync('big', 'x'.repeat(${3 * MIB})))
        note('after', map.putAsync('after', '1'))
        map.put('last', '1')
        assert.ok(map.has('big') && map.has('after'))
        assert.deepStrictEqual(new Set(await Promise.all(all)), new Set([undefined]))
        assert.strictEqual(await pool.flushAsync(), undefined)
        const closing = [map.putAsync('close', '1'), map.putAsync('close', '2')]
        pool.close()
        await Promise.all(closing)
        console.log('done')
      }
      main()`, [folder.next()], OFF_PMEM)
    assert.strictEqual(output, 'done\n')
  })

  it('are all there after a kill, once acknowledged', async () => {
    const location = folder.next()
    const child = start(`
      const { writeSync } = require('node:fs')
      const map = Pool.open(process.argv[1]).map('a')
      async function writer (name) {
        for (let i = 0; ; i++) { await map.putAsync(name, String(i)); writeSync(1, name + ' ' + i + '\\n') }
      }
      for (const name of ['a', 'b', 'c', 'd', 'e']) writer(name)`, [location], OFF_PMEM)
    const exit = once(child, 'exit')
    let text = ''
    child.stdout.on('data', chunk => {
      text += chunk
      if (text.length > 4000) child.kill('SIGKILL')
    })
    await exit
    if (!child.stdout.readableEnded) await once(child.stdout, 'end')
    const told = new Map(text.slice(0, text.lastIndexOf('\n')).split('\n').map(line => line.split(' ')))
    const map = Pool.open(location).map('a')
    for (const [name, number] of told) assert.ok(Number(map.get(name)) - Number(number) <= 1 && Number(map.get(name)) >= Number(number))
  })

  it('wait for nothing where they need not be durable yet', async () => {
    const location = folder.next()
    const output = await run(`
      const assert = require('node:assert')
      const pool = Pool.open(process.argv[1], { durability: 'relaxed' })
      const map = pool.map('a')
      assert.strictEqual(map.putAsync('a', '1'), undefined)
      assert.strictEqual(map.batchAsync(['put', 'b', '2']), undefined)
      pool.flush()
      pool.flushAsync().then(() => { console.log(map.getMany(['a', 'b']).join()); process.kill(process.pid, 'SIGKILL') })
    `, [location], OFF_PMEM).catch(error => error.message)
    assert.match(output, /SIGKILL: 1,2/)
    const pool = Pool.open(location)
    assert.deepStrictEqual(pool.map('a').getMany(['a', 'b']), ['1', '2'])
    pool.close()
  })

  it('have one durability in all threads', async () => {
    const pool = Pool.open(folder.next(), { durability: 'relaxed' })
    await runWorker(`
      Pool.open(location).close()
      Pool.open(location, { durability: 'relaxed' }).close()
      try { Pool.open(location, { durability: 'strict' }) } catch (error) { if (error.code === 'PMEMOBJ_INVALID') return; throw error }
      throw new Error('opened')`, pool.path)
    pool.flush()
    await pool.flushAsync()
    pool.close()
    for (const call of [() => pool.flush(), () => pool.flushAsync()]) assert.throws(call, { code: 'PMEMOBJ_CLOSED' })
    for (const durability of ['', 'none', true, null]) assert.throws(() => Pool.open(folder.next(), { durability }), TypeError)
  })
})

describe('the greatest size of a pool', () => {
  const folder = temporaryFolder()

  function fill (map) {
    const full = { code: 'PMEMOBJ_NO_SPACE' }
    let count = 0
    assert.throws(() => { for (;; count++) map.put(`${count}`, Buffer.alloc(100_000)) }, full)
    return count
  }

  it('is raised when a pool is opened with another, and never lowered', () => {
    const location = folder.next()
    let pool = Pool.open(location, { maxSize: 24 * MIB })
    const before = fill(pool.map('a'))
    pool.close()
    for (const [maxSize, expected] of [[undefined, 24], [16 * MIB, 24], [48 * MIB, 48], [undefined, 48]]) {
      pool = Pool.open(location, { maxSize })
      assert.strictEqual(pool.stats().maxSize, expected * MIB)
      pool.close()
    }
    pool = Pool.open(location)
    assert.ok(fill(pool.map('a')) > before * 1.5)
    pool.close()
  })

  it('is what free and largest count to', () => {
    const pool = Pool.open(folder.next(), { maxSize: 64 * MIB })
    const map = pool.map('a')
    const { size, maxSize, used, free, largest } = pool.stats()
    assert.ok(used < size && size < maxSize && free <= maxSize - used && largest <= free)
    assert.ok(largest > 32 * MIB, `${largest}`)
    map.put('largest', Buffer.alloc(largest))
    const after = pool.stats()
    assert.ok(after.free <= free - largest)
    assert.ok(after.largest < largest)
    pool.close()
  })
})
