'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { after } = require('@potoroo/collation')
const { BackwardRuns } = require('./backward-runs')
const { readRow, readRowText, tellApart } = require('./row')
const { encodeCount, rangeOf } = require('./row-layout')
const { listed, parseList } = require('./row-list')

/** Rows that are read at once: few at first, for those who soon have enough. */
const FIRST_PAGE = 32
const MOST = 1024

/**
 * An index at one moment: what is read with it agrees with its counts and its sequence.
 *
 * @typedef {object} Moment
 * @property {{ index: number, seq: number, purgeSeq: number, counts: number[] }} state
 * @property {object} [snapshot] of the level
 * @property {() => Promise<void>} close once nothing is read with it any more
 */

/**
 * The rows of one index in the level of its database. What a document has in it, how many rows there
 * are and how far it has come change in one batch.
 *
 * @typedef {{ id: string, rows: import('./row').Row[] }} DocumentRows
 */
class RowIndex {
  #space
  #layout
  #number
  #rows
  #lists
  /** Batches of rows under way: what is stored may be ahead of `state`. */
  #writing = 0

  /**
   * @param {any} space the document store's
   * @param {import('./row-layout').RowLayout} layout
   * @param {{ signature: string, collations: import('@potoroo/collation').Collation[] }} definition
   * @param {{ index: number, seq: number, purgeSeq: number, counts: number[], collations: string[] }} state
   */
  constructor (space, layout, { signature, collations }, state) {
    this.#space = space
    this.#layout = layout
    this.signature = signature
    this.collations = collations
    this.#begin(state)
  }

  #begin (state) {
    this.#number = state.index
    this.#rows = this.#layout.rowsOf(state.index)
    this.#lists = this.#layout.listsOf(state.index)
    this.state = state
  }

  /** The update sequence that is indexed. */
  get seq () { return this.state.seq }
  get purgeSeq () { return this.state.purgeSeq }

  /** Rows by view. */
  get counts () { return this.state.counts }

  /**
   * Replaces the rows of some documents, each of which is in the list once.
   *
   * @param {DocumentRows[]} documents
   * @param {{ seq?: number, purgeSeq?: number, fresh?: boolean }} reached what is indexed with them;
   *   fresh: none of them has rows yet
   */
  async replace (documents, { seq = this.seq, purgeSeq = this.purgeSeq, fresh = false }) {
    const lists = fresh || documents.length === 0 ? [] : await this.#space.keyspace.getMany(documents.map(({ id }) => this.#lists + id))
    const state = { ...this.state, seq, purgeSeq, counts: [...this.counts] }
    /** @type {any[]} */
    const operations = []
    for (let i = 0; i < documents.length; i++) this.#replaceOne(operations, state.counts, documents[i], lists[i])
    operations.push({ type: 'put', key: this.#layout.name(this.signature), value: JSON.stringify(state) })
    await this.#write(operations)
    this.state = state
  }

  async #write (operations) {
    this.#writing++
    try {
      await this.#space.keyspace.write(operations)
    } finally {
      this.#writing--
    }
  }

  #replaceOne (operations, counts, { id, rows }, before) {
    const more = tellApart(this.collations[0]?.compareValues, rows)
    const keys = rows.map(({ row }, i) => `${this.#rows}${row}${id}\0${more[i]}`)
    if (before !== undefined) this.#removeOthers(operations, counts, id, before, keys)
    else if (rows.length === 0) return
    let list = ''
    for (let i = 0; i < rows.length; i++) {
      operations.push({ type: 'put', key: keys[i], value: rows[i].value })
      list += listed(rows[i].row, more[i])
      counts[viewOf(rows[i].row)]++
    }
    if (rows.length > 0) operations.push({ type: 'put', key: this.#lists + id, value: list })
  }

  #removeOthers (operations, counts, id, before, keys) {
    const kept = new Set(keys)
    for (const { row, more } of parseList(before)) {
      counts[viewOf(row)]--
      const key = `${this.#rows}${row}${id}\0${more}`
      if (!kept.has(key)) operations.push({ type: 'del', key })
    }
    if (keys.length === 0) operations.push({ type: 'del', key: this.#lists + id })
  }

  /** What is stored now. @returns {Promise<Moment>} */
  async moment () {
    const { keyspace } = this.#space
    this.#space.assertOpen()
    const known = this.state
    const snapshot = keyspace.snapshot()
    const close = this.#space.hold(() => snapshot.close())
    if (this.#writing === 0) return { state: known, snapshot, close }
    try {
      const stored = await keyspace.get(this.#layout.name(this.signature), snapshot)
      return { state: stored === undefined ? known : JSON.parse(stored), snapshot, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  /**
   * The rows of a view, page by page, as they are when the first is read. Long ones let others run in between.
   *
   * @param {number} view
   * @param {import('./key-range').KeyRange} range
   * @param {number} [limit] how many are wanted: no more are read
   * @returns {AsyncGenerator<Array<{ id: string, key: any, value: any }>>}
   */
  pages (view, range, limit = Infinity) {
    const accepts = range.accepts && (({ key }) => range.accepts(key))
    return this.#read(view, range, limit, readRow, accepts)
  }

  /**
   * The same of a moment, with the keys and values as JSON; backwards as CouchDB reads.
   *
   * @param {number} view
   * @param {import('./key-range').KeyRange} range
   * @param {number} limit
   * @param {Moment} moment
   * @returns {AsyncGenerator<Array<{ id: string, key: string, value: string }>>}
   */
  texts (view, range, limit, moment) {
    const accepts = range.accepts && (({ key }) => range.accepts(JSON.parse(key)))
    return this.#read(view, range, limit, readRowText, accepts, moment, range.descending ? new BackwardRuns() : undefined)
  }

  async * #read (view, range, limit, readOne, accepts, moment = undefined, runs = undefined) {
    const { keyspace } = this.#space
    this.#space.assertOpen()
    const prefix = this.#prefix(view, moment)
    const iterator = keyspace.entries(this.#between(prefix, range, moment))
    const release = this.#space.hold(() => iterator.close())
    try {
      for (let page = FIRST_PAGE; limit > 0; page = Math.min(page * 4, MOST)) {
        const size = limit < MOST ? limit : page
        const entries = await this.#space.nextPage(iterator, size)
        // Levels bring less than a page at a time where rows are long.
        if (entries.length === 0) return
        const complete = runs === undefined ? entries : runs.take(entries).slice(0, limit)
        const all = complete.map(([key, value]) => readOne(this.collations[view], key, value, prefix.length))
        const rows = accepts === undefined ? all : all.filter(accepts)
        if (rows.length > 0) yield rows
        limit -= rows.length
        if (size === MOST) await nextRound()
      }
    } finally {
      await release()
    }
  }

  #prefix (view, moment) {
    return (moment === undefined ? this.#rows : this.#layout.rowsOf(moment.state.index)) + encodeCount(view)
  }

  /**
   * @param {string} prefix
   * @param {import('./key-range').KeyRange} range
   * @param {Moment} [moment]
   */
  #between (prefix, range, moment) {
    const { low = '', high, descending } = range
    return { gte: prefix + low, lt: high === undefined ? after(prefix) : prefix + high, reverse: descending, snapshot: moment?.snapshot }
  }

  /**
   * How many rows are outside of a range on the side it is read from; null where that are more than `most`.
   *
   * @param {number} view
   * @param {import('./key-range').KeyRange} range
   * @param {number} most
   * @param {Moment} [moment]
   * @returns {Promise<number | null>}
   */
  async countBefore (view, { low, high, descending }, most, moment) {
    const edge = descending ? high : low
    if (edge === undefined) return 0
    const prefix = this.#prefix(view, moment)
    const outside = descending ? { low: high, descending } : { high: low, descending }
    const keys = await this.#space.keyspace.keys({ ...this.#between(prefix, outside, moment), limit: most + 1 }).all()
    return keys.length > most ? null : keys.length
  }

  /**
   * Forgets all rows, in one batch, and begins again under another number.
   *
   * @param {number} number
   */
  async restart (number) {
    const before = this.#number
    const state = { ...this.state, index: number, seq: 0, counts: this.counts.map(() => 0) }
    await this.#write([
      { type: 'put', key: this.#layout.name(this.signature), value: JSON.stringify(state) },
      { type: 'put', key: this.#layout.drop(before), value: '' }
    ])
    this.#begin(state)
    await clearRows(this.#space, this.#layout, before)
  }

  /**
   * Forgets the index and all of its rows. A crash leaves what the next opening clears. What is written
   * after that is another index, under another number.
   *
   * @param {number} number
   * @param {number} purgeSeq of the store
   */
  async clear (number, purgeSeq) {
    const before = this.#number
    await this.#write([
      { type: 'del', key: this.#layout.name(this.signature) },
      { type: 'put', key: this.#layout.drop(before), value: '' }
    ])
    this.#begin({ ...this.state, index: number, seq: 0, purgeSeq, counts: this.counts.map(() => 0) })
    await clearRows(this.#space, this.#layout, before)
  }
}

function viewOf (row) {
  const digits = row.charCodeAt(0) - 96
  return digits === 1 ? row.charCodeAt(1) - 48 : Number(row.slice(1, 1 + digits))
}

/** What is left of an index that was dropped. */
async function clearRows ({ keyspace }, layout, number) {
  await keyspace.clear(rangeOf(layout.rowsOf(number)))
  await keyspace.clear(rangeOf(layout.listsOf(number)))
  await keyspace.write([{ type: 'del', key: layout.drop(number) }])
}

module.exports = { RowIndex, clearRows }
