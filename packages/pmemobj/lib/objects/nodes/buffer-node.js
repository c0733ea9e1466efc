'use strict'

const { types } = require('node:util')
const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { PersistentArrayBuffer, Zeros } = require('../heap/persistent-array-buffer')
const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { getterOf } = require('./native')
const { Node } = require('./node')

const byteLengthOf = getterOf(ArrayBuffer.prototype, 'byteLength')

/**
 * An ArrayBuffer: a real one, over the memory of the pool.
 *
 * Record: the number of its bytes. They are the value of its id in the map of buffers, where they lie
 * before the record does; without bytes there is none.
 */
class BufferNode extends Node {
  /** The id of the bytes, and of this once it is attached. */
  #bytes
  #byteLength = 0

  static kinds = [KIND.buffer]

  /** @param {unknown} value */
  static match (value) {
    return types.isArrayBuffer(value) || value instanceof Zeros
  }

  /** @param {ArrayBuffer | Zeros} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    return BufferNode.of(value, heap, value instanceof Zeros ? value.byteLength : byteLengthOf(value))
  }

  /**
   * One with a copy of the bytes.
   *
   * @param {ArrayBuffer | NodeJS.ArrayBufferView | Zeros} source
   * @param {import('../heap/heap').Heap} heap
   * @param {number} byteLength of the source
   */
  static of (source, heap, byteLength) {
    const node = new BufferNode(heap, UNATTACHED)
    node.#byteLength = byteLength
    node.#bytes = heap.buffers.create(byteLength, source instanceof Zeros ? undefined : source)
    heap.buffers.add(node.#bytes, node)
    return node
  }

  /** @param {import('../heap/heap').Heap} heap @param {number} id */
  constructor (heap, id) {
    super(heap, id)
    this.#bytes = id
  }

  /** They were taken when it was made. */
  fill () {}

  /**
   * Compares the bytes of both as they are now: to keep a third copy of them for that would cost more than it is worth.
   *
   * @param {ArrayBuffer | Uint8Array} value
   */
  isCopyOf (value) {
    const bytes = ArrayBuffer.isView(value) ? value : new Uint8Array(value)
    return Buffer.compare(bytes, new Uint8Array(/** @type {ArrayBuffer} */ (this.reveal()))) === 0
  }

  make () {
    const buffer = this.heap.buffers.open(this.#bytes, this.#byteLength)
    this.heap.buffers.add(this.#bytes, this)
    return Object.setPrototypeOf(buffer, PersistentArrayBuffer.prototype)
  }

  /** @param {object} object */
  handOut (object) {
    super.handOut(object)
    if (this.heap.savesAll && this.attached) this.draft()
    return object
  }

  /** Lets programs write anywhere, for the transaction under way. */
  draft () {
    if (this.#byteLength === 0) return
    const { heap } = this
    heap.transaction.saved = true
    binding.draftBuffer(heap.pool, this.object, 0, this.#byteLength)
  }

  /** @param {number} offset @param {number} length */
  flush (offset, length) {
    const { heap } = this
    heap.enter()
    this.#check(offset, length)
    binding.flushBuffer(heap.pool, this.object, offset, length)
  }

  /** @param {number} offset @param {number} length */
  snapshot (offset, length) {
    const { heap } = this
    heap.enter()
    if (!heap.inTransaction) {
      throw createError('PMEMOBJ_INVALID', 'snapshot() keeps bytes for the transaction under way, and there is none')
    }
    this.#check(offset, length)
    // All is saved, as often as transactions begin.
    if (heap.savesAll) return
    const { transaction } = heap
    const count = binding.savedBuffers(heap.pool)
    // Whatever comes of it, the commit has to know that bytes may have been saved.
    transaction.saved = true
    binding.saveBuffer(heap.pool, this.object, offset, length)
    transaction.remember(this, 'bytes', count)
  }

  /** @param {number} offset @param {number} length */
  #check (offset, length) {
    const isRange = Number.isInteger(offset) && Number.isInteger(length) &&
      offset >= 0 && length >= 0 && offset + length <= this.#byteLength
    if (!isRange) throw new RangeError(`There are no ${length} bytes at ${offset} of ${this.#byteLength}`)
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    if (what === 'bytes') binding.restoreBuffers(this.heap.pool, former)
    else super.undo(what, former)
  }

  /** Its id is that of its bytes. */
  newId () {
    return this.#bytes
  }

  touchAll () {
    if (this.attached) this.heap.transaction.mark(this)
  }

  plain () {
    return ArrayBuffer.prototype.slice.call(this.reveal(), 0)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, this.id)
    writer.reserve(10)
    writer.u8(KIND.buffer)
    writer.varint(this.#byteLength)
    writer.end()
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.buffer) throw damaged()
    this.#byteLength = reader.varint()
    reader.finish()
  }

  /** The pool is about to go. */
  close () {
    if (this.object !== undefined) binding.detachBuffer(this.object)
  }
}

module.exports = { BufferNode }
