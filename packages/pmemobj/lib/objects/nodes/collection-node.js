'use strict'

const { CHUNK, PART } = require('../record/layout')
const { damaged } = require('../record/reader')
const { HOLE, readValue, writeValue } = require('../record/values')
const { Reference } = require('../heap/reference')
const { Text } = require('../heap/text')
const { Chunks } = require('./chunks')
const { Cursor } = require('./table-iterator')
const { NOTHING, Node, nodeOf } = require('./node')
const { Table } = require('./table')

/** A table with more positions, most of them holes, is made again. */
const SPARSE = 2 * CHUNK

/**
 * The common part of Maps and Sets. A subclass says `kind`, and whether its entries have values.
 *
 * Record: its kind, the number of positions, and the entries where there are no more positions than
 * a chunk has; otherwise each chunk is a part. An entry is its position in the chunk (u8), key, and
 * value if entries have any; one that was deleted is left out.
 */
class CollectionNode extends Node {
  /** @type {Table} */
  table = new Table()
  // Chunks that have changed, whether the number of positions has, and how many parts the pool has.
  #changed = new Chunks()
  #resized = false
  #stored = 0

  /** First byte of its records. @returns {number} */
  get kind () { throw new Error('A collection of no kind') }

  get hasValues () { return false }

  // Methods of the object

  get size () {
    this.#enter()
    return this.table.size
  }

  /** @param {unknown} key */
  has (key) {
    this.#enter()
    return this.find(key) !== undefined
  }

  #enter () {
    if (this.version !== this.heap.version) this.load()
    this.touched = true
  }

  /**
   * The position of a key; undefined where there is none. The node is loaded.
   *
   * @param {unknown} key
   */
  find (key) {
    if (!isObject(key)) return this.table.find(/** @type {import('../heap/types').Slot} */ (key))
    const node = nodeOf(key) ?? this.heap.originals.copyOf(/** @type {object} */ (key))
    return node === undefined || node.heap !== this.heap ? undefined : this.table.find(node)
  }

  /** @param {unknown} key */
  value (key) {
    this.#enter()
    const position = this.find(key)
    if (position === undefined) return undefined
    const slot = this.table.values[position]
    return typeof slot === 'object' && slot !== null ? slot.reveal(this.heap) : slot
  }

  /** @param {unknown} key @param {unknown} value */
  put (key, value) {
    this.change(() => {
      const slot = this.adopt(value)
      const keySlot = this.#keySlot(key === 0 ? 0 : key)
      const position = this.find(key)
      if (position === undefined) return this.#append(keySlot, slot)
      // It has that key already: a string that was copied for it is not needed.
      if (keySlot instanceof Text) keySlot.drop(this.heap)
      if (this.hasValues) this.#replace(position, slot)
    })
  }

  /** A table finds nodes. @param {unknown} key */
  #keySlot (key) {
    const slot = this.adopt(key)
    return slot instanceof Reference ? this.heap.find(slot.id) : slot
  }

  /** @param {import('../heap/types').Slot} key @param {import('../heap/types').Slot} value */
  #append (key, value) {
    const { table } = this
    this.heap.transaction.remember(this, 'append', undefined)
    table.append(key, value)
    this.#touch(table.length - 1)
    this.#resized = true
  }

  /** @param {number} position @param {import('../heap/types').Slot} slot */
  #replace (position, slot) {
    const { values } = this.table
    this.heap.drop([values[position]])
    this.heap.transaction.remember(this, position, values[position])
    values[position] = slot
    this.#touch(position)
  }

  /** @param {unknown} key */
  remove (key) {
    if (!this.has(key)) return false
    return this.change(() => {
      const position = this.find(key)
      if (position === undefined) return false
      const { heap, table } = this
      const former = { position, key: table.keys[position], value: table.values[position] }
      heap.drop([former.key, former.value])
      heap.transaction.remember(this, 'remove', former)
      table.remove(position)
      this.#touch(position)
      if (table.length > SPARSE && table.size <= table.length / 2) this.#become(table.compact())
      return true
    })
  }

  clear () {
    if (this.size === 0) return
    this.change(() => {
      const { heap, table } = this
      heap.drop(table.keys)
      heap.drop(table.values)
      this.#become(table.clear())
    })
  }

  /** @param {Table} table */
  #become (table) {
    this.heap.transaction.remember(this, 'table', this.table)
    this.table = table
    this.touchAll()
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    const { table } = this
    if (typeof what === 'number') table.values[what] = former
    else if (what === 'append') table.pop()
    else if (what === 'remove') table.restore(former.position, former.key, former.value)
    else if (what === 'table') this.#return(former)
    else super.undo(what, former)
  }

  /** @param {Table} table */
  #return (table) {
    this.table.giveWayTo(table)
    this.table = table
    this.touchAll()
  }

  /** @param {(cursor: Cursor, position: number) => void} visit */
  each (visit) {
    this.#enter()
    const cursor = new Cursor(this)
    for (let position = cursor.next(); position >= 0; position = cursor.next()) visit(cursor, position)
  }

  /** @param {number} position */
  #touch (position) {
    if (!this.attached) return
    this.#changed.add(Math.floor(position / CHUNK))
    this.heap.transaction.mark(this)
  }

  touchAll () {
    this.#resized = true
    for (let chunk = 0; chunk === 0 || chunk * CHUNK < this.table.length; chunk++) this.#touch(chunk * CHUNK)
  }

  committed () {
    this.#stored = this.#parts
    this.table.settle()
    super.committed()
  }

  settle () {
    this.#changed.clear()
    this.#resized = false
  }

  forget () {
    this.table = NOTHING
  }

  /** @param {import('../heap/types').Visit} visit */
  eachChild (visit) {
    const { keys, values } = this.table
    for (const key of keys) visit(key)
    for (const value of values) visit(value)
  }

  // Records

  get #parts () {
    const { length } = this.table
    return length > CHUNK ? Math.ceil(length / CHUNK) : 0
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    const parts = this.#parts
    if (this.#resized || parts === 0) this.#encodeHead(writer, map, parts)
    if (parts > 0 && this.#stored === 0) this.#changed.add(0)
    this.#changed.forEach(chunk => {
      if (chunk >= parts) return
      writer.putPart(map, this.id, PART.chunk, chunk)
      this.#encodeChunk(writer, chunk * CHUNK)
      writer.end()
    })
    if (parts < this.#stored) writer.deleteParts(map, this.id, PART.chunk, parts)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map @param {number} parts */
  #encodeHead (writer, map, parts) {
    writer.put(map, this.id)
    writer.reserve(10)
    writer.u8(this.kind)
    writer.varint(this.table.length)
    if (parts === 0) this.#encodeChunk(writer, 0)
    writer.end()
  }

  /** @param {import('../record/writer').Writer} writer @param {number} from */
  #encodeChunk (writer, from) {
    const { keys, values } = this.table
    const end = Math.min(from + CHUNK, keys.length)
    for (let position = from; position < end; position++) {
      if (keys[position] === HOLE) continue
      writer.reserve(1)
      writer.u8(position - from)
      writeValue(writer, keys[position])
      if (this.hasValues) writeValue(writer, values[position])
    }
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== this.kind) throw damaged()
    const length = reader.varint()
    const table = new Table()
    if (length <= CHUNK) {
      this.#decodeChunk(reader, table, length)
    } else {
      reader.finish()
      while (table.length < length) {
        if (this.heap.readPart(this.id, PART.chunk, table.length / CHUNK) === undefined) throw damaged()
        this.#decodeChunk(reader, table, Math.min(table.length + CHUNK, length))
      }
    }
    this.table = this.#indexed(table)
    this.#stored = this.#parts
  }

  /** @param {import('../record/reader').Reader} reader @param {Table} table @param {number} end */
  #decodeChunk (reader, table, end) {
    const from = table.length
    while (!reader.done) {
      const position = from + reader.u8()
      if (position < table.length || position >= end) throw damaged()
      table.skipTo(position)
      const key = readValue(reader)
      if (key === HOLE) throw damaged()
      table.keys.push(key)
      table.values.push(this.hasValues ? readValue(reader) : undefined)
    }
    table.skipTo(end)
  }

  /**
   * Long strings are records of their own: they are read when the reader has nothing else to read.
   *
   * @param {Table} table
   */
  #indexed (table) {
    for (const key of table.keys) {
      if (key instanceof Text) key.reveal(this.heap)
    }
    if (!table.indexAll()) throw damaged()
    return table
  }
}

/** @param {unknown} value */
function isObject (value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

module.exports = { CollectionNode }
