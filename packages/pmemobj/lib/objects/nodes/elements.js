'use strict'

const { CHUNK, KIND, PART } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readValue, writeValue } = require('../record/values')
const { MAX_LENGTH } = require('./array-index')
const { Chunks } = require('./chunks')
const { Node } = require('./node')

/**
 * The elements of an array, in chunks that are read when they are needed.
 *
 * Record: the length, and the elements where there are no more than a chunk of them; otherwise each
 * chunk is a part. Methods that give or take slots need the node loaded, and drop nothing: see
 * `Heap.drop`.
 */
class Elements extends Node {
  length = 0
  /** By number; undefined where it is not in memory. @type {import('../heap/types').Slot[][]} */
  #chunks = []
  // Chunks that have changed, whether the length has, and how many parts the pool has.
  #changed = new Chunks()
  #resized = false
  #stored = 0

  /** @param {number} index */
  slot (index) {
    return this.#chunk(Math.floor(index / CHUNK))[index % CHUNK]
  }

  /** @param {number} start */
  slotsFrom (start) {
    const slots = []
    for (let number = Math.floor(start / CHUNK); number * CHUNK < this.length; number++) {
      for (const slot of this.#chunk(number)) slots.push(slot)
    }
    return slots.slice(start % CHUNK)
  }

  /** @param {number} number */
  #chunk (number) {
    return this.#chunks[number] ?? this.#readChunk(number)
  }

  /** @param {number} index below the length @param {import('../heap/types').Slot} slot */
  setSlot (index, slot) {
    const chunk = this.#chunk(Math.floor(index / CHUNK))
    this.heap.transaction.remember(this, index, chunk[index % CHUNK])
    chunk[index % CHUNK] = slot
    this.#touch(Math.floor(index / CHUNK))
  }

  /**
   * Its first elements: nothing of it is in the pool.
   *
   * @param {import('../heap/types').Slot[]} slots
   */
  begin (slots) {
    for (let at = 0; at < slots.length; at += CHUNK) this.#chunks.push(slots.slice(at, at + CHUNK))
    this.length = slots.length
  }

  /** @param {import('../heap/types').Slot[]} slots */
  append (slots) {
    if (slots.length === 0) return
    this.heap.transaction.remember(this, 'append', this.length)
    this.#append(slots)
  }

  /** @param {import('../heap/types').Slot[]} slots */
  #append (slots) {
    for (const slot of slots) {
      const number = Math.floor(this.length / CHUNK)
      if (this.length % CHUNK === 0) this.#chunks[number] = []
      this.#chunk(number).push(slot)
      this.length++
      this.#touch(number)
    }
    this.#resized = true
  }

  /** @param {number} length */
  truncate (length) {
    if (length >= this.length) return
    this.heap.transaction.remember(this, 'truncate', this.slotsFrom(length))
    this.#truncate(length)
  }

  /** @param {number} length */
  #truncate (length) {
    const last = Math.floor(length / CHUNK)
    if (length % CHUNK > 0) this.#chunk(last).length = length % CHUNK
    this.length = length
    this.#chunks.length = Math.ceil(length / CHUNK)
    this.#resized = true
    // A chunk that was all there was is in the record again.
    if (length <= CHUNK && length > 0) this.#chunk(0)
    this.#touch(last)
  }

  /**
   * Puts slots in the place of all from an index on.
   *
   * @param {number} start
   * @param {import('../heap/types').Slot[]} slots
   */
  replaceFrom (start, slots) {
    this.truncate(start)
    this.append(slots)
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    if (typeof what === 'number') this.#chunk(Math.floor(what / CHUNK))[what % CHUNK] = former
    else if (what === 'append') this.#truncate(former)
    else if (what === 'truncate') this.#append(former)
    else super.undo(what, former)
  }

  /** @param {number} number */
  #touch (number) {
    if (!this.attached) return
    this.#changed.add(number)
    this.heap.transaction.mark(this)
  }

  touchAll () {
    this.#resized = true
    for (let number = 0; number === 0 || number * CHUNK < this.length; number++) this.#touch(number)
  }

  committed () {
    this.#stored = this.#parts
    super.committed()
  }

  settle () {
    this.#changed.clear()
    this.#resized = false
  }

  forget () {
    this.#chunks = []
  }

  /** @param {import('../heap/types').Visit} visit */
  eachChild (visit) {
    for (const slot of this.slotsFrom(0)) visit(slot)
  }

  // Records

  get #parts () {
    return this.length > CHUNK ? Math.ceil(this.length / CHUNK) : 0
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    const parts = this.#parts
    if (parts === 0) return this.#encodeSmall(writer, map)
    if (this.#stored === 0) this.#changed.add(0)
    if (this.#resized) {
      this.#encodeLength(writer, map)
      writer.end()
    }
    this.#changed.forEach(number => {
      if (number >= parts) return
      writer.putPart(map, this.id, PART.chunk, number)
      for (const slot of this.#chunk(number)) writeValue(writer, slot)
      writer.end()
    })
    if (parts < this.#stored) writer.deleteParts(map, this.id, PART.chunk, parts)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  #encodeSmall (writer, map) {
    this.#encodeLength(writer, map)
    if (this.length > 0) {
      for (const slot of this.#chunk(0)) writeValue(writer, slot)
    }
    writer.end()
    if (this.#stored > 0) writer.deleteParts(map, this.id, PART.chunk, 0)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  #encodeLength (writer, map) {
    writer.put(map, this.id)
    writer.reserve(10)
    writer.u8(KIND.array)
    writer.varint(this.length)
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.array) throw damaged()
    this.length = reader.varint()
    if (this.length > MAX_LENGTH) throw damaged()
    this.#chunks = []
    this.#stored = this.#parts
    if (this.#stored === 0 && this.length > 0) this.#chunks[0] = this.#decodeChunk(reader, this.length)
    reader.finish()
  }

  /** @param {number} number */
  #readChunk (number) {
    const reader = this.heap.readPart(this.id, PART.chunk, number)
    if (reader === undefined) throw damaged()
    const chunk = this.#decodeChunk(reader, Math.min(CHUNK, this.length - number * CHUNK))
    reader.finish()
    this.#chunks[number] = chunk
    return chunk
  }

  /** @param {import('../record/reader').Reader} reader @param {number} size */
  #decodeChunk (reader, size) {
    const chunk = []
    for (let i = 0; i < size; i++) chunk.push(readValue(reader))
    return chunk
  }
}

module.exports = { Elements }
