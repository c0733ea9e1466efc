'use strict'

const { CHUNK, KIND, PART } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readValue, writeValue, HOLE } = require('../record/values')
const { MAX_LENGTH } = require('./array-index')
const { Chunks } = require('./chunks')
const { Node } = require('./node')

/** Positions go up with each element that a queue takes and gives; above this they begin at 0 again. */
const MAX_START = 2 ** 36

/**
 * The elements of an array, in chunks that are read when they are needed. The first element has a position, where the
 * array starts, and the others follow, so that at both ends elements come and go without the others being moved.
 *
 * Record: the length, and the elements where there are no more than a chunk of them; otherwise each
 * chunk of positions is a part, holes being before the start, which the record says where it is not 0. Methods that give
 * or take slots need the node loaded, and drop nothing: see `Heap.drop`.
 */
class Elements extends Node {
  length = 0
  /** Position of the first element, and the number of its chunk. */
  #start = 0
  #first = 0
  /** From the first one on; undefined where it is not in memory. @type {(import('../heap/types').Slot[] | undefined)[]} */
  #chunks = []
  // Numbers of chunks that have changed, whether the length or the start has, and which parts the pool has.
  #changed = new Chunks()
  #resized = false
  #stored = { from: 0, to: 0 }

  /** @param {number} index */
  slot (index) {
    const position = this.#start + index
    return this.#chunk(Math.floor(position / CHUNK))[position % CHUNK]
  }

  /** @param {number} from index @param {number} [to] */
  slotsFrom (from, to = this.length) {
    const slots = []
    for (let index = from; index < to;) {
      const position = this.#start + index
      const chunk = this.#chunk(Math.floor(position / CHUNK))
      const end = Math.min(CHUNK, position % CHUNK + to - index)
      for (let at = position % CHUNK; at < end; at++, index++) slots.push(chunk[at])
    }
    return slots
  }

  /** @param {number} number */
  #chunk (number) {
    return this.#chunks[number - this.#first] ?? this.#readChunk(number)
  }

  /** The number behind that of the last chunk. */
  get #end () {
    return Math.ceil((this.#start + this.length) / CHUNK)
  }

  /** @param {number} index below the length @param {import('../heap/types').Slot} slot */
  setSlot (index, slot) {
    this.heap.transaction.remember(this, index, this.slot(index))
    this.#put(index, slot)
  }

  /** @param {number} index @param {import('../heap/types').Slot} slot */
  #put (index, slot) {
    const position = this.#start + index
    const number = Math.floor(position / CHUNK)
    this.#chunk(number)[position % CHUNK] = slot
    this.#touch(number)
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

  // At the end

  /** @param {import('../heap/types').Slot[]} slots */
  append (slots) {
    if (slots.length === 0) return
    if (this.#start > MAX_START) this.#rebase(-this.#first)
    this.heap.transaction.remember(this, 'append', this.length)
    this.#append(slots)
  }

  /** @param {import('../heap/types').Slot[]} slots */
  #append (slots) {
    for (const slot of slots) {
      const position = this.#start + this.length
      const number = Math.floor(position / CHUNK)
      if (position % CHUNK === 0 || this.length === 0) this.#chunks[number - this.#first] = new Array(position % CHUNK).fill(HOLE)
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
    const end = this.#start + length
    const last = Math.floor(end / CHUNK)
    if (length > 0 && end % CHUNK > 0) {
      this.#chunk(last).length = end % CHUNK
      this.#touch(last)
    }
    this.length = length
    this.#chunks.length = length > 0 ? this.#end - this.#first : 0
    this.#shrunk()
  }

  // At the start

  /** @param {import('../heap/types').Slot[]} slots */
  prepend (slots) {
    if (slots.length === 0) return
    // There is to be room for as many again as there are, so that all is moved now and then only.
    if (slots.length > this.#start) this.#rebase(Math.ceil((slots.length + this.length) / CHUNK))
    this.heap.transaction.remember(this, 'prepend', slots.length)
    this.#prepend(slots)
  }

  /** @param {import('../heap/types').Slot[]} slots */
  #prepend (slots) {
    const end = this.#start
    const wasEmpty = this.length === 0
    const last = wasEmpty ? Math.ceil(end / CHUNK) : this.#first
    this.#start -= slots.length
    this.length += slots.length
    const first = Math.floor(this.#start / CHUNK)
    const added = Array.from({ length: last - first }, () => new Array(CHUNK).fill(HOLE))
    this.#chunks = [...added, ...this.#chunks]
    this.#first = first
    slots.forEach((slot, index) => this.#put(index, slot))
    // The last chunk ends with the last element.
    if (wasEmpty) this.#chunk(last - 1).length = (end - 1) % CHUNK + 1
    this.#resized = true
  }

  /** Takes the first elements away. @param {number} count */
  dropFirst (count) {
    if (count === 0) return
    this.heap.transaction.remember(this, 'dropFirst', this.slotsFrom(0, count))
    this.#dropFirst(count)
  }

  /** @param {number} count */
  #dropFirst (count) {
    this.#start += count
    this.length -= count
    const first = Math.floor(this.#start / CHUNK)
    this.#chunks.splice(0, first - this.#first)
    this.#first = first
    if (this.length === 0) {
      this.#chunks.length = 0
    } else if (this.#start % CHUNK > 0) {
      this.#chunk(first).fill(HOLE, 0, this.#start % CHUNK)
      this.#touch(first)
    }
    this.#shrunk()
  }

  /** There are fewer elements. */
  #shrunk () {
    this.#resized = true
    // All that there is is in the record again.
    if (this.length <= CHUNK) this.slotsFrom(0)
    if (this.attached) this.heap.transaction.mark(this)
  }

  /** Moves all by some chunks. @param {number} count */
  #rebase (count) {
    if (this.length > 0) for (let number = this.#first; number < this.#end; number++) this.#chunk(number)
    this.heap.transaction.remember(this, 'rebase', count)
    this.#move(count)
  }

  /** @param {number} count */
  #move (count) {
    this.#first += count
    this.#start += count * CHUNK
    this.touchAll()
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
    if (typeof what === 'number') this.#put(what, former)
    else if (what === 'append') this.#truncate(former)
    else if (what === 'truncate') this.#append(former)
    else if (what === 'prepend') this.#dropFirst(former)
    else if (what === 'dropFirst') this.#prepend(former)
    else if (what === 'rebase') this.#move(-former)
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
    this.#touch(this.#first)
    for (let number = this.#first; number < this.#end; number++) this.#touch(number)
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

  /** Exchanges the slots of an array in a single chunk. @param {(slot: import('../heap/types').Slot) => import('../heap/types').Slot} other */
  exchange (other) {
    this.#chunks = this.#chunks.map(chunk => chunk?.map(other))
  }

  // Records

  /** Numbers of the parts that the pool is to have. */
  get #parts () {
    return this.length > CHUNK ? { from: this.#first, to: this.#end } : { from: 0, to: 0 }
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    const { from, to } = this.#parts
    const stored = this.#stored
    if (to === 0) return this.#encodeSmall(writer, map)
    if (stored.to === 0) for (let number = from; number < to; number++) this.#changed.add(number)
    if (this.#resized || stored.to === 0) {
      this.#encodeHead(writer, map)
      writer.end()
    }
    this.#changed.forEach(number => {
      if (number < from || number >= to) return
      writer.putPart(map, this.id, PART.chunk, number)
      for (const slot of this.#chunk(number)) writeValue(writer, slot)
      writer.end()
    })
    if (stored.from < from && stored.to > 0) writer.deletePartsBetween(map, this.id, PART.chunk, stored.from, Math.min(from, stored.to))
    if (to < stored.to) writer.deleteParts(map, this.id, PART.chunk, Math.max(to, stored.from))
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  #encodeSmall (writer, map) {
    writer.put(map, this.id)
    writer.reserve(10)
    writer.u8(KIND.array)
    writer.varint(this.length)
    for (const slot of this.slotsFrom(0)) writeValue(writer, slot)
    writer.end()
    if (this.#stored.to > 0) writer.deleteParts(map, this.id, PART.chunk, 0)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  #encodeHead (writer, map) {
    writer.put(map, this.id)
    writer.reserve(20)
    if (this.#start === 0) {
      writer.u8(KIND.array)
    } else {
      writer.u8(KIND.queue)
      writer.varint(this.#start)
    }
    writer.varint(this.length)
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.array && kind !== KIND.queue) throw damaged()
    this.#start = kind === KIND.queue ? reader.varint() : 0
    this.length = reader.varint()
    if (this.length > MAX_LENGTH || this.#start > 2 * MAX_START) throw damaged()
    if (kind === KIND.queue && this.length <= CHUNK) throw damaged()
    this.#first = Math.floor(this.#start / CHUNK)
    this.#chunks = []
    this.#stored = this.#parts
    if (this.#stored.to === 0 && this.length > 0) this.#chunks[0] = this.#decodeChunk(reader, this.length)
    reader.finish()
  }

  /** @param {number} number */
  #readChunk (number) {
    const reader = this.heap.readPart(this.id, PART.chunk, number)
    if (reader === undefined) throw damaged()
    const chunk = this.#decodeChunk(reader, Math.min(CHUNK, this.#start + this.length - number * CHUNK))
    reader.finish()
    this.#chunks[number - this.#first] = chunk
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
