'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { markAsUntransferable } = require('node:worker_threads')
const binding = require('../../lib/binding/binding')
const { restoreMemory } = require('./memory')
const { temporaryFolder } = require('../temporary-folder')
const { run } = require('../child')
const { startWorker, runWorker } = require('../worker')

const path = JSON.stringify(require.resolve('../../lib/binding/binding'))
const open = location => binding.open(location, true, false, false, 0, 2 ** 30, 0, undefined)
// As the functions below, for a worker or a process of its own.
const opened = `
  const binding = require(${path})
  const outbox = Buffer.from(new ArrayBuffer(64))
  binding.setOutbox(outbox.buffer)
  const pool = binding.open(location, true, false, false, 0, 2 ** 30, 0, undefined)
  const map = binding.openMap(pool, 'buffers')
  const key = id => (outbox.fill(0, 0, 6), outbox.writeUInt16BE(id, 4), 6)`

describe('memory of the pool as ArrayBuffers', () => {
  const folder = temporaryFolder()
  const outbox = Buffer.from(new ArrayBuffer(64 * 1024))
  let location, pool, map

  beforeEach(() => {
    binding.setOutbox(outbox.buffer)
    location = folder.next()
    start()
  })

  afterEach(() => binding.close(pool))

  after(restoreMemory)

  function start () {
    pool = open(location)
    map = binding.openMap(pool, 'buffers')
  }

  function restart () {
    binding.close(pool)
    start()
  }

  function key (id) {
    outbox.fill(0, 0, 6)
    outbox.writeUInt16BE(id, 4)
    return 6
  }

  const create = (id, size, source) => binding.createBuffer(pool, map, key(id), size, source)
  const get = (id, snapshot) => binding.openBuffer(pool, map, key(id), snapshot)
  const textOf = (id, snapshot) => Buffer.from(get(id, snapshot)).toString()
  const invalid = { code: 'PMEMOBJ_INVALID' }

  it('are zeros, or have the bytes of their source', () => {
    create(1, 100)
    assert.ok(Buffer.from(get(1)).equals(Buffer.alloc(100)))
    const source = Buffer.from('0123456789')
    create(2, 10, source)
    create(3, 4, new DataView(source.buffer, source.byteOffset + 2, 4))
    create(4, 8, new Uint16Array([1, 2, 3, 4]))
    create(5, 3, Uint8Array.from([7, 8, 9]).buffer)
    assert.deepStrictEqual([textOf(2), textOf(3)], ['0123456789', '2345'])
    assert.deepStrictEqual([...new Uint16Array(get(4))], [1, 2, 3, 4])
    assert.deepStrictEqual([...new Uint8Array(get(5))], [7, 8, 9])
    assert.ok(get(1) instanceof ArrayBuffer)
    assert.strictEqual(get(6), undefined)
  })

  it('may be empty', () => {
    create(1, 0)
    create(2, 0, new Uint8Array(0))
    for (const id of [1, 2]) {
      const empty = get(id)
      assert.strictEqual(empty.byteLength, 0)
      binding.flushBuffer(pool, empty, 0, 0)
      binding.saveBuffer(pool, empty, 0, 0)
      assert.throws(() => binding.flushBuffer(pool, empty, 0, 1), invalid)
      assert.strictEqual(binding.detachBuffer(empty), true)
    }
    assert.strictEqual(binding.savedBuffers(pool), 0)
  })

  it('keep what is written to them', () => {
    create(1, 40_000)
    const view = Buffer.from(get(1))
    view.write('written', 30_000)
    binding.flushBuffer(pool, view.buffer, 30_000, 7)
    assert.strictEqual(Buffer.from(get(1)).toString('utf8', 30_000, 30_007), 'written')
    restart()
    assert.strictEqual(view.length, 0)
    assert.strictEqual(Buffer.from(get(1)).toString('utf8', 30_000, 30_007), 'written')
  })

  it('are refused sizes and sources that do not fit', () => {
    for (const size of [-1, 2 ** 30 + 1, 2 ** 53]) assert.throws(() => create(1, size), invalid)
    assert.throws(() => create(1, 4, Buffer.from('12345')), invalid)
    for (const source of [1, '1234', {}, [1, 2, 3, 4]]) assert.throws(() => create(1, 4, source), TypeError)
    assert.throws(() => create(1, '4'), TypeError)
    assert.strictEqual(get(1), undefined)
  })

  it('are of entries that were made so', () => {
    binding.put(pool, map, Buffer.from([0, 0, 0, 0, 0, 1]), 'value')
    assert.throws(() => get(1), invalid)
    create(1, 5, Buffer.from('other'))
    assert.strictEqual(textOf(1), 'other')
    assert.strictEqual(binding.getString(pool, map, Buffer.from([0, 0, 0, 0, 0, 1])), 'other')
  })

  it('check every range', () => {
    create(1, 100)
    create(2, 100)
    const buffer = get(1)
    for (const work of [binding.flushBuffer, binding.saveBuffer]) {
      for (const [offset, length] of [[-1, 1], [0, 101], [100, 1], [101, 0], [1, 2 ** 53 - 1], [2 ** 53, 1], [0, -1]]) {
        assert.throws(() => work(pool, buffer, offset, length), invalid, `${offset} ${length}`)
      }
      for (const bad of [undefined, {}, new Uint8Array(buffer)]) assert.throws(() => work(pool, bad, 0, 1), TypeError)
      assert.throws(() => work(pool, buffer, '0', 1), TypeError)
      assert.throws(() => work(pool, new ArrayBuffer(100), 0, 1), invalid)
      work(pool, buffer, 100, 0)
    }
    const other = open(folder.next())
    assert.throws(() => binding.flushBuffer(other, buffer, 0, 1), invalid)
    binding.close(other)
    assert.strictEqual(binding.savedBuffers(pool), 0)
  })

  it('come back as they were when they were saved', () => {
    create(1, 10, Buffer.from('0123456789'))
    const view = Buffer.from(get(1))
    binding.saveBuffer(pool, view.buffer, 0, 4)
    view.write('abcd', 0)
    binding.saveBuffer(pool, view.buffer, 2, 4)
    view.write('EFGH', 2)
    assert.strictEqual(binding.savedBuffers(pool), 2)
    binding.restoreBuffers(pool, 1)
    assert.strictEqual(view.toString(), 'abcd456789')
    assert.strictEqual(binding.savedBuffers(pool), 1)
    binding.restoreBuffers(pool, 0)
    assert.strictEqual(view.toString(), '0123456789')
    assert.strictEqual(binding.savedBuffers(pool), 0)
  })

  it('are changed in one commit with what the outbox holds', () => {
    create(1, 10, Buffer.from('0123456789'))
    const view = Buffer.from(get(1))
    binding.saveBuffer(pool, view.buffer, 0, 4)
    view.write('abcd', 0)
    outbox.set([1, 0, 1, 0])
    outbox.writeUInt32LE(map, 4)
    outbox.writeUInt32LE(1, 8)
    outbox.write('kv', 12)
    binding.commit(pool, 14, true)
    assert.strictEqual(binding.savedBuffers(pool), 0)
    binding.saveBuffer(pool, view.buffer, 8, 2)
    view.write('xy', 8)
    binding.commit(pool, 0, true)
    assert.strictEqual(binding.getString(pool, map, 'k'), 'v')
    restart()
    assert.strictEqual(textOf(1), 'abcd4567xy')
  })

  it('are as they were before a transaction that a close, or the end of a process, has cut off', async () => {
    create(1, 10, Buffer.from('0123456789'))
    const view = Buffer.from(get(1))
    assert.ok(binding.claimObjects(pool))
    binding.saveBuffer(pool, view.buffer, 0, 10)
    view.fill('x')
    restart()
    assert.strictEqual(textOf(1), '0123456789')
    binding.close(pool)
    await run(`const [location] = process.argv.slice(1)
      ${opened}
      const view = Buffer.from(binding.openBuffer(pool, map, key(1)))
      binding.saveBuffer(pool, view.buffer, 0, 10)
      view.fill('x')
      process.reallyExit(0)`, [location])
    start()
    assert.strictEqual(textOf(1), '0123456789')
  })

  it('are the same memory, however often they are opened', () => {
    create(1, 10)
    const [first, second] = [new Uint8Array(get(1)), new Uint8Array(get(1))]
    first[3] = 77
    assert.strictEqual(second[3], 77)
    assert.strictEqual(binding.detachBuffer(first.buffer), true)
    assert.strictEqual(first.length, 0)
    assert.strictEqual(second[3], 77)
    binding.flushBuffer(pool, second.buffer, 3, 1)
    assert.deepStrictEqual(binding.heldBuffers(pool), [1])
    restart()
    assert.strictEqual(second.length, 0)
    assert.deepStrictEqual(binding.heldBuffers(pool), [])
  })

  it('stay with the snapshot that they were opened in', () => {
    create(1, 5, Buffer.from('first'))
    const snapshot = binding.takeSnapshot(pool)
    const first = Buffer.from(get(1, snapshot))
    binding.closeSnapshot(snapshot)
    create(1, 6, Buffer.from('second'))
    for (let i = 2; i < 50; i++) create(i, 5, Buffer.from('other'))
    assert.strictEqual(first.toString(), 'first')
    assert.strictEqual(textOf(1), 'second')
    assert.strictEqual(binding.stats(pool).snapshots, 1)
    binding.detachBuffer(first.buffer)
    assert.strictEqual(binding.stats(pool).snapshots, 0)
  })

  it('are let go when they are collected', async () => {
    const script = `
      const [location] = process.argv.slice(1)
      ${opened}
      binding.createBuffer(pool, map, key(1), 100)
      const snapshot = binding.takeSnapshot(pool)
      let held = []
      for (let i = 0; i < 20; i++) held.push(binding.openBuffer(pool, map, key(1), snapshot))
      binding.closeSnapshot(snapshot)
      const before = [binding.heldBuffers(pool).length, binding.stats(pool).snapshots]
      held = undefined
      async function main () {
        while (binding.heldBuffers(pool).length > 0) {
          gc()
          await new Promise(resolve => setImmediate(resolve))
        }
        console.log(JSON.stringify([before, binding.stats(pool).snapshots]))
        binding.close(pool)
      }
      main()`
    const output = await run(`require('node:v8').setFlagsFromString('--expose-gc')
      globalThis.gc = require('node:vm').runInNewContext('gc')
      ${script}`, [folder.next()])
    assert.deepStrictEqual(JSON.parse(output), [[20, 1], 0])
  })

  it('go with the pool, those that were collected but not yet let go too', async () => {
    const output = await run(`require('node:v8').setFlagsFromString('--expose-gc')
      const gc = require('node:vm').runInNewContext('gc')
      const [location] = process.argv.slice(1)
      ${opened}
      binding.createBuffer(pool, map, key(1), 100)
      for (let i = 0; i < 1000; i++) new Uint8Array(binding.openBuffer(pool, map, key(1)))[0]++
      gc()
      const view = new Uint8Array(binding.openBuffer(pool, map, key(1)))
      const said = [view[0], binding.heldBuffers(pool).length > 900]
      binding.close(pool)
      const again = binding.open(location, true, false, true, 0, 2 ** 30, 0, undefined)
      const value = binding.openBuffer(again, binding.openMap(again, 'buffers'), key(1))
      setImmediate(() => setImmediate(() => {
        gc()
        console.log(JSON.stringify([...said, view.length, new Uint8Array(value)[0]]))
      }))`, [folder.next()])
    assert.deepStrictEqual(JSON.parse(output), [1000 % 256, true, 0, 1000 % 256])
  })

  it('keep the pool open where their memory was moved', async () => {
    create(1, 10, Buffer.from('0123456789'))
    const view = new Uint8Array(get(1))
    // A reader that brings its own buffer takes the memory of the one that it is given.
    const stream = new ReadableStream({ type: 'bytes', pull (controller) { controller.byobRequest.respond(1) } })
    const { value } = await stream.getReader({ mode: 'byob' }).read(view)
    assert.strictEqual(view.length, 0)
    assert.throws(() => binding.close(pool), { code: 'PMEMOBJ_IN_USE' })
    assert.strictEqual(Buffer.from(value.buffer).toString(), '0123456789')
    assert.deepStrictEqual(binding.heldBuffers(pool), [1])
    assert.strictEqual(binding.detachBuffer(view.buffer), false)
    assert.strictEqual(binding.detachBuffer(value.buffer), false)
    // The thread may end with it all the same.
    await run(`const [location] = process.argv.slice(1)
      ${opened}
      binding.createBuffer(pool, map, key(1), 100)
      const stream = new ReadableStream({ type: 'bytes', pull (controller) { controller.byobRequest.respond(1) } })
      const moved = stream.getReader({ mode: 'byob' }).read(new Uint8Array(binding.openBuffer(pool, map, key(1))))`,
    [folder.next()])
    structuredClone(value.buffer, { transfer: [value.buffer] })
    location = undefined
    pool = open(folder.next())
  })

  it('never fault, even if their memory was moved to a thread that outlives the pool', async () => {
    const location = folder.next()
    const worker = startWorker(`${opened}
      binding.createBuffer(pool, map, key(1), 100_000)
      const stream = new ReadableStream({ type: 'bytes', pull (controller) { controller.byobRequest.respond(1) } })
      const { value } = await stream.getReader({ mode: 'byob' }).read(new Uint8Array(binding.openBuffer(pool, map, key(1))).fill(7))
      parentPort.postMessage(value.buffer, [value.buffer])`, location)
    const ended = once(worker, 'exit')
    const [moved] = await once(worker, 'message')
    const bytes = new Uint8Array(moved)
    await ended
    assert.strictEqual(bytes.length, 100_000)
    for (let i = 0; i < bytes.length; i++) bytes[i]++
    const again = open(location)
    const found = new Uint8Array(binding.openBuffer(again, binding.openMap(again, 'buffers'), key(1)))
    assert.ok(found.subarray(1).every(byte => byte === 7))
    binding.close(again)
  })

  it('can be marked as what must not be transferred', () => {
    create(1, 10)
    const [buffer, other] = [get(1), get(1)]
    markAsUntransferable(buffer)
    const bytes = new Uint8Array(buffer)
    assert.strictEqual(binding.detachBuffer(other), true)
    restart()
    // From Node.js 24 on nobody can detach it; but the memory of the pool it has no more.
    if (bytes.length > 0) bytes.fill(7)
    assert.ok(new Uint8Array(get(1)).every(byte => byte === 0))
    binding.close(pool)
    start()
    assert.ok(new Uint8Array(get(1)).every(byte => byte === 0))
  })

  it('are refused to be transferred, or detached by others', () => {
    create(1, 10)
    const buffer = get(1)
    if (Number(process.versions.node.split('.')[0]) > 20) {
      assert.throws(() => structuredClone(buffer, { transfer: [buffer] }), { name: 'DataCloneError' })
    } else {
      structuredClone(buffer, { transfer: [buffer] })
    }
    assert.strictEqual(buffer.byteLength, 10)
  })

  it('are read by other threads in snapshots of theirs', async () => {
    create(1, 5, Buffer.from('first'))
    const worker = startWorker(`${opened}
      const { once } = require('node:events')
      const snapshot = binding.takeSnapshot(pool)
      const view = Buffer.from(binding.openBuffer(pool, map, key(1), snapshot))
      binding.closeSnapshot(snapshot)
      parentPort.postMessage(view.toString())
      await once(parentPort, 'message')
      const text = view.toString()
      binding.close(pool)
      parentPort.postMessage([text, view.length])`, location)
    const ended = once(worker, 'exit')
    assert.deepStrictEqual(await once(worker, 'message'), ['first'])
    create(1, 6, Buffer.from('second'))
    for (let i = 2; i < 50; i++) create(i, 5, Buffer.from('other'))
    worker.postMessage('go on')
    assert.deepStrictEqual(await once(worker, 'message'), [['first', 0]])
    await ended
  })

  it('end with a thread that is terminated in a transaction', async () => {
    create(1, 10, Buffer.from('0123456789'))
    const worker = startWorker(`${opened}
      binding.claimObjects(pool)
      const view = Buffer.from(binding.openBuffer(pool, map, key(1)))
      binding.saveBuffer(pool, view.buffer, 0, 10)
      view.fill('x')
      parentPort.postMessage('saved')
      for (;;) view[0]++`, location)
    await once(worker, 'message')
    assert.strictEqual(binding.claimObjects(pool), false)
    await worker.terminate()
    assert.strictEqual(binding.claimObjects(pool), true)
    assert.strictEqual(textOf(1), '0123456789')
    assert.strictEqual(binding.savedBuffers(pool), 0)
  })

  it('end with a thread that ends', async () => {
    create(1, 10)
    await runWorker(`${opened}
      globalThis.view = new Uint8Array(binding.openBuffer(pool, map, key(1), binding.takeSnapshot(pool)))`, location)
    assert.strictEqual(binding.stats(pool).snapshots, 0)
  })

  it('are of no use with a pool that is closed', () => {
    create(1, 10)
    const buffer = get(1)
    binding.close(pool)
    const closed = { code: 'PMEMOBJ_CLOSED' }
    assert.strictEqual(buffer.byteLength, 0)
    assert.throws(() => create(2, 1), closed)
    assert.throws(() => get(1), closed)
    assert.throws(() => binding.flushBuffer(pool, buffer, 0, 0), closed)
    assert.throws(() => binding.saveBuffer(pool, buffer, 0, 0), closed)
    assert.throws(() => binding.savedBuffers(pool), closed)
    assert.throws(() => binding.restoreBuffers(pool, 0), closed)
    assert.throws(() => binding.heldBuffers(pool), closed)
    assert.strictEqual(binding.detachBuffer(buffer), false)
    assert.throws(() => binding.detachBuffer({}), TypeError)
  })
})

describe('a pool with an ArrayBuffer whose memory was transferred', () => {
  const folder = temporaryFolder()

  it('stays open and in use, until that is collected', async () => {
    const output = await run(`
      require('node:v8').setFlagsFromString('--expose-gc')
      const gc = require('node:vm').runInNewContext('gc')
      const pool = Pool.create(process.argv[1])
      const said = []
      const turn = () => new Promise(resolve => setImmediate(resolve))
      async function move () {
        const stream = new ReadableStream({ type: 'bytes', pull (controller) { controller.byobRequest.respond(1) } })
        const { value } = await stream.getReader({ mode: 'byob' }).read(new Uint8Array(pool.root.bytes))
        try { pool.close() } catch (error) { said.push(error.code) }
        said.push(pool.closed, pool.root.count++, value.buffer.byteLength)
      }
      async function main () {
        pool.root = { bytes: new Uint8Array([1, 2, 3]).buffer, count: 0 }
        await move()
        while (!pool.closed) {
          gc()
          await turn()
          try { pool.close() } catch (error) { if (error.code !== 'PMEMOBJ_IN_USE') throw error }
        }
        const again = Pool.open(process.argv[1])
        said.push(again.root.count, new Uint8Array(again.root.bytes)[2])
        again.close()
        console.log(JSON.stringify(said))
      }
      main()`, [folder.next()])
    assert.deepStrictEqual(JSON.parse(output), ['PMEMOBJ_IN_USE', false, 0, 3, 1, 3])
  })
})
