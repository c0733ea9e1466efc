'use strict'

const { describeFailure, HostRefused, reasonOf } = require('../replication/failure')
const { isoTime } = require('./job-history')
const { replicationId } = require('../request/replication-id')
const { parseRequest } = require('../request/request')
const { fetchFilterCode } = require('../replication/run')

/** Seconds: the range of the first rest after a failure, and how often it doubles. */
const REST = 64
const DOUBLINGS = 12

/** Seconds after which a filter function is looked at again, at least. */
const FILTER_REST = 60

/**
 * @typedef {import('../request/request').ReplicationRequest} ReplicationRequest
 * @typedef {import('./scheduler').Job} Job
 */

/**
 * A document that asks for a replication which is not over.
 *
 * @typedef {object} Entry
 * @property {string} database
 * @property {string} id
 * @property {any} doc
 * @property {ReplicationRequest} request
 * @property {string} said the request, to see whether it changed
 * @property {'initializing' | 'error' | 'scheduled'} state
 * @property {string | null} jobId
 * @property {string | null} info
 * @property {number} errorCount
 * @property {number} updatedAt milliseconds
 * @property {number} startTime
 * @property {NodeJS.Timeout | undefined} timer of the next attempt
 */

/** Turns the documents of `_replicator` databases into jobs, and tells the documents what became of them. */
class DocumentProcessor {
  /** @type {Map<string, Entry>} */
  #entries = new Map()
  #scheduler
  #context
  #closed = false

  /**
   * @param {import('./scheduler').Scheduler} scheduler
   * @param {import('../replication/run').Context & { uuid: () => string, userOf: (doc: any) => Promise<any>,
   *   updateDocument: import('../..').ReplicatorOptions['updateDocument'] }} context
   *   `userOf`: as whom databases here are used; `updateDocument` sets and (undefined) removes members
   */
  constructor (scheduler, context) {
    this.#scheduler = scheduler
    this.#context = context
    scheduler.on('started', job => this.#tell(job, { _replication_state: 'triggered', _replication_state_reason: undefined, _replication_id: job.id, _replication_stats: undefined }))
    scheduler.on('crashed', (job, error) => this.#crashed(job, error))
    scheduler.on('finished', job => this.#complete(job))
  }

  /**
   * A document was written, or is there when the server starts.
   * @param {string} database
   * @param {any} doc
   */
  updated (database, doc) {
    const id = doc._id
    if (id.startsWith('_design/') || this.#closed) return
    this.#context.count('docs.db_changes')
    const state = doc._replication_state
    if (doc._deleted === true || state === 'completed' || state === 'failed') return this.removed(database, id)
    try {
      this.#take(database, doc, parseRequest(doc, this.#context.settings()))
    } catch (error) {
      this.removed(database, id)
      const members = { _replication_state: 'failed', _replication_stats: undefined, _replication_state_reason: reasonOf(error) }
      this.#write(database, id, members, ({ _rev }) => _rev === doc._rev)
    }
  }

  /** @param {string} database @param {any} doc @param {ReplicationRequest} request */
  #take (database, doc, request) {
    const key = keyOf(database, doc._id)
    const said = whatItSays(doc, request)
    if (this.#entries.get(key)?.said === said) return
    this.removed(database, doc._id)
    const now = Date.now()
    /** @type {Entry} */
    const entry = { database, id: doc._id, doc, request, said, state: 'initializing', jobId: null, info: null, errorCount: 0, updatedAt: now, startTime: now, timer: undefined }
    this.#entries.set(key, entry)
    this.#start(entry)
  }

  /**
   * It was deleted, or is done: its job ends.
   *
   * @param {string} database
   * @param {string} id
   */
  removed (database, id) {
    const key = keyOf(database, id)
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    clearTimeout(entry.timer)
    this.#removeJob(entry)
  }

  /** @param {Entry} entry */
  #removeJob ({ database, id, jobId }) {
    const job = jobId === null ? undefined : this.#scheduler.get(jobId)
    if (job?.document?.database === database && job.document.id === id) this.#background(this.#scheduler.remove(job.id))
  }

  /** @param {string} database */
  databaseDeleted (database) {
    for (const entry of [...this.#entries.values()]) if (entry.database === database) this.removed(database, entry.id)
  }

  /** @param {Entry} entry */
  #isCurrent (entry) { return !this.#closed && this.#entries.get(keyOf(entry.database, entry.id)) === entry }

  /** @param {Entry} entry */
  #start (entry) { this.#background(this.#schedule(entry).catch(error => this.#failed(entry, error))) }

  /** @param {Entry} entry */
  async #schedule (entry) {
    const { database, id, request, doc } = entry
    const user = await this.#context.userOf(doc)
    const filterCode = await fetchFilterCode(request, user, this.#context)
    if (!this.#isCurrent(entry)) return
    const ids = replicationId(request, { uuid: this.#context.uuid(), user: user.name, filterCode })
    if (entry.jobId !== null && entry.jobId !== ids.id) this.#removeJob(entry)
    const running = this.#scheduler.get(ids.id)
    if (running !== undefined && !isOf(running, entry)) return this.#duplicate(entry, ids.id, running)
    Object.assign(entry, { state: 'scheduled', jobId: ids.id, info: null, errorCount: 0, updatedAt: Date.now() })
    this.#scheduler.add({ ...ids, request, user, shownUser: doc.user_ctx?.name ?? null, document: { database, id } })
    // Its source may change, and is part of what is replicated.
    if (filterCode !== undefined) this.#later(entry, FILTER_REST + Math.random() * (1 + this.#entries.size / 5))
  }

  /** @param {Entry} entry @param {string} jobId @param {Job} job the one that runs already */
  #duplicate (entry, jobId, { document }) {
    if (document === null) throw new Error(`Replication \`${jobId}\` specified by document \`${entry.id}\` already running as a transient replication, started via \`_replicate\` API endpoint`)
    const reason = `Replication \`${jobId}\` specified by document \`${entry.id}\` already started, triggered by document \`${document.id}\` from db \`${document.database}\``
    this.#entries.delete(keyOf(entry.database, entry.id))
    this.#update(entry, { _replication_state: 'failed', _replication_stats: undefined, _replication_state_reason: reason })
  }

  /** @param {Job} job @param {unknown} error */
  #crashed (job, error) {
    const entry = this.#entryOf(job)
    if (entry === undefined) return
    if (error instanceof HostRefused) return this.#refuse(entry, error)
    this.#tell(job, { _replication_state: 'error', _replication_state_reason: describeFailure(error), _replication_stats: undefined, _replication_id: job.id })
  }

  /**
   * It is over: a host that may not be asked is not asked again.
   *
   * @param {Entry} entry
   * @param {HostRefused} error
   */
  #refuse (entry, error) {
    this.#update(entry, { _replication_state: 'failed', _replication_state_reason: describeFailure(error), _replication_stats: undefined })
    this.removed(entry.database, entry.id)
  }

  /** @param {Entry} entry @param {unknown} error */
  #failed (entry, error) {
    if (!this.#isCurrent(entry)) return
    if (error instanceof HostRefused) return this.#refuse(entry, error)
    this.#removeJob(entry)
    Object.assign(entry, { state: 'error', jobId: null, info: reasonOf(error), errorCount: entry.errorCount + 1, updatedAt: Date.now() })
    this.#context.log('warning', `Replication of document ${entry.id} of ${entry.database}: ${entry.info}`)
    if (this.#context.settings().update_docs) {
      this.#update(entry, { _replication_state: 'error', _replication_state_reason: entry.info, _replication_stats: undefined, _replication_id: null })
    }
    this.#later(entry, Math.random() * REST * 2 ** Math.min(entry.errorCount, DOUBLINGS))
  }

  /** @param {Entry} entry @param {number} seconds */
  #later (entry, seconds) {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => { if (this.#isCurrent(entry)) this.#start(entry) }, Math.min(seconds * 1000, 2 ** 31 - 1))
    entry.timer.unref()
  }

  /** @param {Job} job @param {Record<string, any>} members */
  #tell (job, members) {
    const entry = this.#entryOf(job)
    if (entry !== undefined && this.#context.settings().update_docs) this.#update(entry, members)
  }

  /** @param {Job} job */
  #complete (job) {
    const entry = this.#entryOf(job)
    if (entry === undefined) return
    const { source_seq: source, through_seq: through, ...stats } = job.info
    this.#update(entry, {
      _replication_state: 'completed',
      _replication_state_reason: undefined,
      _replication_stats: { ...stats, start_time: isoTime(job.startTime) }
    })
  }

  /**
   * The document that a job is of, as long as it asks for that.
   *
   * @param {Job} job
   */
  #entryOf ({ id, document }) {
    const entry = document === null ? undefined : this.#entries.get(keyOf(document.database, document.id))
    return entry?.jobId === id ? entry : undefined
  }

  /**
   * One that asks for something else meanwhile is told nothing of what it asked for before.
   *
   * @param {Entry} entry
   * @param {Record<string, any>} members
   */
  #update ({ database, id, said }, members) {
    this.#write(database, id, members, doc => this.#says(doc) === said)
  }

  /** @param {string} database @param {string} id @param {Record<string, any>} members @param {(doc: any) => boolean} isMeant */
  #write (database, id, members, isMeant) {
    const { _replication_state: state } = members
    if (state === 'failed' || state === 'completed') this.#context.count(`docs.${state}_state_updates`)
    this.#background(this.#context.updateDocument(database, id, members, isMeant))
  }

  /** @param {any} doc */
  #says (doc) {
    try {
      return whatItSays(doc, parseRequest(doc, this.#context.settings()))
    } catch {
      return null
    }
  }

  /** @param {Promise<unknown>} work */
  #background (work) {
    work.catch(error => { if (!this.#closed) this.#context.log('error', `Replicator: ${error.stack ?? error}`) })
  }

  /**
   * How a document's replication goes, as `_scheduler/docs` shows it.
   * @param {string} database
   * @param {string} id
   * @param {string} node
   * @returns {Record<string, any> | null} null where it is over, or not known
   */
  describe (database, id, node) {
    const entry = this.#entries.get(keyOf(database, id))
    if (entry === undefined) return null
    const { state, jobId, info, errorCount, updatedAt, startTime } = entry
    const job = state === 'scheduled' && jobId !== null ? this.#scheduler.get(jobId) : undefined
    if (job !== undefined) return { database, doc_id: id, id: jobId, node, ...this.#scheduler.summary(job) }
    return {
      database,
      doc_id: id,
      id: jobId,
      // It has just come to its end, and the document does not say so yet.
      state: state === 'scheduled' ? 'pending' : state,
      info: info === null ? null : { error: info },
      error_count: errorCount,
      node,
      last_updated: isoTime(updatedAt),
      start_time: isoTime(startTime)
    }
  }

  close () {
    this.#closed = true
    for (const { timer } of this.#entries.values()) clearTimeout(timer)
    this.#entries.clear()
  }
}

/**
 * Returns what a document asks for, without what it was told.
 *
 * @param {any} doc
 * @param {ReplicationRequest} request
 */
function whatItSays ({ owner, user_ctx: context }, request) { return JSON.stringify([request, owner, context]) }

/** @param {Job} job @param {Entry} entry */
function isOf ({ document }, { database, id }) {
  return document !== null && document.database === database && document.id === id
}

/** @param {string} database @param {string} id */
function keyOf (database, id) { return `${database}\0${id}` }

module.exports = { DocumentProcessor }
