'use strict'

const { kindFor } = require('../nodes/kinds')
const { nodeOf } = require('../nodes/node')
const { SHORT, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { isPrimitive } = require('./primitive')
const { Reference } = require('./reference')
const { sketchFor } = require('./sketch')

/**
 * The copy of a plain value that became a record. It knows where the record's bytes are, and not what they were made of: V8
 * copies all that a WeakMap's value leads to, also where its key is gone, and most plain values are gone soon.
 */
class RecordCopy {
  #id
  #records
  #from
  #to
  /** Strings that have records of their own. @type {import('./text').Text[] | undefined} */
  #texts

  /**
   * @param {import('./sketch').Sketch} sketch
   * @param {import('./new-records').NewRecords} records of the transaction, in which its own has a place
   * @param {number} from
   * @param {number} to
   */
  constructor ({ id, texts }, records, from, to) {
    this.#id = id
    this.#texts = texts
    this.#records = records
    this.#from = from
    this.#to = to
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
    return sketch.slots !== undefined && !sketch.isNew && this.#isRecordOf(sketch, heap) ? sketch.content : undefined
  }

  /** @param {import('./sketch').Sketch} sketch @param {import('./heap').Heap} heap */
  #isRecordOf (sketch, { fresh }) {
    return fresh.recordOf(sketch).equals(this.#records.bytes.subarray(this.#from, this.#to))
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
