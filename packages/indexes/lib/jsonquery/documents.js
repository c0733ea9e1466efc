'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { tooMuch } = require('./query-error')
const { comparison, inOrder, sizeOf, sortKeys } = require('./steps')
const { valueOf } = require('./evaluate')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../mango/run/find-result').FindAnswer} FindAnswer
 * @typedef {import('../mango/run/mango').Mango} Mango
 * @typedef {import('./plan').Plan} Plan
 * @typedef {{ value: any, keys: string[], place: any, size: number, document: Document }} Row place: its id
 */

/** Rows that are in memory at once, and characters of their documents. */
const MOST_ROWS = 50_000
const MOST_CHARACTERS = 16 * 1024 * 1024

/** Rows beyond those that are wanted that wait to be sorted. */
const SPARE = 2000

/** A limit for Mango where there is none. */
const NO_LIMIT = 2 ** 40

/** Finds the documents that a plan begins with, in the order that it asks for: of their ids, or of the sort. */
class Documents {
  #mango
  #database
  #plan
  #work
  #isWanted
  #reader
  #onFind
  /** @type {Row[]} */
  #rows = []
  #size = 0

  /**
   * @param {Mango} mango
   * @param {DocumentStore} database
   * @param {Plan} plan
   * @param {{ work: import('./work').Work, isWanted: () => boolean, reader?: import('@potoroo/document-store').MemberStore, onFind?: (figures: FindAnswer['figures']) => void }} options
   */
  constructor (mango, database, plan, { work, isWanted, reader, onFind = () => {} }) {
    this.#mango = mango
    this.#database = database
    this.#plan = plan
    this.#work = work
    this.#isWanted = isWanted
    this.#reader = reader
    this.#onFind = onFind
  }

  /** The body of the find, whether its rows come in the order of the query, and whether they are all that it asks for. */
  async ask () {
    const { selector, order, sort, isExact, skip, most } = this.#plan
    const bodies = order === null ? [] : [{ selector, sort: order }]
    if (sort === null) bodies.push(/** @type {any} */ ({ selector }))
    for (const body of bodies) {
      if (!this.#isInOrder(await this.#search({ ...body, limit: NO_LIMIT }))) continue
      if (!isExact) return { body: { ...body, limit: NO_LIMIT }, isOrdered: true, isCut: false }
      return { body: { ...body, skip: Math.min(skip, NO_LIMIT), limit: Math.min(most, NO_LIMIT) }, isOrdered: true, isCut: true }
    }
    return { body: { selector, limit: NO_LIMIT }, isOrdered: false, isCut: false }
  }

  /** @param {Record<string, any>} body @returns {Promise<FindAnswer | null>} null if nothing sorts so */
  async #search (body) {
    try {
      return await this.#mango.search(this.#database, body, undefined, this.#reader)
    } catch (error) {
      if (/** @type {any} */ (error).error === 'no_usable_index') return null
      throw error
    }
  }

  /** @param {FindAnswer | null} answer @returns {answer is FindAnswer} */
  #isInOrder (answer) { return answer !== null && (this.#plan.sort === null ? answer.isById : answer.isByIdThen) }

  /**
   * @param {boolean} [byId] whether only a way in the order of ids is taken
   * @returns {Promise<{ values: any[], documents: Document[] | null }>} documents: those of the values, as they are stored, if they are all of them
   */
  async read (byId = false) {
    const { body, isOrdered, isCut } = byId ? this.#askById() : await this.ask()
    const answer = await this.#search(body)
    // An index came or went meanwhile.
    if (answer === null || (isOrdered && !byId && !this.#isInOrder(answer))) return this.read()
    this.#rows = []
    this.#size = 0
    try {
      await this.#collect(answer, isOrdered, isCut)
    } catch (error) {
      // All rows of an index were to be sorted by id: those of all documents need not be.
      if (isOrdered || this.#plan.sort !== null || /** @type {any} */ (error).error !== 'query_too_large') throw error
      return this.read(true)
    } finally {
      this.#onFind(answer.figures)
    }
    if (!isOrdered) await this.#cut(true)
    const rows = this.#rows
    return { values: rows.map(({ value }) => value), documents: this.#plan.each.length > 0 ? null : rows.map(({ document }) => document) }
  }

  #askById () {
    return { body: { selector: { $and: [this.#plan.selector, { _id: { $gt: null } }] }, sort: ['_id'], limit: NO_LIMIT }, isOrdered: true, isCut: false }
  }

  /** @param {FindAnswer} answer @param {boolean} isOrdered @param {boolean} isCut */
  async #collect (answer, isOrdered, isCut) {
    const { skip, most, each } = this.#plan
    if (most === 0) return
    let at = isCut ? 0 : -skip
    for await (const page of answer.found()) {
      if (!this.#isWanted()) throw badRequest('Nobody waits for the answer')
      for (const { doc, document } of /** @type {Array<{ doc: any, document: Document }>} */ (page)) {
        const pause = this.#work.next()
        if (pause !== undefined) await pause
        if (!this.#isAccepted(doc) || (isOrdered && at++ < 0)) continue
        const value = isOrdered ? this.#made(doc, each) : doc
        if (value !== undefined) this.#keep({ value, keys: [], place: doc._id, size: typeof value === 'object' ? document.body.length : 16, document })
        if (isOrdered && at >= most) return
      }
      if (!isOrdered && this.#rows.length > skip + most + SPARE) await this.#cut(false)
    }
  }

  /** @param {any} doc */
  #isAccepted (doc) { return this.#plan.filters.every(({ by }) => valueOf(by, this.#scope(doc))) }

  /** @param {any} current */
  #scope (current) { return { root: undefined, current, work: this.#work } }

  /** @param {any} doc @param {Plan['each']} steps @returns {any} undefined where one of them refuses it */
  #made (doc, steps) {
    let value = doc
    for (const { type, by } of steps) {
      const result = valueOf(by, this.#scope(value))
      if (type === 'map') value = result ?? null
      else if (!result) return undefined
    }
    return value
  }

  /** @param {Row} row */
  #keep (row) {
    this.#rows.push(row)
    this.#grow(row.size)
  }

  /** @param {number} characters @throws query_too_large */
  #grow (characters) {
    this.#size += characters
    if (this.#rows.length > MOST_ROWS || this.#size > MOST_CHARACTERS) throw tooMuch(`The query has more than ${MOST_ROWS} documents, or ${MOST_CHARACTERS} characters of them, in memory: ask for a part of them, as by [0:100]`)
  }

  /** Sorts the rows that there are, and keeps those that may be wanted. @param {boolean} isEnd there are no more */
  async #cut (isEnd) {
    const { sort, skip, most, each } = this.#plan
    const keys = sort?.keys ?? []
    for (const row of this.#rows) {
      if (row.keys.length < keys.length) {
        row.keys = sortKeys(keys, row.value, this.#scope(undefined), valueOf)
        row.size += sizeOf(row.keys)
        this.#grow(sizeOf(row.keys))
      }
      const pause = this.#work.next()
      if (pause !== undefined) await pause
    }
    const compare = keys.length === 0 ? byId : comparison(keys, compareUtf8)
    const sorted = /** @type {Row[]} */ (await this.#work.walk(inOrder(this.#rows, compare)))
    this.#rows = sorted.slice(isEnd ? skip : 0, skip + most)
    this.#size = this.#rows.reduce((sum, { size }) => sum + size, 0)
    if (!isEnd || each.length === 0) return
    const rows = []
    for (const row of this.#rows) {
      const pause = this.#work.next()
      if (pause !== undefined) await pause
      row.value = this.#made(row.value, each)
      if (row.value !== undefined) rows.push(row)
    }
    this.#rows = rows
  }
}

/** @param {{ place: string }} a @param {{ place: string }} b */
function byId (a, b) { return compareUtf8(a.place, b.place) }

module.exports = { Documents }
