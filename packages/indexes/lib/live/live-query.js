'use strict'

const { createError } = require('@potoroo/errors')
const { NOWHERE, readPlace, writePlace } = require('./bookmark')
const { erasedSince, readRow } = require('./live-table')

/**
 * @import { Change } from '@potoroo/document-store'
 * @import { LiveRow, LiveTable } from './live-table'
 * @import { LiveAsked, LiveSource } from './live-queries'
 * @import { Place } from './bookmark'
 */

/**
 * A change of a live query's result, see index.d.ts. `row` is there where a document enters or changes.
 *
 * @typedef {object} LiveEvent
 * @property {'enter' | 'change' | 'leave' | 'ready' | 'reset'} type
 * @property {string} [id]
 * @property {LiveRow} [row]
 * @property {string | null} [before] the revision that the document had in the result; undefined where it was not in it
 * @property {Place} place
 */

/** UTF-16 units of documents whose events may wait. */
const MAX_WEIGHT = 4 * 1024 * 1024

/** Events that are given at once. */
const PAGE = 256

/**
 * One live query. It gives pages of events: of its result as it is now, and then of what each commit makes of it. As long
 * as it is not up to date it reads the store; then its table tells it.
 */
class LiveQuery {
  #table
  #source
  #asked
  /** The ids of the result and their revisions, as the events that were made say; null where it is not known. @type {Map<string, string | null>} */
  #members = new Map()
  /** Events that were made and not given. @type {LiveEvent[]} */
  #waiting = []
  #weight = 0
  /** All events up to here were given. @type {Place} */
  #place
  /** Takes it out of the table again; null as long as it reads the store. @type {(() => void) | null} */
  #leave = null
  /** Commits up to here are known, where the table tells of later ones. */
  #after = 0
  #ended = false
  /** Whether its first result is whole. */
  isReady = false
  /** @type {unknown} */
  #failure = null
  /** @type {(() => void) | null} */
  #wake = null
  /** The place of its client; null where that does not count. @type {Place | null} */
  #from = null
  /** The result as the store gives it. @type {AsyncIterable<LiveRow[]> | null} */
  #found = null

  /**
   * @param {LiveTable} table
   * @param {LiveSource} source
   * @param {LiveAsked} asked
   */
  constructor (table, source, asked) {
    this.#table = table
    this.#source = source
    this.#asked = asked
    this.#place = placeOf(source)
    table.add(this)
    asked.signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (asked.signal?.aborted) this.end()
  }

  #onAbort = () => this.end()

  get access () { return this.#asked.access }
  get place () { return this.#place }

  /** The end of the events that were given. */
  get bookmark () { return this.bookmarkOf(this.#place) }

  /** @param {Place} place */
  bookmarkOf (place) { return writePlace(this.#source, place) }

  /** Asks for the result, so that what is wrong with that is told before anything else. */
  async begin () {
    try {
      const { bookmark, search } = this.#asked
      if (bookmark !== null) this.#from = readPlace(this.#source, bookmark)
      this.#found = await search()
    } catch (error) {
      this.end()
      throw error
    }
    return this
  }

  /** @returns {AsyncGenerator<LiveEvent[]>} */
  async * [Symbol.asyncIterator] () {
    try {
      yield * this.#begin()
      this.#found = null
      this.isReady = true
      if (!this.#ended) yield [{ type: 'ready', place: this.#place }]
      while (!this.#ended) {
        if (this.#leave !== null) yield * this.#listen()
        else if (!this.#join()) yield * this.#catchUp()
      }
      if (this.#failure !== null) throw this.#failure
    } catch (error) {
      // A database that closes ends it, wherever it was.
      if (error === this.#failure || !(this.#ended || this.#source.closed)) throw error
    } finally {
      this.end()
    }
  }

  /** Ends it, from without or from within. @param {unknown} [failure] */
  end (failure = null) {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#leave?.()
    this.#leave = null
    for (const id of this.#members.keys()) this.#table.release(id, this)
    this.#members.clear()
    this.#asked.signal?.removeEventListener('abort', this.#onAbort)
    this.#table.leave(this)
    this.#wakeUp()
  }

  /** The result as it is now, or what has become of it since the bookmark. @returns {AsyncGenerator<LiveEvent[]>} */
  async * #begin () {
    const { bookmark, known } = this.#asked
    const from = this.#from
    if (from !== null && known !== null && this.#source.isOfMember) return yield * this.#compare(known)
    if (from === null || this.#source.isOfMember || await this.#hasMissed(from)) {
      if (bookmark !== null) yield [{ type: 'reset', place: NOWHERE }]
      return yield * this.#enterAll()
    }
    if (known === null) for await (const page of this.#search()) for (const { id, rev } of page) this.#add(id, rev)
    else for (const [id, rev] of known) this.#add(id, rev)
    this.#place = from
    yield * this.#catchUp({ isKnown: known !== null })
  }

  /** Whether purges after a place are forgotten. @param {Place} place */
  async #hasMissed ({ purgeSeq }) {
    if (purgeSeq === this.#source.purgeSeq) return false
    const { oldest } = await this.#source.purges({ since: purgeSeq })
    return oldest - 1 > purgeSeq
  }

  async * #enterAll () {
    for await (const page of this.#search()) {
      for (const { id, rev } of page) this.#add(id, rev)
      yield page.map(row => /** @type {LiveEvent} */ ({ type: 'enter', id: row.id, row, place: NOWHERE }))
      if (this.#ended) return
    }
    yield * this.#catchUp()
  }

  /** Tells what the result has that the client has not, and the other way round. @param {Array<[id: string, rev: string | null]>} known */
  async * #compare (known) {
    const gone = new Map(known)
    for await (const page of this.#search()) {
      const news = page.filter(({ id, rev }) => gone.get(id) !== rev)
      const events = news.map(row => /** @type {LiveEvent} */ ({ type: gone.has(row.id) ? 'change' : 'enter', id: row.id, row, place: NOWHERE }))
      for (const { id, rev } of page) {
        this.#add(id, rev)
        gone.delete(id)
      }
      if (this.#ended) return
      if (events.length > 0) yield events
    }
    if (gone.size > 0) yield [...gone.keys()].map(id => /** @type {LiveEvent} */ ({ type: 'leave', id, place: NOWHERE }))
    yield * this.#catchUp()
  }

  async * #search () {
    for await (const page of /** @type {AsyncIterable<LiveRow[]>} */ (this.#found)) {
      if (this.#ended) return
      const rows = this.#asked.partition === null ? page : page.filter(({ id }) => id.startsWith(/** @type {string} */ (this.#asked.partition)))
      if (rows.length > 0) yield rows
    }
  }

  /**
   * Reads from the store what has happened since all events were given. A document that changed several times is told once.
   *
   * @param {{ isKnown?: boolean }} [options] isKnown: what the client has of the result is known
   * @returns {AsyncGenerator<LiveEvent[]>}
   */
  async * #catchUp ({ isKnown = true } = {}) {
    const changes = this.#source.changes({ since: this.#place.seq, includeDocs: true, pending: false })
    for await (const page of changes) {
      const events = []
      for (const change of page) {
        const event = await this.#judge(change, isKnown)
        if (event !== null) events.push(event)
      }
      if (this.#ended) return
      if (events.length > 0) yield events
      this.#place = { ...this.#place, seq: Math.max(this.#place.seq, changes.lastSeq) }
    }
    const { purgeSeq } = this.#source
    const hasPurges = purgeSeq !== this.#place.purgeSeq
    const erased = hasPurges ? await erasedSince(this.#source, this.#place.purgeSeq, isKnown ? this.#members : null) : []
    this.#place = { seq: Math.max(this.#place.seq, changes.lastSeq), purgeSeq }
    for (const id of erased) this.#remove(id)
    if (erased.length > 0) yield erased.map(id => /** @type {LiveEvent} */ ({ type: 'leave', id, place: this.#place }))
    // A client whose result is not known hears of what was written meanwhile in the same way: it may have that or not.
    if (hasPurges && !isKnown && this.#source.updateSeq > this.#place.seq) yield * this.#catchUp({ isKnown })
  }

  /** @param {Change} change @param {boolean} isKnown @returns {Promise<LiveEvent | null>} */
  async #judge (change, isKnown) {
    if (change.id.startsWith('_design/')) return null
    const row = await readRow(change)
    const event = this.#note(row, await this.matches(row), { ...this.#place, seq: row.seq })
    if (isKnown) return event
    // The client may have it, or not: what it has now is told in either case.
    const isIn = this.#members.has(row.id)
    return { type: isIn ? 'change' : 'leave', id: row.id, row, place: { ...this.#place, seq: row.seq } }
  }

  /** Notes what has become of a document. @param {LiveRow} row @param {boolean} isIn @param {Place} place @returns {LiveEvent | null} null where nothing has */
  #note (row, isIn, place) {
    const { id, rev } = row
    const before = this.#members.get(id)
    if (isIn ? before === rev : before === undefined) return null
    if (isIn) this.#add(id, rev)
    else this.#remove(id)
    return { type: !isIn ? 'leave' : before === undefined ? 'enter' : 'change', id, row, before, place }
  }

  /** @returns {boolean} whether its table tells it of commits from now on */
  #join () {
    this.#leave = this.#table.join(this)
    this.#after = this.#place.seq
    return this.#leave !== null
  }

  /** @returns {AsyncGenerator<LiveEvent[]>} */
  async * #listen () {
    if (this.#waiting.length === 0) await /** @type {Promise<void>} */ (new Promise(resolve => { this.#wake = resolve }))
    if (this.#ended || this.#leave === null) return
    const events = this.#waiting.splice(0, PAGE)
    this.#weight = this.#waiting.length === 0 ? 0 : this.#weight - events.reduce((sum, event) => sum + weightOf(event), 0)
    const { place } = /** @type {LiveEvent} */ (events.at(-1))
    this.#place = place
    yield events
  }

  /** Whether its table tells it of a commit. @param {number} seq */
  hears (seq) { return this.#leave !== null && seq > this.#after }

  /** @param {LiveRow} row @returns {boolean | Promise<boolean>} */
  matches ({ id, doc, document }) {
    const { accepts, partition } = this.#asked
    if (doc === null || (partition !== null && !id.startsWith(partition))) return false
    try {
      const verdict = accepts(doc, document.body.length)
      return verdict instanceof Promise ? verdict.catch(error => this.#fail(error)) : verdict
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** @param {unknown} error @returns {false} */
  #fail (error) {
    this.end(error)
    return false
  }

  /** A commit has changed a document. @param {LiveRow} row @param {boolean} matches */
  hear (row, matches) {
    const event = this.#note(row, matches, { seq: row.seq, purgeSeq: this.#latest.purgeSeq })
    if (event !== null) this.#push(event)
  }

  /** A purge has erased a document. @param {string} id @param {number} seq @param {number} purgeSeq */
  hearErased (id, seq, purgeSeq) {
    const before = this.#members.get(id)
    this.#remove(id)
    this.#push({ type: 'leave', id, before, place: { seq: Math.max(seq, this.#latest.seq), purgeSeq } })
  }

  /** The end of the events that were made. */
  get #latest () { return this.#waiting.at(-1)?.place ?? this.#place }

  /** @param {LiveEvent} event */
  #push (event) {
    this.#waiting.push(event)
    this.#weight += weightOf(event)
    if (this.#waiting.length > this.#asked.mostWaiting || (this.#weight > MAX_WEIGHT && this.#waiting.length > 1)) this.#fallBehind()
    this.#wakeUp()
  }

  /** The reader is too slow: what waits is forgotten, and read from the store when there is room. */
  #fallBehind () {
    this.#leave?.()
    this.#leave = null
    for (const { id, before } of /** @type {Array<{ id: string, before?: string | null }>} */ (this.#waiting.reverse())) {
      if (before === undefined) this.#remove(id)
      else this.#add(id, before)
    }
    this.#waiting = []
    this.#weight = 0
  }

  /** @param {string} id @param {string | null} rev */
  #add (id, rev) {
    if (this.#ended) return
    const isNew = !this.#members.has(id)
    if (isNew && this.#members.size >= this.#asked.most) {
      this.end(createError('TOO_MANY_LIVE_DOCUMENTS', { reason: `A live query may have ${this.#asked.most} documents in its result, and this one has more` }))
      return
    }
    this.#members.set(id, rev)
    if (isNew) this.#table.hold(id, this)
  }

  /** @param {string} id */
  #remove (id) { if (this.#members.delete(id)) this.#table.release(id, this) }

  #wakeUp () {
    this.#wake?.()
    this.#wake = null
  }
}

/** @param {LiveEvent} event */
function weightOf ({ row }) { return row === undefined ? 0 : row.document.body.length }

/** @param {{ updateSeq: number, purgeSeq: number }} source @returns {Place} */
function placeOf ({ updateSeq, purgeSeq }) { return { seq: updateSeq, purgeSeq } }

module.exports = { LiveQuery }
