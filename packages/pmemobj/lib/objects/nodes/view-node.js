'use strict'

const { types } = require('node:util')
const { createError } = require('../../base/codes')
const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readValue, writeValue } = require('../record/values')
const { Reference } = require('../heap/reference')
const { refusedHeir } = require('../heap/refusal')
const { BufferNode } = require('./buffer-node')
const { getterOf } = require('./native')
const { isAlike } = require('./content')
const { Node, nodeOf } = require('./node')

/** By what a record has. They never change. */
const KINDS = [
  'DataView', 'Buffer', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array',
  'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array'
]

/** @typedef {{ new (buffer: ArrayBuffer, byteOffset: number, length: number): NodeJS.ArrayBufferView, prototype: object, BYTES_PER_ELEMENT?: number }} View */

const views = /** @type {Record<string, View | undefined>} */ (/** @type {unknown} */ (globalThis))

/** Prototype → number. Float16Array is not in all versions of Node.js. @type {Map<object, number>} */
const byPrototype = new Map(KINDS.flatMap((name, number) => {
  const view = views[name]
  /** @type {[object, number][]} */
  const entries = view === undefined ? [] : [[view.prototype, number]]
  return entries
}))

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype)
/** The name of its class; undefined of a DataView. */
const tagOf = getterOf(TYPED_ARRAY, Symbol.toStringTag)
const PARTS = ['buffer', 'byteOffset', 'byteLength']
const ofArray = PARTS.map(name => getterOf(TYPED_ARRAY, name))
const ofDataView = PARTS.map(name => getterOf(DataView.prototype, name))
const lengthOf = getterOf(TYPED_ARRAY, 'length')

/**
 * A typed array, Buffer or DataView: a real one, over an ArrayBuffer of the pool.
 *
 * Record: its kind (u8, of KINDS), its ArrayBuffer (a reference), the offset there in bytes, and its length in
 * elements.
 */
class ViewNode extends Node {
  #kind = 0
  /** @type {import('../heap/types').Slot} */
  #buffer
  #byteOffset = 0
  #length = 0

  static kinds = [KIND.view]

  /** @param {unknown} value */
  static match (value) {
    return ArrayBuffer.isView(value)
  }

  /** @param {NodeJS.ArrayBufferView} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    const kind = byPrototype.get(Object.getPrototypeOf(value))
    const name = tagOf(value) ?? 'DataView'
    if (kind === undefined || KINDS[kind].replace(/^Buffer$/, 'Uint8Array') !== name) throw refusedHeir(name)
    const node = new ViewNode(heap, UNATTACHED)
    node.#kind = kind
    return node
  }

  /**
   * The whole ArrayBuffer is kept, and views of the same one share it, as structuredClone does. But Node.js cuts
   * Buffers from bigger ones: of what a Buffer is a part of, only that part is kept.
   *
   * @param {NodeJS.ArrayBufferView} view
   * @param {import('../heap/types').Keep} keep
   */
  fill (view, keep) {
    const [buffer, byteOffset, byteLength] = partsOf(view)
    const isPart = Buffer.isBuffer(view) && byteLength < buffer.byteLength && nodeOf(buffer)?.heap !== this.heap
    if (isPart && types.isArrayBuffer(buffer)) {
      this.#buffer = BufferNode.of(view, this.heap, byteLength)
    } else {
      this.#buffer = keep(buffer, '')
      this.#byteOffset = byteOffset
    }
    this.#length = tagOf(view) === undefined ? byteLength : lengthOf(view)
  }

  /** @param {NodeJS.ArrayBufferView} view @param {import('../heap/types').Content} content */
  isCopyOf (view, content) {
    // It was a part of a bigger Buffer: only its bytes were taken.
    const [buffer, byteOffset, byteLength] = partsOf(view)
    return content.length === 0 ? this.#bufferNode.isCopyOf(new Uint8Array(buffer, byteOffset, byteLength)) : isAlike(['', buffer], content)
  }

  make () {
    return this.#over(/** @type {ArrayBuffer} */ (this.#bufferNode.reveal()))
  }

  /** The node of the buffer: a record may refer to anything, a view of itself too. */
  get #bufferNode () {
    const slot = this.#buffer
    const node = slot instanceof Reference ? this.heap.find(slot.id) : slot
    if (!(node instanceof BufferNode)) throw damaged()
    return node
  }

  /** @param {ArrayBuffer} buffer */
  #over (buffer) {
    const name = KINDS[this.#kind]
    const View = views[name]
    if (View === undefined) throw createError('PMEMOBJ_INVALID', `This version of Node.js has no ${name}, which the pool keeps`)
    const size = View.BYTES_PER_ELEMENT ?? 1
    if (this.#byteOffset % size !== 0 || this.#byteOffset + this.#length * size > buffer.byteLength) throw damaged()
    if (name === 'Buffer') return Buffer.from(buffer, this.#byteOffset, this.#length)
    return new View(buffer, this.#byteOffset, this.#length)
  }

  touchAll () {
    if (this.attached) this.heap.transaction.mark(this)
  }

  /** @param {import('../heap/types').Visit} visit */
  eachChild (visit) {
    visit(this.#buffer)
  }

  /** @param {import('../heap/types').CopyOut} copy */
  plain (copy) {
    this.load()
    return this.#over(copy(this.#bufferNode))
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, this.id)
    writer.reserve(2)
    writer.u8(KIND.view)
    writer.u8(this.#kind)
    writeValue(writer, this.#buffer)
    writer.reserve(20)
    writer.varint(this.#byteOffset)
    writer.varint(this.#length)
    writer.end()
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.view) throw damaged()
    const number = reader.u8()
    const buffer = readValue(reader)
    if (number >= KINDS.length || !(buffer instanceof Reference)) throw damaged()
    this.#kind = number
    this.#buffer = buffer
    this.#byteOffset = reader.varint()
    this.#length = reader.varint()
    reader.finish()
  }
}

/** Its buffer, byteOffset and byteLength. @param {NodeJS.ArrayBufferView} view */
function partsOf (view) {
  return (tagOf(view) === undefined ? ofDataView : ofArray).map(get => get(view))
}

module.exports = { ViewNode }
