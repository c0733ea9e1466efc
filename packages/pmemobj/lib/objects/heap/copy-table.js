'use strict'

/** @typedef {import('./originals').Copy} Copy */
/** A turn of the event loop, as one pool knows it. @typedef {{ isOver: boolean }} Turn */
/** Values that were copied one after the other in a turn. @typedef {{ turn: Turn }} Batch */

/** Copies of a batch, at most: they are held as long as one of its values is. */
const BATCH = 256

/** Returns an object in the place of a new one, so that a subclass gives it private fields. */
class Itself {
  /** @param {object} value */
  constructor (value) { return value }
}

/** The place of a plain value's last copy, in private fields that no program sees. */
class Note extends Itself {
  #batch
  #number

  /** @param {object} value @param {Batch} batch @param {number} number of the copy in it */
  constructor (value, batch, number) {
    super(value)
    this.#batch = batch
    this.#number = number
  }

  /** @param {any} value @returns {Batch | undefined} */
  static batchOf (value) { return #batch in value ? value.#batch : undefined }

  /** @param {any} value that has a note */
  static numberOf (value) { return value.#number }

  /** @param {any} value @param {Batch} batch @param {number} number */
  static put (value, batch, number) {
    if (!(#batch in value)) return new Note(value, batch, number)
    value.#batch = batch
    value.#number = number
  }
}

/**
 * Copies by values, until the turn ends. A value has a note of its batch, and only batches are known weakly: to know each
 * value so takes half as long as to store it.
 */
class CopyTable {
  /** @type {Turn} */
  #turn = { isOver: false }
  /** @type {Batch} */
  #batch = { turn: this.#turn }
  /** The copies of this batch; undefined: it was taken back. @type {(Copy | undefined)[]} */
  #copies = []
  /** The copies of the batches before. @type {WeakMap<Batch, (Copy | undefined)[]>} */
  #batches = new WeakMap()
  /** The copies of values that have a note of another pool, or refuse one. @type {WeakMap<object, Copy> | undefined} */
  #others

  /** @param {object} value @returns {Copy | undefined} */
  get (value) {
    const copies = this.#copiesWith(value)
    return copies === undefined ? this.#others?.get(value) : copies[Note.numberOf(value)]
  }

  /** The copies of the batch of a value, if it has one here. @param {object} value */
  #copiesWith (value) {
    const batch = Note.batchOf(value)
    if (batch === undefined) return undefined
    return batch === this.#batch ? this.#copies : this.#batches.get(batch)
  }

  /** @param {object} value @param {Copy} copy */
  set (value, copy) {
    if (this.#copies.length === BATCH) this.#beginBatch()
    if (this.#note(value)) this.#copies.push(copy)
    else (this.#others ??= new WeakMap()).set(value, copy)
  }

  /** Notes that the next copy is of a value. @param {object} value @returns {boolean} whether that takes it */
  #note (value) {
    const turn = Note.batchOf(value)?.turn
    if (turn !== undefined && turn !== this.#turn && !turn.isOver) return false
    try {
      Note.put(value, this.#batch, this.#copies.length)
      return true
    } catch {
      // Later versions of JavaScript give what is frozen no private fields.
      return false
    }
  }

  #beginBatch () {
    this.#batches.set(this.#batch, this.#copies)
    this.#batch = { turn: this.#turn }
    this.#copies = []
  }

  /** @param {object} value that has a copy */
  delete (value) {
    const copies = this.#copiesWith(value)
    if (copies === undefined) this.#others?.delete(value)
    else copies[Note.numberOf(value)] = undefined
  }

  /** The turn has ended: values stay as they are, and nobody else holds their copies. */
  end () { this.#turn.isOver = true }
}

module.exports = { CopyTable }
