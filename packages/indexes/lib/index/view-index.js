'use strict'

const { IndexUpdate } = require('../update/index-update')

/**
 * The things that an index is of.
 *
 * @typedef {object} Definition
 * @property {string} signature the same for what gives the same rows
 * @property {import('@potoroo/collation').Collation[]} collations of the keys of each view; they order
 *   values alike
 * @property {(documents: import('@potoroo/document-store').Document[], observer: Observer, options: { background: boolean }) => Array<import('../rows/row').Row[]> | Promise<Array<import('../rows/row').Row[]>>} [map]
 *   the rows of each document, aligned; documents are winners that are not deleted; background: nobody waits
 * @property {(documents: import('@potoroo/document-store').Document[], put: (runs: import('../rows/row-runs').Run[]) => Promise<void>, options: { background: boolean }) => Promise<void>} [mapInParts]
 *   the same, in place of `map`, of documents with many rows: they are put in order, and part by part
 * @property {string} [design] id of the design document that it was first asked for by
 * @property {import('@potoroo/document-store').ReadOptions} reads what documents tell beside their winner
 * @property {boolean} [isText] it is a text index: `mapInParts` gives one row a document, `{ built, bytes }`
 * @property {boolean} [includesDesign] design documents are mapped too
 */

/**
 * The listener of whoever asked for an update.
 *
 * @typedef {object} Observer
 * @property {(total: number) => void} [onStart] sequences that are to be looked at
 * @property {(step: { seq: number, documents: number }) => void} [onStep] after each batch
 * @property {(error?: any) => void} [onEnd]
 * @property {(error: any, about: any) => void} [onError] of a function, and what it was given
 */

/**
 * How far an update is: sequences, and milliseconds of the clock.
 *
 * @typedef {{ design: string | undefined, signature: string, done: number, total: number, startedAt: number, updatedAt: number }} Progress
 */

/** Sequences of an update from which on the reductions are worked out with it: queries soon do that of fewer. */
const MUCH = 256

/** Views, and what reduces them. @typedef {Array<{ view: number, reducer: import('../reduces/reducer').Reducer }>} Reducers */

/** An index that follows the changes of its database. */
class ViewIndex {
  #store
  #allot
  #definition
  /** @type {IndexUpdate | null} */
  #update = null
  /** @type {Promise<void> | null} */
  #running = null
  /** @type {Promise<void> | null} */
  #dropping = null
  #later = false
  /** Reducers by who asks for them. @type {Map<string, () => Reducers>} */
  #reducers = new Map()

  /** The number of those who wait for it to be brought up to date. */
  waiting = 0

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
    // Whoever has the rows has the index: there are no others of it meanwhile.
    rows.owner = this
  }

  get signature () { return this.#definition.signature }
  get updating () { return this.#update !== null }

  /** Sequences that are not looked at yet. */
  get pending () { return Math.max(0, this.#store.updateSeq - this.rows.seq) }

  /** Whether something that was written is not indexed yet. */
  get isBehind () { return this.rows.seq < this.#store.updateSeq || this.rows.purgeSeq < this.#store.purgeSeq }

  /** Tells how far the update is that runs. @returns {Progress | null} */
  get progress () {
    if (this.#update === null) return null
    const { done, total, startedAt, updatedAt } = this.#update
    return { design: this.#definition.design, signature: this.signature, done, total, startedAt, updatedAt }
  }

  /**
   * Indexes what was written up to now. A caller who asks meanwhile waits for the one that runs, then
   * looks again.
   *
   * @param {Observer} [observer]
   * @param {{ background?: boolean, wanted?: () => boolean }} [options] background: it gives way to those who wait;
   *   wanted: whether it is to be built again, where it was dropped meanwhile
   */
  async update (observer = {}, { background = false, wanted = () => true } = {}) {
    const { updateSeq, purgeSeq } = this.#store
    if (!background) this.waiting++
    try {
      while (wanted() && (this.rows.seq < updateSeq || this.rows.purgeSeq < purgeSeq)) {
        if (!background) this.#update?.hurry()
        if (this.#dropping !== null) await this.#dropping
        else await (this.#running ??= this.#run(observer, background).finally(() => { this.#running = null }))
      }
    } finally {
      if (!background) this.waiting--
    }
  }

  /** Indexes what was written up to now; undefined where nothing was. @returns {Promise<void> | undefined} */
  catchUp () { return this.isBehind ? this.update() : undefined }

  /** Indexes after what is going on now, once for all who ask. The next query is told what goes wrong. */
  updateLater () {
    if (this.#later) return
    this.#later = true
    setImmediate(() => {
      this.#later = false
      if (!this.#store.closed) this.update({}, { background: true }).catch(() => {})
    })
  }

  /**
   * Returns a snapshot to read from, which holds all that was written up to now, also where the index was dropped meanwhile.
   *
   * @param {boolean} [upToDate] false: as far as it has come, with whole documents
   * @returns {Promise<import('./index-snapshot').IndexSnapshot>}
   */
  async snapshot (upToDate = true) {
    const { updateSeq, purgeSeq } = this.#store
    for (;;) {
      if (upToDate) await this.update()
      const snapshot = await this.rows.snapshot()
      const { unfinished } = snapshot.state
      if (!unfinished && (!upToDate || (snapshot.state.seq >= updateSeq && snapshot.state.purgeSeq >= purgeSeq))) return snapshot
      await snapshot.close()
      if (unfinished) await this.#finish()
    }
  }

  /** Waits for the document that has only some of its rows. A document that a crash left so is begun again. */
  async #finish () {
    if (this.#update === null) await this.update()
    else await this.rows.whole()
  }

  /**
   * The store is not closed while a batch is written.
   * @param {Observer} observer
   * @param {boolean} background
   */
  async #run (observer, background) {
    this.#store.indexSpace.assertOpen()
    const update = new IndexUpdate({ store: this.#store, rows: this.rows, definition: this.#definition, allot: this.#allot }, observer, background)
    const release = this.#store.indexSpace.hold(() => update.stop())
    this.#update = update
    try {
      await update.run()
      if (update.done >= MUCH) await this.#sumUp()
    } finally {
      this.#update = null
      this.rows.wake()
      await release()
    }
  }

  /**
   * Sets what reduces views of the index.
   * @param {string} name of who asks for that
   * @param {() => Reducers} reducers
   */
  setReducers (name, reducers) { this.#reducers.set(name, reducers) }

  /** Works out what reducers make of all rows, part by part. A query is told of what goes wrong. */
  async #sumUp () {
    for (const reducers of this.#reducers.values()) {
      for (const { view, reducer } of reducers()) await this.rows.sumUp(view, reducer).catch(() => {})
    }
  }

  /** Drops all rows. A caller who asks for it after that, or waits for it, has it built again. */
  drop () {
    this.#dropping ??= this.#clear().finally(() => { this.#dropping = null })
    return this.#dropping
  }

  async #clear () {
    await this.#update?.stop()
    await this.#running?.catch(() => {})
    await this.rows.clear(this.#allot(), this.#store.purgeSeq)
  }
}

module.exports = { ViewIndex }
