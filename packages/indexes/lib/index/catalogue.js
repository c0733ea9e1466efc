'use strict'

const { couchCollation, pouchCollation, rawCollation } = require('@potoroo/collation')
const { ViewIndex } = require('./view-index')
const { clearRecords, nothingIn } = require('./level-index')
const { RowIndex } = require('./row-index')
const { INDEX_LAYOUT, TextIndex } = require('./text-index')
const { RowLayout, rangeOf } = require('../rows/row-layout')

/**
 * store → its catalogue, or the promise of it.
 *
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./level-index').IndexState} IndexState
 * @typedef {import('./level-index').Kept} Kept
 *
 * @type {WeakMap<DocumentStore, Catalogue | Promise<Catalogue>>}
 */
const catalogues = new WeakMap()

/** Indexes that stay open if nobody has them: each revision of a design document may have others. */
const RECENT = 64

/** The indexes of one database, whichever face made them. */
class Catalogue {
  #store
  #space
  #layout
  #next = 1
  /** signature → state, of what is stored or open @type {Map<string, Kept>} */
  #kept = new Map()
  /** signature → index, of which there is one as long as somebody has it @type {Map<string, WeakRef<ViewIndex>>} */
  #open = new Map()
  #gone = new FinalizationRegistry((/** @type {string} */ signature) => this.#forget(signature))
  /** Indexes that were asked for last: what they remember is of use to who asks again. @type {Set<ViewIndex>} */
  #recent = new Set()

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
      this.#kept.set(this.#layout.signatureOf(key), { state, isStored: true })
      this.#next = Math.max(this.#next, state.index + 1)
    }
    for (const [signature, { state }] of this.#kept) if (!isReadable(state)) await this.drop(signature)
    for (const key of await keyspace.keys(rangeOf(this.#layout.dropped)).all()) {
      await clearRecords(this.#space, this.#layout, this.#layout.droppedOf(key))
    }
  }

  /**
   * The index of a definition. Nothing is stored before it is first brought up to date.
   *
   * @param {import('./view-index').Definition} definition
   * @returns {ViewIndex}
   */
  open (definition) {
    const index = this.#opened(definition.signature) ?? this.#made(definition)
    this.#recent.delete(index)
    this.#recent.add(index)
    const [oldest] = this.#recent
    if (this.#recent.size > RECENT) this.#recent.delete(oldest)
    return index
  }

  /** @param {string} signature */
  #opened (signature) { return this.#open.get(signature)?.deref() }

  /** @param {import('./view-index').Definition} definition */
  #made (definition) {
    const { signature, collations } = definition
    const kept = this.#kept.get(signature) ??
      { state: { index: this.#next++, seq: 0, purgeSeq: this.#store.purgeSeq, ...nothingIn(collations.length), collations: collations.map(({ name }) => name) }, isStored: false }
    this.#kept.set(signature, kept)
    const index = new ViewIndex(this.#store, this.#rowsOf(definition, kept), definition, () => this.#next++)
    this.#open.set(signature, new WeakRef(index))
    this.#gone.register(index, signature)
    return index
  }

  /** Forgets an index that nobody has, but not the state of one that is stored. @param {string} signature */
  #forget (signature) {
    if (this.#opened(signature) !== undefined) return
    this.#open.delete(signature)
    const kept = this.#kept.get(signature)
    if (kept !== undefined && !isStored(kept)) this.#kept.delete(signature)
  }

  /** @param {import('./view-index').Definition} definition @param {Kept} kept @returns {any} */
  #rowsOf (definition, kept) {
    return definition.isText ? new TextIndex(this.#space, this.#layout, definition, kept) : new RowIndex(this.#space, this.#layout, definition, kept)
  }

  /** Gives the signatures of the indexes that have something stored. */
  signatures () { return [...this.#kept].filter(([, kept]) => isStored(kept)).map(([signature]) => signature) }

  /** Tells how far the updates are that run. @returns {Array<import('./view-index').Progress>} */
  progress () {
    return [...this.#open.values()].map(open => open.deref()?.progress ?? null).filter(progress => progress !== null)
  }

  /**
   * Drops the index with all rows. Code that still has it may use it: it is built again.
   * @param {string} signature
   */
  async drop (signature) {
    const index = this.#opened(signature)
    const kept = this.#kept.get(signature)
    if (index !== undefined) {
      /** @type {Kept} */ (kept).isStored = false
      this.#recent.delete(index)
      return index.drop()
    }
    this.#kept.delete(signature)
    if (kept !== undefined) await new RowIndex(this.#space, this.#layout, { signature, collations: [] }, kept).clear(kept.state.index, kept.state.purgeSeq)
  }
}

/** Whether something is stored of an index, or may be. @param {Kept} kept */
function isStored ({ state, isStored }) { return isStored || state.seq > 0 || state.unfinished !== undefined }

/**
 * Collations of an earlier ICU, or of an ICU where there is none now, encode keys in another way. Indexes
 * of an earlier layout do not know how long their rows are. Records of text indexes say their layout.
 * @param {Partial<import('./text-index').TextState>} state
 */
function isReadable ({ collations, active, next, layout }) {
  return active !== undefined && (next === undefined || layout === INDEX_LAYOUT) && collations?.every(name => KNOWN.has(name))
}

const KNOWN = new Set([couchCollation, pouchCollation, rawCollation].map(({ name }) => name))

module.exports = { Catalogue, isReadable }
