'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { temporaryPools } = require('./temporary-pools')
const { startWorker } = require('../worker')

const index = require.resolve('../..')

describe('a transaction with { snapshot: \'auto\' }', () => {
  const pools = temporaryPools()
  const make = () => ({ n: 0, floats: new Float64Array([1, 2, 3]), bytes: Buffer.from('hello'), none: new Uint8Array(0) })
  const options = { snapshot: 'auto' }
  const no = () => { throw new RangeError('no') }

  it('that throws takes back what was written to views that the program had, and to those that it got', () => {
    const pool = pools.create(make())
    const { floats } = pool.root
    assert.throws(() => pool.transaction(() => {
      floats.fill(7)
      pool.root.bytes.write('world')
      pool.root.n = 1
      no()
    }, options), RangeError)
    assert.deepStrictEqual([[...floats], pool.root.bytes.toString(), pool.root.n], [[1, 2, 3], 'hello', 0])
    const again = pools.reopen(pool)
    assert.deepStrictEqual([[...again.root.floats], again.root.bytes.toString()], [[1, 2, 3], 'hello'])
  })

  it('that ends makes them durable with all else', () => {
    const pool = pools.create(make())
    assert.strictEqual(pool.transaction(() => {
      pool.root.floats[0] = 9
      pool.root.n = 1
      return 'done'
    }, options), 'done')
    const { root } = pools.reopen(pool)
    assert.deepStrictEqual([root.floats[0], root.n], [9, 1])
  })

  it('within another one takes back its own bytes only', () => {
    const pool = pools.create(make())
    const { floats } = pool.root
    pool.transaction(() => {
      floats.buffer.snapshot()
      floats[0] = 5
      assert.throws(() => pool.transaction(() => { floats.fill(8); no() }, options), RangeError)
      assert.deepStrictEqual([...floats], [5, 2, 3])
      floats[1] = 6
    })
    assert.deepStrictEqual([...pools.reopen(pool).root.floats], [5, 6, 3])
  })

  describe('and big buffers', () => {
    const SIZE = 3 * 2 ** 20
    const PLACES = [0, 1, 4096, 8191, 2 ** 20, SIZE - 4097, SIZE - 1]
    const makeBig = () => pools.create({ n: 0, bytes: new Uint8Array(SIZE) })
    const write = ({ root }, value, places = PLACES) => { for (const place of places) root.bytes[place] = value }
    const read = ({ root }) => PLACES.map(place => root.bytes[place])
    const all = value => PLACES.map(() => value)
    const sumOf = ({ root }) => root.bytes.reduce((sum, byte) => sum + byte, 0)

    it('takes back what was written anywhere, and makes it durable', () => {
      const pool = makeBig()
      assert.throws(() => pool.transaction(() => { write(pool, 1); no() }, options), RangeError)
      assert.deepStrictEqual(read(pool), all(0))
      pool.transaction(() => write(pool, 2), options)
      const again = pools.reopen(pool)
      assert.deepStrictEqual([read(again), sumOf(again)], [all(2), 2 * PLACES.length])
    })

    it('costs no copy of the buffer', () => {
      const pool = pools.create({ bytes: new Uint8Array(32 * 2 ** 20) })
      const { bytes } = pool.root
      const { used } = pool.stats()
      pool.transaction(() => { bytes[5_000_000] = 1 }, options)
      assert.ok(pool.stats().used < used + 2 ** 20)
      assert.strictEqual(pools.reopen(pool).root.bytes[5_000_000], 1)
    })

    it('within another one takes back its own bytes only, whichever saves all', () => {
      for (const outer of [options, {}]) {
        const pool = makeBig()
        pool.transaction(() => {
          if (outer !== options) pool.root.bytes.buffer.snapshot()
          write(pool, 1, PLACES.slice(0, 4))
          assert.throws(() => pool.transaction(() => { write(pool, 2); no() }, options), RangeError)
          assert.deepStrictEqual(read(pool), [1, 1, 1, 1, 0, 0, 0])
          pool.transaction(() => {
            write(pool, 3, PLACES.slice(2, 5))
            assert.throws(() => pool.transaction(() => { pool.root.bytes.buffer.snapshot(0, 10); write(pool, 4); no() }), RangeError)
          }, options)
          assert.deepStrictEqual(read(pool).slice(0, 5), [1, 1, 3, 3, 3])
          write(pool, 5, PLACES.slice(6))
          pool.root.n = 1
        }, outer)
        const again = pools.reopen(pool)
        assert.deepStrictEqual([again.root.n, again.root.bytes[0], again.root.bytes[4096], again.root.bytes[SIZE - 1]], [1, 1, 3, 5])
      }
    })

    it('that fails when all inside went well takes back that, too', () => {
      const pool = makeBig()
      assert.throws(() => pool.transaction(() => {
        write(pool, 1, [0, 2 ** 20])
        pool.transaction(() => write(pool, 2, [4096, 2 ** 20]), options)
        write(pool, 3, [8191])
        no()
      }, options), RangeError)
      assert.deepStrictEqual(read(pool), all(0))
      assert.deepStrictEqual(read(pools.reopen(pool)), all(0))
    })

    it('that a pool has no room for has not been', () => {
      const pool = pools.create({ n: 0, bytes: new Uint8Array(SIZE) }, { size: 9 * 2 ** 20, maxSize: 0 })
      pool.root.rest = Array.from({ length: Math.floor(pool.stats().free / 2 ** 20) - 1 }, () => 'x'.repeat(2 ** 20 - 1000))
      assert.throws(() => pool.transaction(() => { pool.root.bytes.fill(1); pool.root.n = 1 }, options), { code: 'PMEMOBJ_NO_SPACE' })
      assert.deepStrictEqual([read(pool), pool.root.n], [all(0), 0])
      pool.transaction(() => write(pool, 2, [0]), options)
      const again = pools.reopen(pool)
      assert.deepStrictEqual([again.root.n, sumOf(again)], [0, 2])
    })

    it('that a process dies in has not been', () => {
      const pool = makeBig()
      pool.close()
      const { signal } = spawnSync(process.execPath, ['-e', `
        const { Pool } = require(${JSON.stringify(index)})
        const pool = Pool.open(${JSON.stringify(pool.path)})
        pool.transaction(() => {
          pool.root.bytes.fill(7)
          pool.transaction(() => { pool.root.bytes.fill(8) }, { snapshot: 'auto' })
          process.kill(process.pid, 'SIGKILL')
          for (;;);
        }, { snapshot: 'auto' })`])
      assert.strictEqual(signal, 'SIGKILL')
      assert.deepStrictEqual(read(pools.open(pool.path)), all(0))
    })

    it('that a thread ends in has not been', async () => {
      const pool = makeBig()
      const worker = startWorker(`
        const pool = Pool.open(location)
        pool.transaction(() => {
          pool.root.bytes.fill(7)
          pool.transaction(() => { pool.root.bytes.fill(8) }, { snapshot: 'auto' })
          process.exit()
        }, { snapshot: 'auto' })`, pool.path)
      pool.close()
      await once(worker, 'exit')
      assert.deepStrictEqual(read(pools.open(pool.path)), all(0))
    })
  })

  it('that a process dies in has not been', () => {
    const pool = pools.create(make())
    pool.close()
    const { signal } = spawnSync(process.execPath, ['-e', `
      const { Pool } = require(${JSON.stringify(index)})
      const pool = Pool.open(${JSON.stringify(pool.path)})
      pool.transaction(() => {
        pool.root.floats.fill(7)
        pool.root.floats.buffer.flush()
        pool.root.n = 1
        process.kill(process.pid, 'SIGKILL')
        for (;;);
      }, { snapshot: 'auto' })`])
    assert.strictEqual(signal, 'SIGKILL')
    const { root } = pools.open(pool.path)
    assert.deepStrictEqual([[...root.floats], root.n], [[1, 2, 3], 0])
  })

  it('without it, and later, bytes are as ever', () => {
    const pool = pools.create(make())
    const { floats } = pool.root
    pool.transaction(() => {}, options)
    assert.throws(() => pool.transaction(() => { floats[0] = 4; no() }), RangeError)
    assert.strictEqual(floats[0], 4)
    assert.throws(() => pool.transaction(() => {}, { snapshot: 'all' }), TypeError)
  })
})

describe('a transaction that only reads', () => {
  const pools = temporaryPools()
  const readOnly = { readOnly: true }

  it('gives what its function does, and refuses to write', () => {
    const pool = pools.create({ n: 1, list: [1] })
    assert.strictEqual(pool.transaction(() => pool.root.n, readOnly), 1)
    for (const write of [() => { pool.root.n = 2 }, () => pool.root.list.push(2), () => pool.create({}), () => pool.transaction(() => {}), () => { pool.root = 1 }]) {
      assert.throws(() => pool.transaction(write, readOnly), { code: 'PMEMOBJ_READ_ONLY' }, String(write))
    }
    assert.throws(() => pool.transaction(() => pool.refresh(), readOnly), { code: 'PMEMOBJ_IN_TRANSACTION' })
    assert.throws(() => pool.transaction(async () => {}, readOnly), TypeError)
    pool.root.n = 2
    assert.deepStrictEqual(pool.transaction(() => pool.transaction(() => [pool.root.n, ...pool.root.list], readOnly), readOnly), [2, 1])
    pool.transaction(() => {
      pool.root.n = 3
      assert.strictEqual(pool.transaction(() => pool.root.n, readOnly), 3)
    })
  })

  it('in another thread sees one state, the latest, in each of many within one turn', async () => {
    const pool = pools.create({ a: 0, b: 0, list: [] })
    const shared = new Int32Array(new SharedArrayBuffer(8))
    const worker = startWorker(`
      const pool = Pool.open(location)
      const look = () => pool.transaction(() => {
        const { a } = pool.root
        for (let i = 0; i < 1000; i++);
        return [a, pool.root.b, pool.root.list.length]
      }, { readOnly: true })
      let seen = 0, last = -1
      Atomics.store(data, 0, 1)
      Atomics.notify(data, 0)
      while (last < 500) {
        const [a, b, length] = look()
        if (a !== b || length !== a || a < last) throw new Error([a, b, length, last].join())
        if (a !== last) seen++
        last = a
        if (a > 0 && Atomics.exchange(data, 1, 1) === 0) Atomics.notify(data, 1)
      }
      parentPort.postMessage(seen)
      pool.close()`, pool.path, shared)
    Atomics.wait(shared, 0, 0, 30_000)
    const told = once(worker, 'message')
    const ended = once(worker, 'exit')
    const commit = i => pool.transaction(() => { pool.root.a = i; pool.root.list.push(i); pool.root.b = i })
    for (let i = 1; i <= 250; i++) commit(i)
    Atomics.wait(shared, 1, 0, 30_000)
    for (let i = 251; i <= 500; i++) commit(i)
    const [seen] = await told
    assert.ok(seen > 1, String(seen))
    await ended
  })
})
