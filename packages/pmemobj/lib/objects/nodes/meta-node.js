'use strict'

const { createError } = require('../../base/codes')
const { FORMAT, KIND, MAX_ID, META } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readValue, writeValue } = require('../record/values')
const { Node } = require('./node')

/** Ids that are taken from the pool at a time, so that not every new object has to change the record. */
const RESERVE = 1024

/** The root, and what the pool has to remember for new objects. */
class MetaNode extends Node {
  /** @type {import('../heap/types').Slot} */
  root = undefined
  #next = 1
  // No object has this id or a higher one; and what the pool says of that, should the process end now.
  #limit = 1
  #storedLimit = 1
  // The id of the next shape as the pool has it; the heap's own may be higher by those that the transaction adds.
  #storedShape = 1

  /** @param {import('../heap/heap').Heap} heap */
  constructor (heap) {
    super(heap, META)
  }

  load () {
    const { heap } = this
    heap.enter()
    if (this.version === heap.version) return
    const reader = heap.read(META)
    if (reader !== undefined) this.decode(reader, reader.u8())
    if (this.#isHeaps) heap.shapes.next = this.#storedShape
    this.version = heap.version
  }

  /** Whether it is the heap's own: another is a copy of what is stored. */
  get #isHeaps () { return this.heap.meta === this }

  /** Every object has a lower one. */
  get limit () { return this.#limit }

  newId () {
    if (this.#next === this.#limit) {
      this.heap.transaction.remember(this, 'limit', this.#limit)
      this.heap.transaction.mark(this)
      this.#limit = raised(this.#limit)
    }
    return this.#next++
  }

  /** An id for what is in the pool before the transaction is, and stays if that is rolled back. */
  newStoredId () {
    if (this.#next >= this.#storedLimit) this.#raiseStoredLimit()
    return this.#next++
  }

  #raiseStoredLimit () {
    // All else of the record is as it is in the pool, and not as the transaction has it.
    const stored = new MetaNode(this.heap)
    stored.load()
    stored.#limit = this.#limit > this.#next ? this.#limit : raised(this.#next)
    this.heap.writeAlone(stored)
    this.#limit = stored.#limit
    this.#storedLimit = stored.#limit
  }

  /** @param {unknown} value */
  setRoot (value) {
    const root = this.adopt(value)
    this.heap.transaction.remember(this, 'root', this.root)
    this.heap.transaction.mark(this)
    this.heap.drop([this.root])
    this.root = root
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    if (what === 'root') {
      this.root = former
    } else {
      this.#limit = Math.max(former, this.#storedLimit)
      this.#next = Math.min(this.#next, this.#limit)
    }
  }

  committed () {
    this.#storedLimit = this.#limit
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.meta) throw damaged()
    const format = reader.varint()
    if (format !== FORMAT) {
      throw createError('PMEMOBJ_LAYOUT_VERSION', `The objects of the pool have format ${format}, not ${FORMAT}`)
    }
    this.#limit = reader.id()
    this.#storedLimit = this.#limit
    this.#next = Math.max(this.#next, this.#limit)
    this.#storedShape = reader.id()
    this.root = readValue(reader)
    reader.finish()
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, META)
    writer.reserve(32)
    writer.u8(KIND.meta)
    writer.varint(FORMAT)
    writer.varint(this.#limit)
    writer.varint(this.#isHeaps ? this.heap.shapes.next : this.#storedShape)
    writeValue(writer, this.root)
    writer.end()
  }
}

/** @param {number} limit */
function raised (limit) {
  if (limit + RESERVE <= MAX_ID) return limit + RESERVE
  throw createError('PMEMOBJ_NO_SPACE', 'The pool has given all ids to objects')
}

module.exports = { MetaNode }
