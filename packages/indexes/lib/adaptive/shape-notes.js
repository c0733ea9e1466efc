'use strict'

/**
 * The cost of the finds of one shape so far.
 *
 * @typedef {object} Note
 * @property {import('./shape').Shape['fields']} fields
 * @property {number} asked
 * @property {number} examined documents that were read
 * @property {number} needed those of them that would have been read with an index
 * @property {number} returned
 * @property {number} lastAsked milliseconds
 * @property {number} unseen finds since the last that was noted, of a shape that has taught little
 */

/** The shapes that were asked for lately and have no index; the one asked longest ago goes first. */
class ShapeNotes {
  /** @type {Map<string, Note>} in the order in which they were asked */
  #notes = new Map()
  #settings

  /** @param {import('./adaptive-settings').Settings} settings */
  constructor (settings) {
    this.#settings = settings
  }

  /**
   * @param {import('./shape').Shape} shape
   * @param {{ examined: number, needed: number, returned: number }} cost of a find
   * @param {{ now: number, stands: number }} when stands: for how many finds
   * @returns {Note}
   */
  add ({ fields, key }, { examined, needed, returned }, { now, stands }) {
    const note = this.#recent(key, now) ?? newNote(fields)
    note.asked += stands
    note.examined += stands * examined
    note.needed += stands * needed
    note.returned += stands * returned
    note.lastAsked = now
    this.#notes.delete(key)
    this.#notes.set(key, note)
    if (this.#notes.size > this.#settings.maxShapes) this.#notes.delete(/** @type {string} */ (this.#notes.keys().next().value))
    return note
  }

  /**
   * A shape that was asked long ago begins again from nothing.
   *
   * @param {string} key
   * @param {number} now
   */
  #recent (key, now) {
    const note = this.#notes.get(key)
    return note !== undefined && now - note.lastAsked < this.#settings.restAfter ? note : undefined
  }

  /** @param {import('./shape').Shape} shape @returns {Note | undefined} */
  find ({ key }) { return this.#notes.get(key) }

  /** @param {import('./shape').Shape} shape @returns {Note} */
  get (shape) { return this.find(shape) ?? newNote(shape.fields) }

  /** @param {string[]} fields */
  remove (fields) { this.#notes.delete(JSON.stringify(fields)) }

  clear () { this.#notes.clear() }

  /** @returns {Note[]} the last asked first */
  list () { return [...this.#notes.values()].reverse() }
}

/** @param {string[]} fields @returns {Note} */
function newNote (fields) { return { fields, asked: 0, examined: 0, needed: 0, returned: 0, lastAsked: 0, unseen: 0 } }

/** Finds of which one is noted, where they teach little. */
const ONE_IN = 16

/** Documents of a hundred that a find has to read in vain to teach more than little. */
const LITTLE = 0.01

/**
 * Whether there is little to be learned from a shape: no index would pay, or only after very many finds.
 *
 * @param {Note} note
 * @param {number} documents in the database
 */
function isDull ({ asked, examined, needed }, documents) {
  return asked >= ONE_IN && (needed > examined / 2 || examined - needed < LITTLE * asked * documents)
}

/**
 * Whether an index pays: building it reads every document once, so it is time when that many were read in
 * vain; and of those that finds read, most must be in vain, for an index costs something with each write.
 *
 * @param {Note} note
 * @param {number} documents in the database
 * @param {import('./adaptive-settings').Settings} settings
 */
function pays ({ asked, examined, needed }, documents, { askThreshold, minDocuments }) {
  return asked >= askThreshold && documents >= minDocuments && examined - needed >= documents && needed <= examined / 2
}

module.exports = { ONE_IN, ShapeNotes, isDull, pays }
