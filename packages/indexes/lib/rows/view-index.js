'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')

/** Documents that are mapped and written at once. */
const STEP = 500

/**
 * What an index is of.
 *
 * @typedef {object} Definition
 * @property {string} signature the same for what gives the same rows
 * @property {import('@potoroo/collation').Collation[]} collations of the keys of each view; they order
 *   values alike
 * @property {(documents: import('@potoroo/document-store').Document[], observer: Observer) => Array<import('./row').Row[]> | Promise<Array<import('./row').Row[]>>} map
 *   the rows of each document, aligned; documents are winners that are not deleted
 * @property {import('@potoroo/document-store').ReadOptions} reads what documents tell beside their winner
 * @property {boolean} [includesDesign] design documents are mapped too
 */

/**
 * Who asked for an update hears of it.
 *
 * @typedef {object} Observer
 * @property {(total: number) => void} [onStart] sequences that are to be looked at
 * @property {(step: { seq: number, documents: number }) => void} [onStep] after each batch
 * @property {(error?: any) => void} [onEnd]
 * @property {(error: any, about: any) => void} [onError] of a function, and what it was given
 */

/** An index that follows the changes of its database. */
class ViewIndex {
  #store
  #allot
  #definition
  /** @type {Promise<void> | null} */
  #updating = null

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./row-index').RowIndex} rows
   * @param {Definition} definition
   * @param {() => number} allot a number for rows that no other index has
   */
  constructor (store, rows, definition, allot) {
    this.#store = store
    this.#allot = allot
    this.#definition = definition
    this.rows = rows
  }

  get signature () { return this.#definition.signature }
  get updating () { return this.#updating !== null }

  /**
   * Indexes what was written up to now. Who asks meanwhile waits for the one that runs, then looks
   * again.
   *
   * @param {Observer} [observer]
   */
  async update (observer = {}) {
    const { updateSeq, purgeSeq } = this.#store
    while (this.rows.seq < updateSeq || this.rows.purgeSeq < purgeSeq) {
      this.#updating ??= this.#run(observer).finally(() => { this.#updating = null })
      await this.#updating
    }
  }

  /** The store is not closed while a batch is under way. */
  async #run (observer) {
    let done = false
    const release = this.#store.indexSpace.hold(async () => { if (!done) await this.#updating?.catch(() => {}) })
    observer.onStart?.(this.#store.updateSeq - this.rows.seq)
    try {
      await this.#takePurges(observer)
      await this.#takeChanges(observer)
      observer.onEnd?.()
    } catch (error) {
      observer.onEnd?.(error)
      throw error
    } finally {
      done = true
      await release()
    }
  }

  async #takeChanges (observer) {
    const since = this.rows.seq
    const changes = this.#store.changes({ since, includeDocs: true, pending: false, ...this.#definition.reads })
    const batch = []
    for await (const page of changes) {
      batch.push(...page)
      if (batch.length < STEP) continue
      await this.#write(batch.splice(0), changes.lastSeq, since === 0, observer)
      await nextRound()
    }
    if (changes.lastSeq > this.rows.seq) await this.#write(batch, changes.lastSeq, since === 0, observer)
  }

  async #write (changes, seq, fresh, observer) {
    const documents = await this.#map(changes.map(({ id, deleted, document }) => ({ id, document: deleted ? null : document })), observer)
    await this.rows.replace(documents, { seq, fresh })
    observer.onStep?.({ seq, documents: changes.length })
  }

  /** Deleted documents have no rows, and design documents only where the definition says so. */
  async #map (documents, observer) {
    const { map, includesDesign = false } = this.#definition
    const wanted = documents.filter(({ id, document }) => document !== null && (includesDesign || !id.startsWith('_design/')))
    const mapped = wanted.length === 0 ? [] : await map(wanted.map(({ document }) => document), observer)
    let next = 0
    return documents.map(entry => ({ id: entry.id, rows: entry === wanted[next] ? mapped[next++] : [] }))
  }

  /** A purge is no change: what was purged is looked up as it is now. */
  async #takePurges (observer) {
    if (this.rows.purgeSeq >= this.#store.purgeSeq) return
    const { oldest, last, purges } = await this.#store.purges({ since: this.rows.purgeSeq })
    // More was purged than the store remembers.
    if (this.rows.purgeSeq < oldest - 1) await this.rows.restart(this.#allot())
    const ids = this.rows.seq === 0 ? [] : [...new Set(purges.map(({ id }) => id))]
    for (let at = 0; at < ids.length; at += STEP) {
      const found = await this.#store.bulkGet(ids.slice(at, at + STEP).map(id => ({ id })), this.#definition.reads)
      const documents = found.map((result, i) => ({ id: ids[at + i], document: 'ok' in result ? result.ok : null }))
      await this.rows.replace(await this.#map(documents, observer), {})
    }
    await this.rows.replace([], { purgeSeq: last })
  }

  /** Drops all rows, once nothing writes any more. */
  async drop () {
    await this.#updating?.catch(() => {})
    await this.rows.drop()
  }
}

module.exports = { ViewIndex }
