'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const fs = require('node:fs')
const { Pool } = require('..')
const { temporaryFolder } = require('./temporary-folder')
const { run } = require('./child')
const { startWorker, runWorker } = require('./worker')

const MIB = 2 ** 20

// How two threads take turns without an event loop between: `turn` is whose it is. A notice may
// come late, so what it says is looked up.
const turns = `
  const turn = new Int32Array(data)
  const mine = () => { while (Atomics.load(turn, 0) === 0) Atomics.wait(turn, 0, 0) }
  const yours = () => { Atomics.store(turn, 0, 0); Atomics.notify(turn, 0) }
`

class Turns {
  buffer = new SharedArrayBuffer(4)
  #turn = new Int32Array(this.buffer)

  /** Lets the worker go on, and waits until it says `yours()`. */
  pass () {
    Atomics.store(this.#turn, 0, 1)
    Atomics.notify(this.#turn, 0)
    while (Atomics.load(this.#turn, 0) === 1) Atomics.wait(this.#turn, 0, 1)
  }
}

describe('a pool that several threads have open', function () {
  this.timeout(600_000)
  const folder = temporaryFolder()

  it('is one: each sees what the others wrote', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const map = pool.map('a')
    map.put('from', 'main')
    const code = await runWorker(`
      const pool = Pool.open(location)
      const map = pool.map('a')
      map.put('seen', map.get('from'))
      pool.map('b').put('made', 'by a worker')
      pool.close()`, location)
    assert.strictEqual(code, 0)
    assert.strictEqual(map.get('seen'), 'main')
    assert.deepStrictEqual(pool.maps(), ['a', 'b'])
    assert.strictEqual(pool.map('b').get('made'), 'by a worker')
    pool.close()
  })

  it('is the same by another name', async () => {
    const [location, link] = [folder.next(), folder.next()]
    const pool = Pool.open(location)
    fs.symlinkSync(location, link)
    await runWorker("Pool.open(location + '/').map('a').put('key', 'value')", link)
    assert.strictEqual(pool.map('a').get('key'), 'value')
    pool.close()
    assert.throws(() => Pool.open(link, { errorIfExists: true }), { code: 'PMEMOBJ_EXISTS' })
  })

  it('opens for all that open it at once', async () => {
    const location = folder.next()
    const open = "Pool.open(location).map('a').put(data, data)"
    const codes = await Promise.all(['1', '2', '3', '4'].map(data => runWorker(open, location, data)))
    assert.deepStrictEqual(codes, [0, 0, 0, 0])
    const pool = Pool.open(location, { createIfMissing: false })
    assert.deepStrictEqual(pool.map('a').iterator({ values: false }).nextv(9), ['1', '2', '3', '4'])
    pool.close()
  })

  it('never shows one thread what another has already replaced', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const map = pool.map('a')
    map.put('n', '0')
    const sync = new Turns()
    const worker = startWorker(`${turns}
      const map = Pool.open(location).map('a')
      for (let n = 1; n <= 500; n++) {
        mine()
        if (map.get('n') !== String(2 * n - 1)) throw new Error('stale: ' + map.get('n'))
        map.put('n', String(2 * n))
        if (map.get('n') !== String(2 * n)) throw new Error('own write not seen')
        yours()
      }`, location, sync.buffer)
    const exit = once(worker, 'exit')
    await once(worker, 'online')
    for (let n = 1; n <= 500; n++) {
      assert.strictEqual(map.get('n'), String(2 * n - 2))
      map.put('n', String(2 * n - 1))
      assert.strictEqual(map.get('n'), String(2 * n - 1))
      sync.pass()
    }
    assert.deepStrictEqual(await exit, [0])
    pool.close()
  })

  it('pins nothing for a thread that has read and does something else', async () => {
    const location = folder.next()
    const pool = Pool.open(location, { size: 16 * MIB, maxSize: 0 })
    const map = pool.map('a')
    const value = index => Buffer.alloc(2 * MIB, index)
    map.put('big', value(0))
    const sync = new Turns()
    const worker = startWorker(`${turns}
      const map = Pool.open(location).map('a')
      for (let turn = 0; turn < 2; turn++) {
        mine()
        map.get('big')
        map.getMany(['big'])
        yours()
      }`, location, sync.buffer)
    const exit = once(worker, 'exit')
    await once(worker, 'online')
    sync.pass()
    // There is no room for a third beside the one in use and the one that is written.
    for (let i = 1; i < 30; i++) map.put('big', value(i))
    assert.strictEqual(pool.stats().snapshots, 0)
    sync.pass()
    await exit
    pool.close()
  })

  it('keeps what all of them write', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const map = pool.map('a')
    const write = `
      const pool = Pool.open(location)
      const map = pool.map('a')
      for (let i = 0; i < 1000; i++) {
        map.put(data + i, 'v'.repeat(i % 300))
        if (i % 10 === 0) await Promise.all([map.batchAsync(['put', data + 'x' + i, 'x', 'del', data + 'x' + (i - 10), undefined]), map.putAsync(data + 'y', String(i))])
        if (i % 7 === 0) map.iterator({ gte: data }).nextv(20)
        if (i % 100 === 0) { const all = pool.snapshot(); map.clear({ gte: data + 'z', lt: data + 'zz' }); all.close() }
      }`
    const workers = ['a', 'b', 'c'].map(data => runWorker(write, location, data))
    for (let i = 0; i < 1000; i++) map.put(`m${i}`, 'v')
    assert.deepStrictEqual(await Promise.all(workers), [0, 0, 0])
    const rows = map.iterator({ keys: true, values: false }).nextv(10_000)
    assert.strictEqual(rows.length, 4 * 1000 + 3 * 2)
    for (const data of ['a', 'b', 'c']) {
      assert.deepStrictEqual([map.get(`${data}y`), map.get(`${data}x990`), map.get(`${data}999`)], ['990', 'x', 'v'.repeat(99)])
    }
    pool.close()
  })

  it('drops no map that one of them holds', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const inUse = { code: 'PMEMOBJ_IN_USE' }
    pool.hold('a').put('key', 'value')
    assert.throws(() => pool.hold('a'), inUse)
    assert.throws(() => pool.dropMap('a'), inUse)
    const worker = startWorker(`
      const pool = Pool.open(location)
      pool.hold('a')
      pool.hold('b')
      parentPort.postMessage('held')
      parentPort.once('message', () => pool.close())`, location)
    await once(worker, 'message')
    pool.release('a')
    for (const name of ['a', 'b']) {
      assert.throws(() => pool.dropMap(name), inUse)
      assert.throws(() => pool.hold(name, { alone: true }), inUse)
    }
    assert.strictEqual(pool.map('a').get('key'), 'value')
    worker.postMessage('end')
    await once(worker, 'exit')
    pool.dropMap('b')
    pool.hold('a', { alone: true })
    await assert.rejects(runWorker('Pool.open(location).hold("a")', location), inUse)
    pool.dropMap('a')
    assert.deepStrictEqual(pool.maps(), [])
    pool.close()
  })

  it('is closed by the last one', async () => {
    const location = folder.next()
    const open = `
      try {
        const pool = Pool.open(${JSON.stringify(location)})
        console.log(pool.map('a').get('key'))
        pool.close()
      } catch (error) {
        console.log(error.code)
      }`
    const pool = Pool.open(location)
    pool.map('a').put('key', 'value')
    const worker = startWorker(`
      const pool = Pool.open(location)
      parentPort.postMessage('open')
      parentPort.once('message', () => pool.close())`, location)
    await once(worker, 'message')
    pool.close()
    assert.strictEqual(await run(open, []), 'PMEMOBJ_IN_USE\n')
    const again = Pool.open(location)
    assert.strictEqual(again.map('a').get('key'), 'value')
    again.close()
    worker.postMessage('close')
    await once(worker, 'exit')
    assert.strictEqual(await run(open, []), 'value\n')
  })

  it('is refused twice in one thread, and to those who want it alone', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const refused = `
      const codes = []
      const attempt = action => { try { action() } catch (error) { codes.push(error.code) } }
      attempt(() => Pool.destroy(location))
      const pool = Pool.open(location)
      attempt(() => Pool.open(location))
      attempt(() => Pool.destroy(location))
      pool.close()
      attempt(() => Pool.open(location, { errorIfExists: true }))
      parentPort.postMessage(codes)`
    const worker = startWorker(refused, location)
    const [codes] = await once(worker, 'message')
    assert.deepStrictEqual(codes, ['PMEMOBJ_IN_USE', 'PMEMOBJ_IN_USE', 'PMEMOBJ_IN_USE', 'PMEMOBJ_EXISTS'])
    pool.close()
    Pool.destroy(location)
  })

  it('is another pool when its files are replaced', async () => {
    const location = folder.next()
    const old = Pool.open(location)
    old.map('a').put('key', 'old')
    fs.renameSync(location, location + '-moved')
    await runWorker("const map = Pool.open(location).map('a'); if (map.get('key') !== undefined) throw new Error(map.get('key')); map.put('key', 'new')", location)
    assert.strictEqual(old.map('a').get('key'), 'old')
    old.close()
    const pool = Pool.open(location)
    assert.strictEqual(pool.map('a').get('key'), 'new')
    pool.close()
  })

  it('survives threads that are terminated in the middle of anything', async () => {
    const location = folder.next()
    const pool = Pool.open(location)
    const map = pool.map('a')
    const busy = `
      const big = Buffer.alloc(3 * 2 ** 20, 'b')
      for (let i = 0; ; i++) {
        const pool = Pool.open(location)
        const map = pool.map('a')
        for (let k = 0; k < 20; k++) {
          map.batch(['put', data + k, String(i), 'put', data + 'copy' + k, String(i)])
          map.getMany([data + k, 'main'], { encoding: 'buffer' })
          globalThis.kept = [map.iterator(), pool.snapshot()]
          kept[0].nextv(5)
        }
        if (i === 2) parentPort.postMessage('busy')
        const waits = [map.batchAsync(['put', data + 'big', big, 'put', data + 'number', String(i)]), map.putAsync(data + 'after', String(i)), map.clearAsync({ gte: data + '~', lt: data + '~~' })]
        if (i % 3 === 0) await Promise.all(waits)
        if (i % 2 === 0) pool.close()
        else { await waits[0]; pool.close() }
      }`
    for (let round = 0; round < 6; round++) {
      const workers = ['a', 'b', 'c'].map(data => startWorker(busy, location, data))
      await Promise.all(workers.map(worker => once(worker, 'message')))
      for (let i = 0; i < 200; i++) map.put('main', String(i))
      await Promise.all(workers.map(worker => worker.terminate()))
      for (const data of ['a', 'b', 'c']) {
        for (let k = 0; k < 20; k++) assert.strictEqual(map.get(data + k), map.get(`${data}copy${k}`))
        assert.strictEqual(map.get(`${data}big`, { encoding: 'buffer' }).length, 3 * MIB)
      }
    }
    assert.strictEqual(pool.stats().snapshots, 0)
    pool.close()
    assert.strictEqual(await run('const pool = Pool.open(process.argv[1]); console.log(pool.map("a").get("main")); pool.close()', [location]), '199\n')
  })
})
