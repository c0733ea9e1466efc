'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { types } = require('node:util')
const { Pool, PersistentArrayBuffer } = require('../..')
const { Ids } = require('../../lib/objects/collector/ids')
const { nodeOf } = require('../../lib/objects/nodes/node')
const { start } = require('../child')
const { temporaryFolder } = require('../temporary-folder')
const { runWorker } = require('../worker')

describe('ArrayBuffers in a pool', () => {
  const folder = temporaryFolder()
  let location
  let pool
  beforeEach(() => {
    location = folder.next()
    pool = Pool.create(location, { maxSize: 0 })
  })
  afterEach(() => pool.close())

  function reopen () {
    pool.close()
    pool = Pool.open(location)
  }

  /** Ids of all bytes that the pool has. */
  function stored () {
    const heap = nodeOf(pool.create({})).heap
    const snapshot = pool.snapshot()
    const ids = new Ids(heap.pool, heap.maps.buffers)
    const found = []
    while (ids.next(id => found.push(id)));
    ids.close()
    snapshot.close()
    return found
  }

  function bytesOf (buffer) {
    return [...new Uint8Array(buffer)]
  }

  it('are ArrayBuffers over the memory of the pool', () => {
    const buffer = new PersistentArrayBuffer(pool, 100)
    assert.ok(buffer instanceof PersistentArrayBuffer && buffer instanceof ArrayBuffer)
    assert.ok(types.isArrayBuffer(buffer))
    assert.strictEqual(buffer.byteLength, 100)
    assert.deepStrictEqual(bytesOf(buffer), new Array(100).fill(0))
    pool.root = { buffer }
    assert.strictEqual(pool.root.buffer, buffer)
    new Uint8Array(buffer)[99] = 7
    buffer.flush()
    reopen()
    assert.strictEqual(pool.root.buffer.byteLength, 100)
    assert.strictEqual(new Uint8Array(pool.root.buffer)[99], 7)
  })

  it('are copies of what is assigned', () => {
    const plain = Uint8Array.of(1, 2, 3).buffer
    pool.root = [plain, { again: plain }, pool.create(plain)]
    const [kept, { again }, other] = pool.root
    assert.strictEqual(again, kept)
    assert.notStrictEqual(other, kept)
    new Uint8Array(plain)[0] = 9
    assert.deepStrictEqual(bytesOf(kept), [1, 2, 3])
    new Uint8Array(kept)[0] = 8
    assert.deepStrictEqual(bytesOf(other), [1, 2, 3])
    const copy = pool.plain(kept)
    assert.strictEqual(Object.getPrototypeOf(copy), ArrayBuffer.prototype)
    assert.deepStrictEqual(bytesOf(copy), [8, 2, 3])
  })

  it('may have no bytes, or a megabyte', () => {
    pool.root = [new ArrayBuffer(0), new PersistentArrayBuffer(pool, 0), new ArrayBuffer(2 ** 20)]
    reopen()
    assert.deepStrictEqual(pool.root.map(buffer => buffer.byteLength), [0, 0, 2 ** 20])
    pool.root[0].flush()
    pool.transaction(() => pool.root[1].snapshot())
  })

  it('are refused where there cannot be any', () => {
    assert.throws(() => new PersistentArrayBuffer(undefined, 8), TypeError)
    assert.throws(() => new PersistentArrayBuffer(pool, -1), RangeError)
    assert.throws(() => new PersistentArrayBuffer(pool, 2 ** 31), { code: 'PMEMOBJ_INVALID' })
    assert.throws(() => new PersistentArrayBuffer(pool, 2 ** 23), { code: 'PMEMOBJ_NO_SPACE' })
    assert.throws(() => { pool.root = new SharedArrayBuffer(8) }, TypeError)
    assert.strictEqual(pool.root, undefined)
    pool.root = new PersistentArrayBuffer(pool, 8)
  })

  it('stay where they are', () => {
    const buffer = new PersistentArrayBuffer(pool, 8)
    assert.throws(() => buffer.transfer(), { name: 'TypeError', message: /transferred/ })
    assert.throws(() => buffer.transferToFixedLength(), { name: 'TypeError', message: /transferred/ })
    assert.throws(() => buffer.resize(16), { name: 'TypeError', message: /resized/ })
    try {
      structuredClone(buffer, { transfer: [buffer] })
    } catch (error) {
      assert.strictEqual(error.name, 'DataCloneError')
    }
    assert.strictEqual(buffer.byteLength, 8)
    const slice = buffer.slice(2)
    assert.strictEqual(Object.getPrototypeOf(slice), ArrayBuffer.prototype)
    assert.strictEqual(slice.byteLength, 6)
  })

  it('take flush() and snapshot() of a range that they have only', () => {
    const buffer = new PersistentArrayBuffer(pool, 64)
    pool.transaction(() => {
      for (const [offset, length] of [[-1, 2], [0, 65], [64, 1], [65], [1.5, 1], [0, NaN], ['0', 1]]) {
        assert.throws(() => buffer.flush(offset, length), RangeError)
        assert.throws(() => buffer.snapshot(offset, length), RangeError)
      }
      for (const [offset, length] of [[0, 64], [64, 0], [64], [10, 5], []]) {
        buffer.flush(offset, length)
        buffer.snapshot(offset, length)
      }
    })
    assert.throws(() => PersistentArrayBuffer.prototype.flush.call(new ArrayBuffer(8)), { name: 'TypeError', message: /none of a pool/ })
  })

  it('cannot be snapshot outside of transactions', () => {
    const buffer = new PersistentArrayBuffer(pool, 64)
    assert.throws(() => buffer.snapshot(0, 8), { code: 'PMEMOBJ_INVALID', message: /transaction/ })
  })

  describe('in transactions', () => {
    let bytes
    beforeEach(() => {
      pool.root = { count: 0, bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer }
      bytes = new Uint8Array(pool.root.bytes)
    })

    function write (at, value) {
      bytes.buffer.snapshot(at, 1)
      bytes[at] = value
      pool.root.count++
    }

    function fail (work) {
      assert.throws(() => pool.transaction(() => {
        work()
        throw new Error('no')
      }), /no/)
    }

    it('keep what was written, with all else', () => {
      pool.transaction(() => {
        write(0, 100)
        write(1, 101)
      })
      reopen()
      assert.deepStrictEqual(bytesOf(pool.root.bytes), [100, 101, 3, 4, 5, 6, 7, 8])
      assert.strictEqual(pool.root.count, 2)
    })

    it('have all back that was saved, if they throw', () => {
      fail(() => {
        write(0, 100)
        write(0, 101)
        write(7, 102)
        assert.deepStrictEqual([...bytes], [101, 2, 3, 4, 5, 6, 7, 102])
      })
      assert.deepStrictEqual([...bytes], [1, 2, 3, 4, 5, 6, 7, 8])
      assert.strictEqual(pool.root.count, 0)
      pool.transaction(() => write(3, 9))
      reopen()
      assert.deepStrictEqual(bytesOf(pool.root.bytes), [1, 2, 3, 9, 5, 6, 7, 8])
    })

    it('have that of the inner ones back that throw', () => {
      pool.transaction(() => {
        write(0, 100)
        fail(() => {
          write(0, 101)
          write(1, 102)
          fail(() => write(1, 103))
          assert.strictEqual(bytes[1], 102)
        })
        assert.deepStrictEqual([...bytes.subarray(0, 3)], [100, 2, 3])
        write(2, 104)
      })
      reopen()
      assert.deepStrictEqual(bytesOf(pool.root.bytes), [100, 2, 104, 4, 5, 6, 7, 8])
      assert.strictEqual(pool.root.count, 2)
    })

    it('have them back when the commit finds no space', () => {
      assert.throws(() => pool.transaction(() => {
        write(0, 100)
        pool.root.big = Array.from({ length: 40 }, (_, i) => `${i}`.repeat(2 ** 18))
      }), { code: 'PMEMOBJ_NO_SPACE' })
      assert.deepStrictEqual([...bytes], [1, 2, 3, 4, 5, 6, 7, 8])
      assert.deepStrictEqual(Object.keys(pool.root), ['count', 'bytes'])
    })

    it('keep them, or have them back, when others are made meanwhile', () => {
      const both = () => {
        write(0, 100)
        pool.root.other = Uint8Array.of(7, 7).buffer
        write(1, 101)
      }
      fail(both)
      assert.deepStrictEqual([...bytes], [1, 2, 3, 4, 5, 6, 7, 8])
      pool.transaction(both)
      reopen()
      assert.deepStrictEqual(bytesOf(pool.root.bytes), [100, 101, 3, 4, 5, 6, 7, 8])
      assert.deepStrictEqual(bytesOf(pool.root.other), [7, 7])
    })

    it('have them back after a crash', async () => {
      pool.close()
      const child = start(`
        const pool = Pool.open(process.argv[1])
        const bytes = new Uint8Array(pool.root.bytes)
        pool.transaction(() => {
          bytes.buffer.snapshot(0, 4)
          bytes.fill(50, 0, 4)
        })
        pool.transaction(() => {
          bytes.buffer.snapshot(2, 4)
          bytes.fill(60, 2, 6)
          pool.root.count = 9
          pool.root.other = new ArrayBuffer(8)
          process.kill(process.pid, 'SIGKILL')
        })`, [location])
      assert.deepStrictEqual(await once(child, 'exit'), [null, 'SIGKILL'])
      pool = Pool.open(location)
      assert.deepStrictEqual(bytesOf(pool.root.bytes), [50, 50, 50, 50, 5, 6, 7, 8])
      assert.strictEqual(pool.root.count, 0)
      assert.deepStrictEqual(Object.keys(pool.root), ['count', 'bytes'])
    })
  })

  it('are garbage where the transaction that made them is rolled back', () => {
    pool.root = {}
    assert.throws(() => pool.transaction(() => {
      pool.root.lost = new ArrayBuffer(64)
      throw new Error('no')
    }), /no/)
    assert.deepStrictEqual(Object.keys(pool.root), [])
    assert.strictEqual(stored().length, 1)
    reopen()
    pool.collect()
    assert.strictEqual(stored().length, 0)
  })

  it('are kept from being garbage by what JavaScript has of them', () => {
    pool.root = {}
    const loose = pool.create({ inside: [Uint8Array.of(1, 2, 3)] })
    const buffer = new PersistentArrayBuffer(pool, 3)
    const view = new Uint8Array(buffer)
    view[0] = 5
    pool.collect()
    pool.create({ other: new ArrayBuffer(3) })
    assert.deepStrictEqual([...loose.inside[0]], [1, 2, 3])
    assert.deepStrictEqual([...view], [5, 0, 0])
    pool.root = { loose, view }
    reopen()
    assert.deepStrictEqual([...pool.root.loose.inside[0]], [1, 2, 3])
    assert.deepStrictEqual([...pool.root.view], [5, 0, 0])
  })

  it('leave their ids to nobody else, also after a crash', async () => {
    pool.close()
    const child = start(`
      const { PersistentArrayBuffer } = require(process.argv[2])
      const pool = Pool.open(process.argv[1])
      pool.root = {}
      try {
        pool.transaction(() => {
          for (let i = 0; i < 1500; i++) pool.root[i] = {}
          for (let i = 0; i < 10; i++) new PersistentArrayBuffer(pool, 8)
          throw new Error('no')
        })
      } catch {}
      new PersistentArrayBuffer(pool, 8)
      process.kill(process.pid, 'SIGKILL')`, [location, require.resolve('../..')])
    assert.deepStrictEqual(await once(child, 'exit'), [null, 'SIGKILL'])
    pool = Pool.open(location)
    const ids = stored()
    assert.strictEqual(ids.length, 11)
    pool.root.next = {}
    assert.ok(nodeOf(pool.root.next).id > Math.max(...ids))
  })

  it('leave their ids to nobody else when a transaction is rolled back', () => {
    pool.root = {}
    let buffer
    assert.throws(() => pool.transaction(() => {
      for (let i = 0; i < 1500; i++) pool.root[i] = {}
      buffer = new PersistentArrayBuffer(pool, 8)
      throw new Error('no')
    }), /no/)
    const [id] = stored()
    for (let i = 0; i < 3000; i++) {
      pool.root.next = {}
      assert.notStrictEqual(nodeOf(pool.root.next).id, id)
    }
    pool.root.buffer = buffer
    assert.strictEqual(nodeOf(pool.root.buffer).id, id)
    reopen()
    assert.strictEqual(pool.root.buffer.byteLength, 8)
  })

  it('take nothing from objects that are new with them', () => {
    pool.root = {}
    reopen()
    for (let round = 0; round < 3; round++) {
      pool.transaction(() => {
        pool.root[`one ${round}`] = { [`name ${round}`]: round }
        pool.root[`bytes ${round}`] = new ArrayBuffer(8)
      })
      pool.root[`two ${round}`] = { [`other ${round}`]: 'x', [`third ${round}`]: [round] }
    }
    const expected = pool.plain(pool.root)
    reopen()
    assert.deepStrictEqual(pool.plain(pool.root), expected)
  })

  it('have no bytes once the pool is closed', () => {
    pool.root = new ArrayBuffer(8)
    const { root } = pool
    const view = new Uint8Array(root, 4)
    const loose = new PersistentArrayBuffer(pool, 8)
    reopen()
    assert.strictEqual(root.byteLength, 0)
    assert.strictEqual(view.length, 0)
    assert.strictEqual(loose.byteLength, 0)
    assert.throws(() => root.flush(0, 0), { code: 'PMEMOBJ_CLOSED' })
    assert.throws(() => root.snapshot(0, 0), { code: 'PMEMOBJ_CLOSED' })
  })

  it('are seen by threads that read, as they are written', async () => {
    pool.root = { bytes: new ArrayBuffer(8) }
    const turns = new Int32Array(new SharedArrayBuffer(4))
    const ended = runWorker(`
      const pool = Pool.open(location)
      const bytes = new Uint8Array(pool.root.bytes)
      const seen = [bytes[0]]
      try { pool.root.bytes = new ArrayBuffer(4) } catch (error) { seen.push(error.code) }
      Atomics.store(data, 0, 1)
      Atomics.notify(data, 0)
      Atomics.wait(data, 0, 1)
      seen.push(bytes[0], pool.root.bytes.byteLength)
      pool.refresh()
      // It was replaced: this one stays until nobody here has it.
      seen.push(bytes[0], pool.root.bytes.byteLength)
      pool.close()
      seen.push(bytes.length)
      if (seen.join() !== '0,PMEMOBJ_READ_ONLY,7,8,7,16,0') throw new Error(seen.join())`, location, turns)
    await Atomics.waitAsync(turns, 0, 0).value
    new Uint8Array(pool.root.bytes)[0] = 7
    pool.root.bytes = new ArrayBuffer(16)
    pool.collect()
    Atomics.store(turns, 0, 2)
    Atomics.notify(turns, 0)
    assert.strictEqual(await ended, 0)
  })
})
