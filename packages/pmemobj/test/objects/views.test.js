'use strict'

const assert = require('node:assert')
const { PersistentArrayBuffer } = require('../..')
const { temporaryPools } = require('./temporary-pools')

const KINDS = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array,
  Float64Array, BigInt64Array, BigUint64Array, globalThis.Float16Array
].filter(Kind => Kind !== undefined)

describe('views in a pool', () => {
  const pools = temporaryPools()
  let pool
  beforeEach(() => { pool = pools.create() })

  function reopen () {
    pool = pools.reopen(pool)
  }

  for (const Kind of KINDS) {
    it(`are ${Kind.name}s`, () => {
      const plain = Kind.name.startsWith('Big') ? Kind.of(1n, 2n, 3n) : Kind.of(1, 2, 3)
      pool.root = { view: plain, part: new Kind(plain.buffer, plain.BYTES_PER_ELEMENT, 1), none: new Kind(0) }
      reopen()
      const { view, part, none } = pool.root
      assert.strictEqual(Object.getPrototypeOf(view), Kind.prototype)
      assert.deepStrictEqual(view.slice(), plain)
      assert.deepStrictEqual([...part], [plain[1]])
      assert.strictEqual(part.buffer, view.buffer)
      assert.strictEqual(none.length, 0)
      assert.strictEqual(pool.root.view, view)
      view[1] = plain[0]
      assert.strictEqual(part[0], plain[0])
      view.buffer.flush(view.byteOffset, view.byteLength)
      reopen()
      assert.strictEqual(pool.root.part[0], plain[0])
    })
  }

  it('are DataViews', () => {
    pool.root = new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2)
    reopen()
    assert.ok(pool.root instanceof DataView)
    assert.strictEqual(pool.root.getUint16(0), 0x0203)
    assert.strictEqual(pool.root.byteLength, 2)
    assert.strictEqual(pool.root.byteOffset, 1)
  })

  it('are Buffers, with no more than their own bytes', () => {
    const pooled = Buffer.from('pooled')
    assert.notStrictEqual(pooled.buffer.byteLength, 6)
    const whole = Buffer.from(Uint8Array.of(1, 2, 3).buffer)
    pool.root = { pooled, again: pooled, whole, sub: pooled.subarray(1, 3) }
    reopen()
    const { root } = pool
    assert.ok(Buffer.isBuffer(root.pooled))
    assert.strictEqual(root.pooled.toString(), 'pooled')
    assert.strictEqual(root.pooled.buffer.byteLength, 6)
    assert.strictEqual(root.again, root.pooled)
    assert.strictEqual(root.whole.buffer.byteLength, 3)
    assert.strictEqual(root.sub.toString(), 'oo')
    assert.strictEqual(root.sub.buffer.byteLength, 2)
    root.pooled.write('P')
    assert.strictEqual(root.pooled.toString(), 'Pooled')
    assert.strictEqual(pooled.toString(), 'pooled')
  })

  it('of one ArrayBuffer share it in the pool', () => {
    const file = new ArrayBuffer(64)
    const head = new DataView(file, 0, 14)
    const body = new Uint8Array(file, 14)
    pool.root = { head, parts: [body, file] }
    const { root } = pool
    assert.strictEqual(root.head.buffer, root.parts[1])
    assert.strictEqual(root.parts[0].buffer, root.parts[1])
    assert.strictEqual(root.head.buffer.byteLength, 64)
    const copy = pool.plain(root)
    assert.strictEqual(copy.head.buffer, copy.parts[1])
    assert.strictEqual(Object.getPrototypeOf(copy.parts[1]), ArrayBuffer.prototype)
    assert.deepStrictEqual(copy, { head, parts: [body, file] })
  })

  it('over an ArrayBuffer of the pool are views of that one', () => {
    const buffer = new PersistentArrayBuffer(pool, 32)
    pool.root = { buffer }
    pool.root.all = new Uint8Array(buffer)
    pool.root.end = Buffer.from(buffer, 16)
    pool.root.doubles = new Float64Array(buffer, 8, 2)
    reopen()
    const { root } = pool
    for (const view of [root.all, root.end, root.doubles]) assert.strictEqual(view.buffer, root.buffer)
    root.doubles[1] = 1.5
    assert.strictEqual(root.end.readDoubleLE(0), 1.5)
    pool.transaction(() => {
      root.buffer.snapshot(16, 8)
      root.end.writeDoubleLE(2.5)
    })
    assert.strictEqual(root.doubles[1], 2.5)
  })

  it('keep what they are over when nothing else does', () => {
    pool.root = { view: Uint8Array.of(1, 2, 3), other: 1 }
    reopen()
    pool.collect()
    assert.deepStrictEqual([...pool.root.view], [1, 2, 3])
  })

  it('can be given to what reads and writes bytes', () => {
    pool.root = Buffer.alloc(16)
    const { root } = pool
    assert.strictEqual(root.fill('ab').toString('latin1'), 'abababababababab')
    assert.strictEqual(new TextDecoder().decode(root.subarray(2, 5)), 'aba')
    assert.strictEqual(Buffer.compare(Buffer.concat([root, root]).subarray(16), root), 0)
    assert.strictEqual(structuredClone(root).length, 16)
    assert.deepStrictEqual(root, Buffer.from('abababababababab'))
  })

  it('of classes of their own are refused', () => {
    class Samples extends Float32Array {}
    assert.throws(() => { pool.root = new Samples(4) }, { name: 'TypeError', message: /extends Float32Array: keep a Float32Array, in a property/ })
    assert.throws(() => { pool.root = new Uint8Array(new SharedArrayBuffer(4)) }, TypeError)
    assert.strictEqual(pool.root, undefined)
  })

  it('of another pool are copied', () => {
    const other = pools.create()
    other.root = [Uint8Array.of(1, 2), Buffer.from([3, 4])]
    pool.root = [...other.root]
    other.close()
    assert.deepStrictEqual(pool.root.map(view => [...view]), [[1, 2], [3, 4]])
  })

  it('come back with their transaction, and go with it', () => {
    pool.root = { list: [] }
    const view = Uint8Array.of(1)
    assert.throws(() => pool.transaction(() => {
      pool.root.list.push(view, new DataView(view.buffer))
      assert.strictEqual(pool.root.list[0].buffer, pool.root.list[1].buffer)
      throw new Error('no')
    }), /no/)
    assert.strictEqual(pool.root.list.length, 0)
    pool.transaction(() => pool.root.list.push(view))
    reopen()
    assert.deepStrictEqual([...pool.root.list[0]], [1])
  })
})
