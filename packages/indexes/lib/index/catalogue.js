'use strict'

const { couchCollation, pouchCollation, rawCollation } = require('@potoroo/collation')
const { ViewIndex } = require('./view-index')
const { RowIndex, clearRows, nothingIn } = require('./row-index')
const { INDEX_LAYOUT, TextIndex } = require('../text/text-index')
const { RowLayout, rangeOf } = require('../rows/row-layout')

/**
 * store → its catalogue, or the promise of it.
 *
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./row-index').IndexState} IndexState
 *
 * @type {WeakMap<DocumentStore, Catalogue | Promise<Catalogue>>}
 */
const catalogues = new WeakMap()

/** The indexes of one database, whichever face made them. */
class Catalogue {
  #store
  #space
  #layout
  #next = 1
  /** signature → state as stored @type {Map<string, IndexState>} */
  #states = new Map()
  /** signature → index @type {Map<string, ViewIndex>} */
  #open = new Map()

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @returns {Catalogue | Promise<Catalogue>}
   */
  static of (store) {
    const known = catalogues.get(store)
    if (known !== undefined) return known
    const catalogue = new Catalogue(store)
    const loading = catalogue.#load().then(() => {
      catalogues.set(store, catalogue)
      return catalogue
    })
    catalogues.set(store, loading)
    loading.catch(() => catalogues.delete(store))
    return loading
  }

  /**
   * The same without reading anything.
   *
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @returns {Catalogue | null}
   */
  static opened (store) {
    const known = catalogues.get(store)
    return known instanceof Catalogue ? known : null
  }

  /**
   * Use `of`.
   * @param {DocumentStore} store
   */
  constructor (store) {
    this.#store = store
    this.#space = store.indexSpace
    this.#layout = new RowLayout(this.#space.prefix)
  }

  /** Clears what a crash left, too, and drops what cannot be read here: it is built again when it is asked for. */
  async #load () {
    const { keyspace } = this.#space
    this.#space.assertOpen()
    for (const [key, text] of await keyspace.entries(rangeOf(this.#layout.names)).all()) {
      const state = JSON.parse(text)
      this.#states.set(this.#layout.signatureOf(key), state)
      this.#next = Math.max(this.#next, state.index + 1)
    }
    for (const [signature, state] of this.#states) if (!isReadable(state)) await this.drop(signature)
    for (const key of await keyspace.keys(rangeOf(this.#layout.dropped)).all()) {
      await clearRows(this.#space, this.#layout, this.#layout.droppedOf(key))
    }
  }

  /**
   * The index of a definition. Nothing is stored before it is first brought up to date.
   *
   * @param {import('./view-index').Definition} definition
   * @returns {ViewIndex}
   */
  open (definition) {
    const { signature, collations } = definition
    const known = this.#open.get(signature)
    if (known !== undefined) return known
    const state = this.#states.get(signature) ??
      { index: this.#next++, seq: 0, purgeSeq: this.#store.purgeSeq, ...nothingIn(collations.length), collations: collations.map(({ name }) => name) }
    const index = new ViewIndex(this.#store, this.#rowsOf(definition, state), definition, () => this.#next++)
    this.#open.set(signature, index)
    return index
  }

  /** @param {import('./view-index').Definition} definition @param {IndexState} state @returns {any} */
  #rowsOf (definition, state) {
    return definition.isText ? new TextIndex(this.#space, this.#layout, definition, state) : new RowIndex(this.#space, this.#layout, definition, state)
  }

  /** Gives the signatures of the indexes that have something stored. */
  signatures () {
    const open = [...this.#open.values()].filter(({ rows }) => rows.seq > 0)
    return [...new Set([...this.#states.keys(), ...open.map(({ signature }) => signature)])]
  }

  /** Tells how far the updates are that run. @returns {Array<import('./view-index').Progress>} */
  progress () {
    return [...this.#open.values()].map(({ progress }) => progress).filter(progress => progress !== null)
  }

  /**
   * Drops the index with all rows. Code that still has it may use it: it is built again.
   * @param {string} signature
   */
  async drop (signature) {
    const index = this.#open.get(signature)
    const state = this.#states.get(signature)
    this.#states.delete(signature)
    if (index !== undefined) return index.drop()
    if (state !== undefined) await new RowIndex(this.#space, this.#layout, { signature, collations: [] }, state).clear(state.index, state.purgeSeq)
  }
}

/**
 * Collations of an earlier ICU, or of an ICU where there is none now, encode keys in another way. Indexes
 * of an earlier layout do not know how long their rows are. Records of text indexes say their layout.
 * @param {Partial<import('../text/text-index').TextState>} state
 */
function isReadable ({ collations, active, next, layout }) {
  return active !== undefined && (next === undefined || layout === INDEX_LAYOUT) && collations?.every(name => KNOWN.has(name))
}

const KNOWN = new Set([couchCollation, pouchCollation, rawCollation].map(({ name }) => name))

module.exports = { Catalogue, isReadable }
