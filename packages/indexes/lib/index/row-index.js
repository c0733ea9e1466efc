'use strict'

const { IndexSums } = require('../sums/index-sums')
const { ChangeLog } = require('./change-log')
const { FEW, IndexSnapshot } = require('./index-snapshot')
const { readRowText } = require('../rows/row')
const { encodeCount, rangeOf } = require('../rows/row-layout')
const { LevelIndex } = require('./level-index')
const { RowCursor } = require('./row-cursor')
const { countRows, readFew, tellCount } = require('./row-pages')
const { RowReader } = require('./row-reader')
const { RowWriter } = require('../update/row-writer')

/**
 * The rows of one index in the level of its database. The rows of a document, the count of all rows
 * and the sequence that is reached change in one batch.
 *
 * @typedef {import('./level-index').IndexState} IndexState
 * @typedef {import('./level-index').Reached} Reached
 * @typedef {{ id: string, rows: import('../rows/row').Row[] }} DocumentRows
 * @typedef {{ part: number, fresh: boolean, isLast: boolean, seq?: number }} PartPlace
 *   part: its number; fresh: the document has no rows yet; seq: what is indexed with the last one
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../rows/row-layout').RowLayout} RowLayout
 * @typedef {import('../rows/row-layout').IndexSpace} IndexSpace
 *
 * @extends {LevelIndex<IndexState>}
 */
class RowIndex extends LevelIndex {
  #space
  #layout
  #rows = ''
  /** @type {RowReader} */
  #reader = /** @type {any} */ (null)
  #sums
  #writer
  #log = new ChangeLog()
  /** Views whose sums a query could have used. */
  #wanted = new Set()
  /** @type {Array<() => void>} who waits for a document to have all of its rows */
  #waiting = []

  /**
   * @param {IndexSpace} space the document store's
   * @param {RowLayout} layout
   * @param {{ signature: string, collations: import('@potoroo/collation').Collation[] }} definition
   * @param {import('./level-index').Kept} kept
   */
  constructor (space, layout, definition, kept) {
    super(space, layout, definition, kept)
    this.#space = space
    this.#layout = layout
    this.#sums = new IndexSums(space, layout)
    this.#writer = new RowWriter(space, layout, this, (commit, reached) => this.#commit(commit, reached))
    this.#begin(kept.state)
  }

  /** @param {IndexState} state */
  #begin ({ index }) {
    this.#rows = this.#layout.rowsOf(index)
    this.#reader = new RowReader(this.#space, this.collations, this.#rows)
  }

  /** @override @param {IndexState} state */
  take (state) {
    if (state.index !== this.state.index) {
      this.#log.clear()
      this.#sums.reset()
      this.#begin(state)
    }
    super.take(state)
  }

  /**
   * Returns the rows of a view that changed between two states, without the view; undefined where that is not known.
   *
   * @param {IndexState} before
   * @param {IndexState} after
   * @param {number} view
   */
  changedBetween (before, after, view) { return this.#log.between(before, after, view) }

  /** Rows by view. */
  get counts () { return this.state.counts }

  /**
   * Bytes: of the rows; with what is needed to change them; and of all that is stored, as far as the
   * level can say.
   *
   * @returns {Promise<{ external: number, active: number, file: number }>}
   */
  async sizes () {
    const { index, external, active } = this.state
    const parts = this.#layout.allOf(index).map(rangeOf)
    const stored = await Promise.all(parts.map(({ gte, lt }) => this.#space.keyspace.approximateSize(gte, lt)))
    return { external, active, file: Math.max(active, stored.reduce((sum, size = 0) => sum + size, 0)) }
  }

  /**
   * Replaces the rows of some documents, each of which is in the list once.
   *
   * @param {DocumentRows[]} documents
   * @param {Reached} reached
   */
  replace (documents, reached) { return this.alone(() => this.#writer.replace(documents, reached)) }

  /**
   * Adds rows of a document that has many, part by part. The first replaces all that it has. Others are not
   * shown the index before the last is in.
   *
   * @param {DocumentRows} document its rows are sorted, and have their `more`
   * @param {PartPlace} place
   */
  extend (document, place) { return this.alone(() => this.#writer.extend(document, place)) }

  /** @param {import('../update/row-commit').RowCommit} commit @param {Partial<IndexState>} [reached] */
  async #commit ({ operations, changes, addsRows, state: counted }, reached) {
    const state = { ...counted, ...reached }
    if (changes !== null) for (const mark of await this.#sums.mark(state, changes)) operations.push(mark)
    const before = this.state
    await this.write(operations, state, addsRows ? undefined : 'half')
    if (changes !== null) {
      this.#sums.changed(changes)
      this.#log.add(before, state, changes.map(({ row }) => row))
    }
    if (state.unfinished === undefined) this.wake()
  }

  /** Resolves when no document has only some of its rows, or when that may take long: `wake` was called. */
  async whole () {
    if (this.state.unfinished !== undefined) await new Promise(resolve => { this.#waiting.push(() => resolve(undefined)) })
  }

  wake () { for (const tell of this.#waiting.splice(0)) tell() }

  /** The index as it is stored now. @returns {Promise<IndexSnapshot>} */
  async snapshot () {
    this.#space.assertOpen()
    const watch = this.#sums.watch()
    const snapshot = this.#space.keyspace.snapshot()
    const close = this.#space.hold(() => {
      this.#sums.unwatch(watch)
      return snapshot.close()
    })
    try {
      return this.#snapshotOf(this.isWriting ? await this.storedState(snapshot) : this.state, snapshot, watch, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  /** @param {IndexState} state @param {any} snapshot @param {import('../sums/index-sums').Watch} watch @param {() => Promise<void>} close */
  #snapshotOf (state, snapshot, watch, close) {
    return new IndexSnapshot({
      space: this.#space,
      collations: this.collations,
      state,
      snapshot,
      prefixOf: view => this.#layout.rowsOf(state.index) + encodeCount(view),
      placeOf: view => this.#sums.place(state, view),
      want: view => { this.#wanted.add(view) },
      keep: (place, view, nodes) => this.alone(() => this.#sums.keep(place, view, watch, nodes)),
      close
    })
  }

  /** @param {number} view @param {KeyRange} range @param {string} partition `name:` @returns {RowCursor} over records */
  cursor (view, range, partition) { return new RowCursor(this.#space, this.#rows + encodeCount(view) + partition, range) }

  /**
   * The rows of a view, page by page, as they are when the first is read.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} [limit] how many are wanted: no more are read
   * @param {string} [partition] `name:`, in an index of partitions
   */
  pages (view, range, limit, partition) { return this.#reader.pages(view, range, limit, partition) }

  /**
   * The same of a range, all at once, where the level reads them so and they are few.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} wanted how many at most
   * @param {string} [partition]
   */
  few (view, range, wanted, partition) { return this.#reader.few(view, range, wanted, partition) }

  /**
   * The rows of a view as they are now, with the keys and values as JSON, where they are read at once: they agree with
   * `state`. A range that is read backwards, or whose keys say too little, is not.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} wanted how many at most
   * @returns {Array<{ id: string, key: string, value: string }> | undefined}
   */
  fewTexts (view, range, wanted) {
    if (this.isWriting || this.state.unfinished !== undefined || range.descending || range.accepts !== undefined) return undefined
    this.#space.assertOpen()
    const rows = this.#rows + encodeCount(view)
    return readFew(this.#space, rows, range, wanted, (key, text) => readRowText(this.collations[view], key, text, rows.length))
  }

  /**
   * Counts the rows of a range of a view as they are now, where the level tells that at once.
   * @param {number} view
   * @param {{ low?: string, high?: string }} range
   */
  tellCount (view, range) { return tellCount(this.#space, this.#rows + encodeCount(view), range) }

  /**
   * Counts the rows of a view that a range has, up to about that many.
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} most
   * @param {string} [partition]
   */
  count (view, range, most, partition) { return this.#reader.count(view, range, most, partition) }

  /**
   * Makes the sums of a view, if they were missed before or a reduction of a range will miss them. To be
   * called before the moment is taken.
   *
   * @param {number} view
   * @param {import('../rows/key-range').KeyRange} [range] that is reduced as a whole
   */
  async prepareSums (view, range) {
    if (this.state.sums?.[view] !== undefined) return
    const isLong = range !== undefined && await countRows(this.#space, this.#rows + encodeCount(view), range, { most: FEW }) === FEW
    if (isLong || this.#wanted.has(view)) await this.alone(() => this.#makeSums(view))
  }

  /**
   * Works out what a reducer makes of all rows of a view, unless they are few, or the level counts them.
   *
   * @param {number} view
   * @param {import('../reduces/reducer').Reducer} reducer
   */
  async sumUp (view, reducer) {
    if (this.counts[view] < FEW || (reducer.reads === 'nothing' && this.#space.keyspace.counts)) return
    await this.alone(() => this.#makeSums(view))
    const snapshot = await this.snapshot()
    const sums = snapshot.sums(view, reducer)
    try {
      await sums?.of()
    } finally {
      await sums?.close()
      await snapshot.close()
    }
  }

  /** @param {number} view */
  async #makeSums (view) {
    if (this.state.sums?.[view] !== undefined) return
    const { operations, sums } = await this.#sums.make(this.state, view)
    await this.write(operations, { ...this.state, sums })
  }
}

module.exports = { RowIndex }
