'use strict'

const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readString, writeString } = require('../record/strings')

/**
 * A string that is too long for its slot: a record of its own, which belongs to that one slot and
 * goes with what it held. So that to change a number does not write the novel beside it.
 */
class Text {
  /**
   * @param {number} id
   * @param {string | undefined} string undefined until it is read
   */
  constructor (id, string) {
    this.id = id
    this.string = string
    // Whether the pool has it, and whether its slot has something else now.
    this.stored = string === undefined
    this.dropped = false
  }

  /** @param {import('./heap').Heap} heap */
  reveal (heap) {
    return (this.string ??= this.#read(heap))
  }

  /** @param {import('./heap').Heap} heap */
  #read (heap) {
    const reader = heap.read(this.id)
    if (reader === undefined || reader.u8() !== KIND.text) throw damaged()
    const string = readString(reader)
    reader.finish()
    return string
  }

  /** @param {import('./heap').Heap} heap */
  attach (heap) {
    this.id = heap.newId()
    heap.transaction.texts.push(this)
    heap.transaction.remember(this, 'attach', undefined)
  }

  /**
   * Its slot gets another value.
   *
   * @param {import('./heap').Heap} heap
   */
  drop (heap) {
    if (this.id === UNATTACHED || this.dropped) return
    this.dropped = true
    heap.transaction.texts.push(this)
    heap.transaction.remember(this, 'drop', undefined)
  }

  /** @param {unknown} what */
  undo (what) {
    if (what === 'attach') this.id = UNATTACHED
    this.dropped = false
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  write (writer, map) {
    if (this.id === UNATTACHED || this.dropped === !this.stored) return
    if (this.dropped) return writer.delete(map, this.id)
    this.put(writer, map)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  put (writer, map) {
    writer.put(map, this.id)
    writer.reserve(1)
    writer.u8(KIND.text)
    writeString(writer, /** @type {string} */ (this.string))
    writer.end()
  }

  /** It is not in the pool, nor about to be. */
  dismiss () {
    this.id = UNATTACHED
    this.stored = false
    this.dropped = false
  }

  committed () {
    if (this.id !== UNATTACHED) this.stored = !this.dropped
  }
}

module.exports = { Text }
