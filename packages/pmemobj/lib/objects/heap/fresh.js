'use strict'

const { ID_SIZE } = require('../record/layout')
const { kindOf } = require('../nodes/kinds')
const { Reader, damaged } = require('../record/reader')
const { readString } = require('../record/strings')
const { HEADER_SIZE, Writer } = require('../record/writer')
const { NewRecords } = require('./new-records')
const { RecordCopy } = require('./record-copy')
const { Reference } = require('./reference')
const { Text } = require('./text')

/** @typedef {import('../nodes/node').Node} Node */
/** @typedef {import('./sketch').Sketch} Sketch */
/** @typedef {{ node: Node, texts: Text[] }} Made a node of a new object, and the long strings that it holds */

/** The bytes before the value of a record that has an id as its key. */
const VALUE = HEADER_SIZE + ID_SIZE
/** The places of more records are given back. */
const FEW = 4096

/**
 * New objects of the transaction under way, as the records that its commit writes. They are written as soon as they are
 * copied: mostly nobody looks at an object before, so only those that somebody does look at have nodes, which are
 * part of the transaction as others are.
 */
class Fresh {
  #heap
  #writer = new Writer(() => {})
  #reader = new Reader()
  /** The bytes of the records, for the copies that are made of them. */
  #records = new NewRecords(this.#writer)
  #count = 0
  /** By number: ascending, and the place of each. @type {number[]} */
  #ids = []
  /** @type {number[]} */
  #places = []
  /** By id, of those that somebody has looked at. @type {Map<number, Made>} */
  #made = new Map()
  /** By id: nodes that records refer to, and that are not in the pool yet. @type {Map<number, Node>} */
  #others = new Map()

  /** @param {import('./heap').Heap} heap */
  constructor (heap) {
    this.#heap = heap
  }

  /**
   * Gives ids to new objects, and to long strings in them, and writes their records.
   *
   * @param {Sketch} first of the sketches, which has the others
   * @param {number} count
   * @returns {RecordCopy[]} by sketch
   */
  add (first, count) {
    const heap = this.#heap
    heap.transaction.remember(this, 'add', this.#count)
    /** @type {Text[]} */
    const texts = []
    for (let sketch = /** @type {Sketch | undefined} */ (first); sketch !== undefined; sketch = sketch.next) {
      sketch.id = heap.newId()
      if (sketch.texts !== undefined) texts.push(...sketch.texts)
    }
    for (const text of texts) text.id = heap.newId()
    const copies = new Array(count)
    for (let sketch = /** @type {Sketch | undefined} */ (first), number = 0; sketch !== undefined; sketch = sketch.next) copies[number++] = this.#put(sketch)
    for (const text of texts) this.#putText(text)
    return copies
  }

  /** @param {Sketch} sketch */
  #put (sketch) {
    const { id } = sketch
    const writer = this.#writer
    this.#begin(id)
    writer.put(this.#heap.maps.objects, id)
    const { at } = writer
    sketch.encode(writer, this.#heap)
    writer.end()
    return new RecordCopy(sketch, this.#records, at, writer.at)
  }

  /** @param {Text} text */
  #putText (text) {
    this.#begin(text.id)
    text.put(this.#writer, this.#heap.maps.objects)
  }

  /** The record of a sketch, whose values have ids, without a place among the others: valid until the next one. @param {Sketch} sketch */
  recordOf (sketch) {
    const writer = this.#writer
    const { at } = writer
    sketch.encode(writer, this.#heap)
    const record = writer.bytes.subarray(at, writer.at)
    writer.at = at
    return record
  }

  /** @param {number} id */
  #begin (id) {
    this.#ids[this.#count] = id
    this.#places[this.#count++] = this.#writer.at
  }

  /** A record refers to it. @param {Node} node */
  refer (node) {
    if (node.dirty) this.#others.set(node.id, node)
  }

  /**
   * The node of an object that is not in the pool yet; undefined where it is none.
   *
   * @param {number} id
   * @returns {Node | undefined}
   */
  find (id) {
    if (this.#count === 0) return undefined
    return this.#made.get(id)?.node ?? this.#other(id) ?? this.#make(id)
  }

  /** @param {number} id @returns {Node | undefined} */
  #other (id) {
    const node = this.#others.get(id)
    // An id that was taken back may have become another object's.
    return node?.id === id ? node : undefined
  }

  /** Makes nodes of it and of all new objects that it leads to: should they be taken back, a program still has them. @param {number} id */
  #make (id) {
    if (this.#numberOf(id) < 0) return undefined
    const waiting = [this.#decode(id)]
    for (const made of waiting) made.node.exchange(slot => this.#own(slot, made, waiting))
    return waiting[0].node
  }

  /** @param {number} id @returns {Made} */
  #decode (id) {
    const heap = this.#heap
    const reader = this.#read(id)
    const kind = reader.u8()
    const node = new (kindOf(kind))(heap, id)
    node.decode(reader, kind)
    node.version = heap.version
    // It has to stay in memory until the commit.
    heap.transaction.mark(node)
    const made = { node, texts: [] }
    this.#made.set(id, made)
    return made
  }

  /** Gives the slot of a node for one of its record. @param {import('./types').Slot} slot @param {Made} made @param {Made[]} waiting */
  #own (slot, { texts }, waiting) {
    if (slot instanceof Text) {
      slot.string = this.#stringOf(slot.id)
      texts.push(slot)
      return slot
    }
    if (!(slot instanceof Reference)) return slot
    const known = this.#made.get(slot.id)?.node ?? this.#other(slot.id)
    if (known !== undefined || this.#numberOf(slot.id) < 0) return known ?? slot
    const made = this.#decode(slot.id)
    waiting.push(made)
    return made.node
  }

  /** @param {number} id */
  #stringOf (id) {
    const reader = this.#read(id)
    reader.u8()
    return readString(reader)
  }

  /** Turns to the record of an id. @param {number} id */
  #read (id) {
    const number = this.#numberOf(id)
    if (number < 0) throw damaged()
    const end = number + 1 < this.#count ? this.#places[number + 1] : this.#writer.at
    return this.#reader.turnTo(this.#writer, this.#places[number] + VALUE, end)
  }

  /** @param {number} id @returns {number} -1 where there is none */
  #numberOf (id) {
    let from = 0
    for (let to = this.#count; from < to;) {
      const middle = (from + to) >> 1
      if (this.#ids[middle] < id) from = middle + 1
      else to = middle
    }
    return from < this.#count && this.#ids[from] === id ? from : -1
  }

  /** Whether a node is of an object that the transaction adds. @param {Node} node */
  has (node) { return this.#made.get(node.id)?.node === node }

  /** Takes back all from a number on. @param {unknown} _what @param {number} count */
  undo (_what, count) {
    if (count === this.#count) return
    const first = this.#ids[count]
    for (const [id, { node, texts }] of this.#made) {
      if (id < first) continue
      this.#made.delete(id)
      node.detach()
      for (const text of texts) text.dismiss()
    }
    this.#writer.at = this.#places[count]
    this.#count = count
  }

  /** @param {Writer} writer of a commit, at its start */
  write (writer) {
    if (this.#count > 0) writer.raw(this.#writer.bytes.subarray(0, this.#writer.at))
  }

  /** The transaction has ended. */
  clear () {
    if (this.#count === 0) return
    this.#count = 0
    if (this.#ids.length > FEW) {
      this.#ids = []
      this.#places = []
    }
    this.#records.keep()
    this.#records = new NewRecords(this.#writer)
    this.#writer.reset()
    // To clear what is empty takes memory.
    if (this.#made.size > 0) this.#made.clear()
    if (this.#others.size > 0) this.#others.clear()
  }
}

module.exports = { Fresh }
