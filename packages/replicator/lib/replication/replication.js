'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { Checkpoint } = require('./checkpoint')
const { ReplicationError, toFailure } = require('./failure')
const { Statistics } = require('./statistics')
const { Transfer } = require('./transfer')

/** Milliseconds before a feed that broke is opened again, and the longest. */
const WAIT = 250
const LONGEST_WAIT = 30000

/** Milliseconds for which a count of what is left to do is good enough. */
const PENDING_AGE = 30000

/**
 * @typedef {import('../remote/remote-changes').ChangesPage} ChangesPage
 * @typedef {{ seq: any, done: boolean }} Batch
 */

/**
 * One run of a replication: it reads the changes of the source, and copies what the target lacks,
 * some batches at a time. All before `throughSeq` is copied.
 */
class Replication {
  #source
  #target
  #request
  #signal
  #options
  #checkpoint = /** @type {Checkpoint} */ (/** @type {any} */ (null))
  #transfer
  /** Batches under way, oldest first. @type {Batch[]} */
  #batches = []
  #room = deferred()
  /** @type {{ at: number, count: number | null }} */
  #pending = { at: 0, count: null }

  statistics = new Statistics()

  /** As the source says them. */
  throughSeq = /** @type {any} */ (0)
  sourceSeq = /** @type {any} */ (0)

  /**
   * @param {import('./side').Side} source
   * @param {import('./side').Side} target
   * @param {import('../request/request').ReplicationRequest} request
   * @param {{ base: string, settings: import('../request/replicator-settings').Settings, earlier?: any, controller: AbortController, count: import('./run').Context['count'], log: (message: string) => void, onProgress: () => void }} options
   *   `earlier`: counters of an earlier run; `controller` ends it, with the reason, and is what a failure ends it by
   */
  constructor (source, target, request, options) {
    this.#source = source
    this.#target = target
    this.#request = request
    this.#signal = options.controller.signal
    this.#options = options
    this.statistics.startFrom(options.earlier)
    this.#transfer = new Transfer(source, target, this.statistics, {
      retries: request.retries,
      missingWait: options.settings.missing_doc_retry_msec,
      longestId: options.settings.max_document_id_length,
      signal: this.#signal,
      log: options.log
    })
  }

  /** Opens both sides and finds where to go on. */
  async start () {
    const { createTarget, createTargetParams } = this.#request
    const source = await this.#source.open(false, {})
    const target = await this.#target.open(createTarget, createTargetParams)
    this.#checkpoint = new Checkpoint(this.#options.base, this.#source, this.#target, this.#request, { source: source.instance, target: target.instance })
    await this.#checkpoint.read()
    this.#recordBefore = this.#checkpoint.record
    this.statistics.startFrom(this.#checkpoint.lastCounters)
    this.throughSeq = this.sourceSeq = this.#checkpoint.startSeq
    this.#pending = { at: Date.now(), count: await this.#source.pending(this.throughSeq).catch(() => null) }
  }

  get checkpointedSeq () { return this.#checkpoint.committedSeq }

  get sessionId () { return this.#checkpoint.sessionId }

  /**
   * Copies until now, or for ever.
   * @returns {Promise<any>} what CouchDB answers
   */
  async run () {
    const timer = setInterval(() => this.checkpoint().catch(error => this.#fail(error)), this.#request.checkpointInterval)
    timer.unref()
    const aborted = () => this.#wake()
    this.#signal.addEventListener('abort', aborted)
    try {
      await this.#readAll()
      await this.#idle()
    } finally {
      clearInterval(timer)
      this.#signal.removeEventListener('abort', aborted)
    }
    await this.checkpoint()
    return this.#answer()
  }

  /** A filter may have let nothing through: then it says no more than that. */
  #answer () {
    const { record } = this.#checkpoint
    if (!this.#hasChanges) return { ok: true, no_changes: true, ...this.#recordBefore }
    return this.#request.useCheckpoints ? { ok: true, ...record } : { ok: true, use_checkpoints: false }
  }

  #hasChanges = false

  /** The state of the sides before. @type {any} */
  #recordBefore = null

  /** @type {Promise<void>} */
  #writing = Promise.resolve()

  /** One after the other: each needs the revision of the one before. @returns {Promise<void>} */
  checkpoint () {
    const written = this.#writing.catch(() => {}).then(async () => {
      const isWritten = await this.#checkpoint.write(this.throughSeq, this.statistics).catch(error => {
        this.#options.count('checkpoints.failure')
        throw error
      })
      if (isWritten) this.#options.count('checkpoints.success')
      this.#options.onProgress()
    })
    this.#writing = written
    return written
  }

  async #readAll () {
    await this.#read(since => this.#source.untilNow(since), true)
    while (this.#request.continuous) await this.#read(since => this.#source.asTheyHappen(since), false)
  }

  /**
   * Reads a feed to its end, from where it broke when it breaks.
   *
   * @param {(since: any) => AsyncIterable<ChangesPage>} open
   * @param {boolean} ends
   */
  async #read (open, ends) {
    let left = this.#request.retries
    for (let wait = WAIT; ;) {
      const before = this.sourceSeq
      try {
        for await (const page of open(this.sourceSeq)) await this.#take(page)
        if (!ends) await this.#rest(before)
        return
      } catch (error) {
        this.#signal.throwIfAborted()
        this.#options.count('changes_read_failures')
        if (JSON.stringify(before) !== JSON.stringify(this.sourceSeq)) [left, wait] = [this.#request.retries, WAIT]
        if (error instanceof ReplicationError || error.code === 'CLOSED') throw toFailure(error)
        // A database here refuses the same again.
        if (error.status < 500 || left-- <= 0) throw new ReplicationError('changes_reader_died', String(error.reason ?? error.code ?? error.message), error)
        await sleep(wait, undefined, { signal: this.#signal })
        wait = Math.min(2 * wait, LONGEST_WAIT)
      }
    }
  }

  /**
   * A peer that ends its feed at once, each time, is not asked more than once in a while.
   *
   * @param {any} before
   */
  async #rest (before) {
    this.#signal.throwIfAborted()
    if (JSON.stringify(before) === JSON.stringify(this.sourceSeq)) await sleep(WAIT, undefined, { signal: this.#signal })
  }

  /** @param {ChangesPage} page */
  async #take ({ changes, lastSeq, pending }) {
    if (changes.length > 0) this.#hasChanges = true
    if (pending !== null) this.#pending = { at: Date.now(), count: pending }
    const size = this.#request.batchSize
    for (let i = 0; i === 0 || i < changes.length; i += size) {
      const part = changes.slice(i, i + size)
      const last = i + size >= changes.length
      await this.#roomForOne()
      // Between the sequences of a page some may be unknown: then it is done with its last part.
      this.#begin(part, last ? lastSeq : part[part.length - 1].seq)
    }
  }

  #roomForOne () { return this.#until(() => this.#batches.filter(({ done }) => !done).length < this.#request.workers) }

  #idle () { return this.#until(() => this.#batches.length === 0) }

  /** Waits for batches; nobody wakes one who comes when the replication has failed already. @param {() => boolean} isSo */
  async #until (isSo) {
    this.#signal.throwIfAborted()
    while (!isSo()) {
      await this.#room.promise
      this.#signal.throwIfAborted()
    }
  }

  /** @param {import('../remote/remote-changes').Change[]} changes @param {any} seq */
  #begin (changes, seq) {
    const batch = { seq, done: false }
    this.#batches.push(batch)
    if (changes.length > 0 || numberOf(seq) !== numberOf(this.sourceSeq)) this.sourceSeq = seq ?? this.sourceSeq
    else batch.seq = null
    this.#transfer.copy(changes).then(() => this.#finish(batch), error => this.#fail(error))
  }

  /**
   * All before the oldest batch under way is done.
   *
   * @param {Batch} batch
   */
  #finish (batch) {
    batch.done = true
    while (this.#batches[0]?.done) {
      const { seq } = /** @type {any} */ (this.#batches.shift())
      if ((seq ?? null) !== null) this.throughSeq = seq
    }
    this.#options.onProgress()
    this.#wake()
  }

  /**
   * The feed may be silent for ever: it is ended, too.
   *
   * @param {unknown} error
   */
  #fail (error) { this.#options.controller.abort(error) }

  #wake () {
    const { resolve } = this.#room
    this.#room = deferred()
    resolve()
  }

  /** Has the source count what is left, where that was long ago. */
  countPending () {
    const last = this.#pending
    if (Date.now() - last.at <= PENDING_AGE) return
    last.at = Date.now()
    this.#source.pending(this.sourceSeq).then(count => { last.count = count }, () => { last.count = null })
  }

  /** Changes that are left to be read, as far as known; null where the source does not say. */
  get changesPending () { return this.#pending.count }
}

/**
 * A CouchDB may write the same sequence in different ways: what is told from another by is its number.
 *
 * @param {any} seq
 */
function numberOf (seq) {
  return typeof seq === 'string' && /^\d+-/.test(seq) ? parseInt(seq, 10) : JSON.stringify(seq)
}

/** @returns {{ promise: Promise<void>, resolve: () => void }} */
function deferred () {
  /** @type {any} */
  const made = {}
  made.promise = new Promise(resolve => { made.resolve = resolve })
  return made
}

module.exports = { Replication }
