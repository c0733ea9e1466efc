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
   * @param {number} now
   * @returns {Note}
   */
  add ({ fields }, { examined, needed, returned }, now) {
    const key = JSON.stringify(fields)
    const note = this.#recent(key, now) ?? newNote(fields)
    note.asked++
    note.examined += examined
    note.needed += needed
    note.returned += returned
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

  /** @param {Pick<import('./shape').Shape, 'fields'>} shape @returns {Note} */
  get ({ fields }) { return this.#notes.get(JSON.stringify(fields)) ?? newNote(fields) }

  /** @param {string[]} fields */
  remove (fields) { this.#notes.delete(JSON.stringify(fields)) }

  clear () { this.#notes.clear() }

  /** @returns {Note[]} the last asked first */
  list () { return [...this.#notes.values()].reverse() }
}

/** @param {string[]} fields @returns {Note} */
function newNote (fields) { return { fields, asked: 0, examined: 0, needed: 0, returned: 0, lastAsked: 0 } }

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

module.exports = { ShapeNotes, pays }
