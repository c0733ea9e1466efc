'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { HOLE, readValue, writeValue } = require('../record/values')
const { refuseOdd } = require('./native')
const { isAlike } = require('./content')
const { Node } = require('./node')

/** @type {[is: (value: any) => boolean, usual: { prototype: any }][]} */
const USUAL = [
  [types.isNumberObject, Number],
  [types.isStringObject, String],
  [types.isBooleanObject, Boolean],
  [types.isBigIntObject, BigInt],
  [types.isSymbolObject, Symbol]
]

/**
 * A primitive as an object, such as `new Number(1)`: a real one, which never changes.
 *
 * Record: the primitive, a value; a string is in it however long it is.
 */
class BoxedNode extends Node {
  /** @type {any} */
  #primitive

  static kinds = [KIND.boxed]

  /** @param {unknown} value */
  static match (value) {
    return types.isBoxedPrimitive(value)
  }

  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    refuseOdd(value, usualOf(value).prototype)
    return new BoxedNode(heap, UNATTACHED)
  }

  /** @param {object} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    this.#primitive = primitiveOf(value)
    keep(this.#primitive, '')
  }

  /** @param {object} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike(['', primitiveOf(value)], content) }

  make () {
    return Object.preventExtensions(this.plain())
  }

  touchAll () {
    if (this.attached) this.heap.transaction.mark(this)
  }

  plain () {
    this.load()
    return Object(this.#primitive)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, this.id)
    writer.reserve(1)
    writer.u8(KIND.boxed)
    writeValue(writer, this.#primitive)
    writer.end()
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.boxed) throw damaged()
    this.#primitive = readValue(reader)
    reader.finish()
    if (this.#primitive === HOLE || Object(this.#primitive) === this.#primitive || this.#primitive == null) throw damaged()
  }
}

/** @param {object} value */
function usualOf (value) {
  return /** @type {[unknown, { prototype: any }]} */ (USUAL.find(([is]) => is(value)))[1]
}

/** @param {object} value */
function primitiveOf (value) {
  return usualOf(value).prototype.valueOf.call(value)
}

module.exports = { BoxedNode }
