'use strict'

const crypto = require('node:crypto')
const { partitionOf } = require('@potoroo/document-store')
const { INDEX_LAYOUT, IndexReader, IndexWriter, TermNumbers, identify } = require('@potoroo/search')
const { LevelIndex } = require('./level-index')
const { takeSnapshot } = require('./take-snapshot')
const { rangeOf } = require('../rows/row-layout')

/**
 * A text index's state, as a view's is: besides, `next` and `terms`, the numbers of the document and the term that come, `documents`, how many there are, and `layout`, the layout of its records.
 *
 * @typedef {import('./level-index').IndexState & { next?: number, terms?: number, documents?: number, layout?: number }} TextState
 * @typedef {import('@potoroo/search').BuiltDocument} BuiltDocument
 * @typedef {{ id: string, rows: Array<{ built: BuiltDocument, bytes: number }> }} TextDocument one row, or none
 *
 * The index at one moment.
 * @typedef {{ state: TextState, reader: IndexReader, close: () => Promise<void> }} TextSnapshot
 */

/** The layout of records, and what terms depend on besides the analyzer's name: indexes of another are built again. */
const VERSION = `${INDEX_LAYOUT} ${process.versions.icu}`

/** The weight of a document in a batch, which is counted in rows of views: there is less to be written. */
const UNITS = 16

/**
 * A text index in the level of its database, in the place of a view's rows: an update of the index writes it alike. The
 * records of documents and the sequence that is reached change in one batch.
 *
 * @extends {LevelIndex<TextState>}
 */
class TextIndex extends LevelIndex {
  #space
  #layout
  /** Numbers of terms that the batch that led to a state has left to the next one; they go when memory is wanted. @type {{ state: TextState, numbers: WeakRef<TermNumbers> } | null} */
  #known = null

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {import('../rows/row-layout').RowLayout} layout
   * @param {{ signature: string, collations: import('@potoroo/collation').Collation[] }} definition
   * @param {import('./level-index').Kept} kept
   */
  constructor (space, layout, definition, kept) {
    super(space, layout, definition, kept)
    this.#space = space
    this.#layout = layout
  }

  get documents () { return this.state.documents ?? 0 }

  /** @returns {Promise<{ external: number, active: number, file: number }>} bytes */
  async sizes () {
    const { index, active, external } = this.state
    const { gte, lt } = rangeOf(this.#layout.textsOf(index))
    return { external, active, file: Math.max(active, await this.#space.keyspace.approximateSize(gte, lt) ?? 0) }
  }

  /**
   * Replaces some documents, each of which is in the list once.
   *
   * @param {TextDocument[]} documents
   * @param {import('./level-index').Reached} reached
   */
  replace (documents, reached) { return this.alone(() => this.#replace(documents, reached)) }

  /** @param {TextDocument[]} documents @param {import('./level-index').Reached} reached */
  async #replace (documents, { seq = this.seq, purgeSeq = this.purgeSeq, fresh = false }) {
    const { index, next = 1, terms = 0, documents: count = 0, active } = this.state
    const known = (this.#known?.state === this.state ? this.#known.numbers.deref() : undefined) ?? new TermNumbers()
    this.#known = null
    const writer = new IndexWriter(this.#space.keyspace, this.#layout.textsOf(index), { next, terms, documents: count }, known)
    await writer.replace(documents.map(({ id, rows }) => ({ id, built: rows.length === 0 ? null : rows[0].built })), fresh)
    const bytes = Math.max(0, active + writer.bytes)
    await this.write(writer.operations, { ...this.state, ...writer.counts, layout: INDEX_LAYOUT, seq, purgeSeq, active: bytes, external: bytes })
    this.#known = { state: this.state, numbers: new WeakRef(known) }
  }

  /** The index as it is stored now. @returns {Promise<TextSnapshot>} */
  async snapshot () {
    this.#space.assertOpen()
    const { snapshot, close } = takeSnapshot(this.#space)
    try {
      const state = this.isWriting ? await this.storedState(snapshot) : this.state
      return { state, reader: readerOf(this.#space, this.#layout, state, snapshot), close }
    } catch (error) {
      await close()
      throw error
    }
  }

  /** @override @param {number} number @returns {TextState} */
  emptied (number) { return { ...super.emptied(number), next: 1, terms: 0, documents: 0, layout: INDEX_LAYOUT } }

  /** No document is ever there in part. */
  async whole () {}
  wake () {}
}

/**
 * The snapshot of an index of texts, as `ViewIndex` has it.
 *
 * @param {import('./view-index').ViewIndex} index
 * @param {boolean} upToDate
 * @returns {Promise<TextSnapshot>}
 */
async function textSnapshot (index, upToDate) { return /** @type {any} */ (await index.snapshot(upToDate)) }

/** @param {import('../rows/row-layout').IndexSpace} space @param {import('../rows/row-layout').RowLayout} layout @param {TextState} state @param {any} snapshot */
function readerOf (space, layout, state, snapshot) {
  return new IndexReader(space, layout.textsOf(state.index), snapshot, state.documents ?? 0)
}

/** @param {string} dialect @param {any[]} parts what the records depend on */
function signatureOf (dialect, parts) {
  return `${dialect}:${crypto.createHash('md5').update(JSON.stringify([VERSION, ...parts])).digest('hex')}`
}

/** Whether a signature is of a text index. @param {string} signature @param {string} dialect */
function isOf (signature, dialect) { return signature.startsWith(`${dialect}:`) }

/**
 * A document that its function gave nothing of is not in the index.
 *
 * @param {BuiltDocument | undefined} built
 * @param {import('@potoroo/document-store').Document} document
 * @param {boolean} partitioned
 * @returns {any} a run of one row, or none
 */
function runOf (built, { id }, partitioned) {
  const isThere = built !== undefined && (built.fields.length > 0 || built.numbers.length > 0 || Object.keys(built.stored).length > 0)
  const rows = isThere ? [{ built: identify(built, partitioned ? partitionOf(id) ?? undefined : undefined), bytes: built.units / UNITS }] : []
  return { rows, starts: true, ends: true }
}

module.exports = { INDEX_LAYOUT, TextIndex, isOf, readerOf, runOf, signatureOf, textSnapshot }
