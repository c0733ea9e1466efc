'use strict'

const { couchCollation } = require('@potoroo/collation')
const { toObjectInTurns } = require('@potoroo/document-store')
const { mapFields } = require('../mango/indexes/field-mapper')
const { makeRow } = require('../rows/row')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../rows/row').Row} Row
 */

/** The beginning of the signatures of learned indexes: no clean-up of design documents drops them. */
const PREFIX = 'auto:'

/** Rows that are read in the time of one document. */
const ROWS_A_DOCUMENT = 4

/** Milliseconds after a failed update in which the index is left alone, and failures in a row after which it goes. */
const PAUSE = 60 * 1000
const MOST_FAILURES = 3

/**
 * The record of a learned index. Times are milliseconds.
 *
 * @typedef {object} Lesson
 * @property {string[]} fields
 * @property {number} since when it was learned
 * @property {number} asked how often its shape was asked, before and since
 * @property {number} scans how many finds had to do without it
 * @property {number} examined documents that they read
 * @property {number} returned documents that they gave
 * @property {number} lastAsked
 */

/** An index that was learned: it follows its database, or rests. */
class LearnedIndex {
  #store
  #settings
  #wanted = true
  #holders = 0
  #released = () => {}
  #now
  #failures = 0
  #failedAt = 0
  /** The error of the last update. @type {Error | null} */
  error = null
  /** Whether it has more rows than there is room for. */
  isTooLarge = false
  /** The index as the planner sees it. @type {import('../mango/indexes/index-descriptor').IndexDescriptor} */
  descriptor = /** @type {import('../mango/indexes/index-descriptor').IndexDescriptor} */ (/** @type {unknown} */ (null))
  /** Whether what is stored of the lesson is older than it. */
  changed = false

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('../index/view-index').ViewIndex} index
   * @param {Lesson} lesson
   * @param {{ settings: import('./adaptive-settings').Settings, now: () => number }} options
   */
  constructor (store, index, lesson, { settings, now }) {
    this.#store = store
    this.#settings = settings
    this.#now = now
    this.index = index
    this.lesson = lesson
  }

  get signature () { return this.index.signature }
  get fields () { return this.lesson.fields }
  get rows () { return this.index.rows }
  /** Bytes of its rows. */
  get size () { return this.rows.state.active }

  /** Changes that are not indexed yet; Infinity where it has to begin again. */
  get behind () {
    const purges = this.#store.purgeSeq - this.rows.purgeSeq
    return purges > this.#store.purgedInfosLimit ? Infinity : this.index.pending + purges
  }

  /** Whether a query may wait for it to be brought up to date. */
  get usable () { return this.behind <= this.#settings.catchUp }

  /** How many rows may be read before a scan would have been quicker. */
  get affordable () {
    const { examined, scans } = this.lesson
    return Math.ceil(ROWS_A_DOCUMENT * examined / Math.max(1, scans))
  }

  /** Whether it failed just now: to try again at once would cost each find and write as much. @param {number} now */
  isPausing (now) { return this.error !== null && now - this.#failedAt < PAUSE }
  /** Whether it is not worth another try. */
  get isHopeless () { return this.isTooLarge || this.#failures >= MOST_FAILURES }

  /** @param {number} now */
  isResting (now) { return now - this.lesson.lastAsked >= this.#settings.restAfter }
  /** @param {number} now */
  isForgotten (now) { return now - this.lesson.lastAsked >= this.#settings.dropAfter }

  /** @param {number} now @returns {'building' | 'ready' | 'resting' | 'failed'} */
  stateAt (now) {
    if (this.error !== null) return 'failed'
    if (this.isResting(now)) return 'resting'
    return this.usable ? 'ready' : 'building'
  }

  /** @param {number} now */
  ask (now) {
    this.lesson.asked++
    this.use(now)
  }

  /** @param {number} now */
  use (now) {
    this.lesson.lastAsked = now
    this.changed = true
  }

  /** A find that had to do without it. @param {{ examined: number, returned: number }} cost */
  missed ({ examined, returned }) {
    this.lesson.scans++
    this.lesson.examined += examined
    this.lesson.returned += returned
    this.changed = true
  }

  /**
   * Brings it up to date. An error is kept, and it is tried again later.
   *
   * @param {{ background?: boolean }} [options]
   */
  async refresh ({ background = false } = {}) {
    try {
      await this.index.update({ onStep: () => this.#checkSize() }, { background, wanted: () => this.#wanted })
      this.error = null
      this.#failures = 0
    } catch (error) {
      this.error = error
      this.#failures++
      this.#failedAt = this.#now()
    }
  }

  /** Ends an update, by an error. */
  #checkSize () {
    if (this.size <= this.#settings.maxSize) return
    this.isTooLarge = true
    throw new Error(`The index has more than ${this.#settings.maxSize} bytes`)
  }

  /** Keeps it from being dropped, until it is released as often. */
  hold () { this.#holders++ }

  release () { if (--this.#holders === 0) this.#released() }

  /** Is not brought up to date any more, and waits until nobody holds it. */
  async leave () {
    this.#wanted = false
    if (this.#holders > 0) await new Promise(resolve => { this.#released = () => resolve(undefined) })
  }
}

/** @param {string} signature */
function isLearned (signature) { return signature.startsWith(PREFIX) }

/**
 * The definition of an index of some fields.
 *
 * @param {string[]} fields
 * @param {string} name that its updates are shown under
 * @returns {import('../index/view-index').Definition}
 */
function definitionOf (fields, name) {
  const map = mapFields(fields)
  return {
    signature: PREFIX + JSON.stringify(fields),
    design: name,
    collations: [couchCollation],
    reads: {},
    map: documents => rowsOf(documents, map)
  }
}

/**
 * A large document is read in turns.
 *
 * @param {Document[]} documents
 * @param {ReturnType<typeof mapFields>} map
 * @returns {Promise<Row[][]>}
 */
async function rowsOf (documents, map) {
  const rows = []
  for (const document of documents) {
    const read = toObjectInTurns(document)
    const doc = read instanceof Promise ? await read : read
    const mapped = map(doc, document.body.length)
    rows.push((mapped instanceof Promise ? await mapped : mapped).map(([key]) => makeRow(couchCollation, 0, key, null)))
  }
  return rows
}

module.exports = { LearnedIndex, ROWS_A_DOCUMENT, definitionOf, isLearned }
