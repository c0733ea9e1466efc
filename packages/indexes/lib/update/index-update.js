'use strict'

const { nextRound } = require('@potoroo/document-store')
const { BatchWriter } = require('./batch-writer')
const { RunQueue } = require('./run-queue')
const { runsOf } = require('../rows/row-runs')

/** Documents that are mapped at once, and the UTF-16 units of them beyond which fewer are. */
const STEP = 500
const STEP_UNITS = 1024 * 1024

/** How many times as many those of a text index are: terms that several documents have are written once. */
const TEXT = 8

/**
 * One update of an index, from the sequence that it has reached to that of its database when the update
 * begins. While a batch of documents is mapped the one before is written: each write is atomic, with the
 * sequence that it reaches.
 *
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').Change} Change
 * @typedef {import('../rows/row-runs').Run} Run
 * @typedef {{ id: string, seq: number | undefined, document: Document | null }} Looked a document that is indexed again; null: it is deleted
 * @typedef {{ documents: import('./batch-writer').BatchDocument[], queue: RunQueue<Run[]> }} Batch
 */
class IndexUpdate {
  #store
  #rows
  #definition
  #allot
  #observer
  #background
  #from
  #stopped = false
  /** The batch before this one, until it is written. */
  #last = Promise.resolve()
  /** @type {Promise<void>} */
  #writing = Promise.resolve()
  startedAt = Date.now()
  updatedAt = Date.now()

  /**
   * @param {object} index
   * @param {import('@potoroo/document-store').DocumentStore} index.store
   * @param {import('../index/row-index').RowIndex} index.rows
   * @param {import('../index/view-index').Definition} index.definition
   * @param {() => number} index.allot
   * @param {import('../index/view-index').Observer} observer
   * @param {boolean} background nobody waits for it
   */
  constructor ({ store, rows, definition, allot }, observer, background) {
    this.#store = store
    this.#rows = rows
    this.#definition = definition
    this.#allot = allot
    this.#observer = observer
    this.#background = background
    this.#from = rows.seq
    this.total = store.updateSeq - rows.seq
  }

  /** Sequences that were looked at. */
  get done () { return Math.max(0, this.#rows.seq - this.#from) }

  /** Somebody waits for it from now on. */
  hurry () { this.#background = false }

  /** It writes nothing more once this resolves. Code that waits for it goes on by itself. */
  async stop () {
    this.#stopped = true
    await this.#writing.catch(() => {})
  }

  /** Ends early, without an error, where it was stopped. */
  async run () {
    const observer = this.#observer
    observer.onStart?.(this.total)
    try {
      await this.#beginAgain()
      await this.#takePurges()
      await this.#takeChanges()
      observer.onEnd?.()
    } catch (error) {
      observer.onEnd?.(error)
      throw error
    } finally {
      await this.#last.catch(() => {})
    }
  }

  /** A first document may have been begun before: nobody knows. */
  async #beginAgain () {
    const rows = this.#rows
    if (rows.seq === 0 && rows.state.unfinished !== undefined) await this.#unlessStopped(() => rows.restart(this.#allot()))
  }

  async #takeChanges () {
    const since = this.#rows.seq
    const fresh = since === 0
    const changes = this.#store.changes({ since, includeDocs: true, pending: false, ...this.#definition.reads })
    let batch = /** @type {Change[]} */ ([])
    let units = 0
    const times = this.#definition.isText ? TEXT : 1
    for await (const page of changes) {
      if (this.#stopped) return
      for (const change of page) {
        batch.push(change)
        units += /** @type {Document} */ (change.document).body.length
      }
      if (batch.length < STEP * times && units < STEP_UNITS * times) continue
      await this.#step(batch, changes.lastSeq, fresh)
      batch = []
      units = 0
      await nextRound()
    }
    if (changes.lastSeq > this.#rows.seq) await this.#step(batch, changes.lastSeq, fresh)
    await this.#last
  }

  /**
   * Begins a batch, and waits for the one before.
   * @param {Change[]} changes
   * @param {number} seq
   * @param {boolean} fresh
   */
  async #step (changes, seq, fresh) {
    const before = this.#last
    const batch = this.#map(changes.map(({ id, seq, deleted, document }) => ({ id, seq, document: deleted ? null : /** @type {Document} */ (document) })))
    this.#last = this.#writeStep(before, batch, seq, fresh)
    // It is told where it is waited for.
    this.#last.catch(() => {})
    await before
  }

  /** @param {Promise<void>} before @param {Batch} batch @param {number} seq @param {boolean} fresh */
  async #writeStep (before, batch, seq, fresh) {
    try {
      await before
      await this.#write(batch, { seq }, fresh)
    } finally {
      batch.queue.close()
    }
    this.updatedAt = Date.now()
    this.#observer.onStep?.({ seq, documents: batch.documents.length })
  }

  /** @param {Batch} batch @param {{ seq?: number }} reached @param {boolean} fresh */
  async #write ({ documents, queue }, reached, fresh) {
    const writer = new BatchWriter(this.#rows, documents, { fresh, write: task => this.#unlessStopped(task) })
    for await (const runs of queue) {
      for (const run of runs) {
        const written = writer.take(run)
        if (written !== undefined) await written
      }
    }
    await writer.end(reached)
  }

  /**
   * Deleted documents have no rows, and design documents only where the definition says so.
   * @param {Looked[]} changes
   * @returns {Batch}
   */
  #map (changes) {
    const { includesDesign = false } = this.#definition
    const documents = changes.map(({ id, seq, document }) => ({ id, seq, isMapped: document !== null && (includesDesign || !id.startsWith('_design/')) }))
    const wanted = changes.filter((_, i) => documents[i].isMapped).map(({ document }) => /** @type {Document} */ (document))
    return { documents, queue: new RunQueue(put => wanted.length === 0 ? undefined : this.#makeRuns(wanted, put)) }
  }

  /** @param {Document[]} documents @param {(runs: Run[]) => Promise<void>} put */
  async #makeRuns (documents, put) {
    const { map, mapInParts, collations } = this.#definition
    const options = { background: this.#background }
    if (mapInParts !== undefined) return mapInParts(documents, put, options)
    const mapped = await /** @type {NonNullable<typeof map>} */ (map)(documents, this.#observer, options)
    await put(mapped.flatMap(rows => runsOf(rows, collations[0]?.compareValues)))
  }

  /** A purge is no change: what was purged is looked up as it is now. */
  async #takePurges () {
    const rows = this.#rows
    if (rows.purgeSeq >= this.#store.purgeSeq) return
    const { oldest, last, purges } = await this.#store.purges({ since: rows.purgeSeq })
    // More was purged than the store remembers.
    if (rows.purgeSeq < oldest - 1) await this.#unlessStopped(() => rows.restart(this.#allot()))
    const ids = rows.seq === 0 ? [] : [...new Set(purges.map(({ id }) => id))]
    for (let at = 0; at < ids.length; at += STEP) {
      const found = await this.#store.bulkGet(ids.slice(at, at + STEP).map(id => ({ id })), this.#definition.reads)
      const documents = found.map((result, i) => ({ id: ids[at + i], seq: undefined, document: 'ok' in result ? result.ok : null }))
      const batch = this.#map(documents)
      await this.#write(batch, {}, false).finally(() => batch.queue.close())
    }
    await this.#unlessStopped(() => rows.replace([], { purgeSeq: last }))
  }

  /** @param {() => Promise<void>} write */
  async #unlessStopped (write) {
    if (this.#stopped) return
    this.#writing = write()
    await this.#writing
  }
}

module.exports = { IndexUpdate }
