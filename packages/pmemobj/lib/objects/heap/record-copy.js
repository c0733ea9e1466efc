'use strict'

const { kindFor } = require('../nodes/kinds')
const { nodeOf } = require('../nodes/node')
const { SHORT, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { isPrimitive } = require('./primitive')
const { Reference } = require('./reference')
const { sketchFor } = require('./sketch')

/**
 * The copy of a plain value that became a record. It has the record's bytes, as a string, and not what they were made of: V8
 * copies all that a WeakMap's value leads to, also where its key is gone, and most plain values are gone soon.
 */
class RecordCopy {
  #id
  #record
  /** Strings that have records of their own. @type {import('./text').Text[] | undefined} */
  #texts

  /** @param {import('./sketch').Sketch} sketch @param {string} record */
  constructor ({ id, texts }, record) {
    this.#id = id
    this.#record = record
    this.#texts = texts
  }

  get slot () { return new Reference(this.#id) }

  /**
   * All that a plain value holds, if that is what the record was made of; undefined if it was changed.
   *
   * @param {any} value
   * @param {import('./heap').Heap} heap
   * @returns {unknown[] | undefined}
   */
  contentIn (value, heap) {
    const sketch = sketchFor(value, kindFor(value, heap))
    if (sketch === undefined) return undefined
    const texts = (this.#texts ?? []).values()
    sketch.read({ slotOf: child => this.#slotOf(child, texts, heap) }, heap)
    return sketch.slots !== undefined && !sketch.isNew && heap.fresh.recordOf(sketch) === this.#record ? sketch.content : undefined
  }

  /**
   * The slot of what a value holds; a hole, which no such record has, where it has none.
   *
   * @param {any} child
   * @param {Iterator<import('./text').Text>} texts those that follow
   * @param {import('./heap').Heap} heap
   * @returns {import('./types').Slot}
   */
  #slotOf (child, texts, heap) {
    if (typeof child === 'string' && child.length > SHORT) {
      const text = texts.next().value
      return text?.string === child ? text : HOLE
    }
    if (typeof child === 'symbol' && Symbol.keyFor(child) === undefined) return HOLE
    if (isPrimitive(child)) return child
    const node = nodeOf(child)
    const slot = node?.heap === heap ? node : heap.originals.slotOf(child)
    return slot === undefined || slot.id === UNATTACHED ? HOLE : slot
  }
}

module.exports = { RecordCopy }
