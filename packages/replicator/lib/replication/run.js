'use strict'

const { setMaxListeners } = require('node:events')
const { LocalDatabase } = require('../local/local-database')
const { AskedDatabase } = require('../remote/asked-database')
const { RemoteDatabase } = require('../remote/remote-database')
const { tlsOptions } = require('../remote/tls')
const { Replication } = require('./replication')
const { describeFailure, HostRefused, toFailure } = require('./failure')

/**
 * @typedef {import('../request/request').ReplicationRequest} ReplicationRequest
 * @typedef {import('./side').Side} Side
 */

/**
 * The parts that all replications share.
 *
 * @typedef {object} Context
 * @property {() => import('../request/replicator-settings').Settings} settings
 * @property {import('../local/local-database').LocalDatabases} databases
 * @property {string} agentName `User-Agent` for peers
 * @property {NonNullable<import('../..').ReplicatorOptions['refusal']>} refusal why a user may not have a host asked
 * @property {import('../..').ReplicatorOptions['tracing']} [tracing]
 * @property {(level: 'notice' | 'warning' | 'error', message: string) => void} log
 * @property {NonNullable<import('../..').ReplicatorOptions['count']>} count
 */

/** Ends a run that is to go on later, or never. */
class Stopped extends Error {}

let runs = 0

/** A job while it runs. */
class Run {
  #controller = new AbortController()
  #sides
  #replication
  #count
  #started = false

  /** As CouchDB's process ids look. */
  pid = `<0.${++runs}.0>`
  startedAt = Date.now()
  updatedAt = Date.now()

  /**
   * @param {import('../jobs/scheduler').Job} job
   * @param {Context} context
   */
  constructor (job, context) {
    this.#count = context.count
    const { signal } = this.#controller
    setMaxListeners(0, signal)
    const { request, user, trace } = job
    this.#sides = openSides(request, user, context, signal, trace)
    this.#replication = new Replication(this.#sides.source, this.#sides.target, request, {
      base: job.base,
      settings: context.settings(),
      earlier: job.counters,
      controller: this.#controller,
      count: context.count,
      log: message => context.log('error', `Replication ${job.id}: ${message}`),
      onProgress: () => { this.updatedAt = Date.now() }
    })
  }

  /**
   * @param {() => void} onStarted
   * @returns {Promise<any>} CouchDB's answer
   * @throws {Stopped} when `stop` was called
   * @throws {import('./failure').ReplicationError}
   */
  async finish (onStarted) {
    const { signal } = this.#controller
    try {
      await this.#replication.start()
      signal.throwIfAborted()
      this.#started = true
      onStarted()
      return await this.#replication.run()
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error
      if (!this.#started && !(reason instanceof Stopped)) this.#count('failed_starts')
      throw reason instanceof Stopped ? reason : toFailure(reason)
    } finally {
      this.#controller.abort(new Stopped())
      await Promise.all([this.#sides.source.close(), this.#sides.target.close()])
    }
  }

  /**
   * Ends it, after a last checkpoint where that can be written now.
   *
   * @param {number} patience milliseconds
   */
  async stop (patience) {
    if (this.#started) {
      const late = setTimeout(() => this.#controller.abort(new Stopped()), patience)
      await this.#replication.checkpoint().catch(() => {})
      clearTimeout(late)
    }
    this.#controller.abort(new Stopped())
  }

  get sessionId () { return this.#started ? this.#replication.sessionId : undefined }

  /** The counters as they are kept between runs. */
  get counters () { return this.#replication.statistics.toHistory() }

  /** As `info` of `_scheduler` and `_active_tasks` have it; null before it has begun. */
  get info () {
    if (!this.#started) return null
    const { statistics, throughSeq, sourceSeq, checkpointedSeq, changesPending } = this.#replication
    return {
      revisions_checked: statistics.missing_checked,
      missing_revisions_found: statistics.missing_found,
      docs_read: statistics.docs_read,
      docs_written: statistics.docs_written,
      changes_pending: changesPending,
      doc_write_failures: statistics.doc_write_failures,
      bulk_get_docs: statistics.bulk_get_docs,
      bulk_get_attempts: statistics.bulk_get_attempts,
      checkpointed_source_seq: sequenceText(checkpointedSeq),
      source_seq: sequenceText(sourceSeq),
      through_seq: sequenceText(throughSeq)
    }
  }

  /** Counts what is left, where it was counted long ago. */
  refresh () {
    if (this.#started) this.#replication.countPending()
  }
}

/**
 * @param {ReplicationRequest} request
 * @param {any} user
 * @param {Context} context
 * @param {AbortSignal} signal
 * @param {unknown} [trace] of the request that waits for it
 * @returns {{ source: Side, target: Side }}
 */
function openSides (request, user, context, signal, trace) {
  const open = (/** @type {import('../request/endpoint').Endpoint} */ endpoint) => {
    const { name } = endpoint
    const inside = name === undefined ? undefined : context.databases.requestsOf?.(name, user)
    if (name !== undefined && inside !== undefined) return new AskedDatabase(name, openPeer({ url: `http://localhost/${encodeURIComponent(name)}/` }, request, user, context, signal, inside), request)
    if (name !== undefined) return new LocalDatabase(name, { databases: context.databases, user, request, signal })
    return new RemoteDatabase(openPeer(endpoint, request, user, context, signal, undefined, trace), request)
  }
  return { source: open(request.source), target: open(request.target) }
}

/**
 * @param {import('../request/endpoint').Endpoint} endpoint
 * @param {ReplicationRequest} request
 * @param {any} user
 * @param {Context} context
 * @param {AbortSignal} signal
 * @param {import('../local/local-database').Requests} [inside]
 * @param {unknown} [trace]
 */
function openPeer (endpoint, { connections, timeout, retries }, user, { agentName, refusal, count, settings: read, tracing }, signal, inside, trace) {
  // The HTTP client takes a tenth of a second to load: a server that replicates with nobody does without.
  const { Peer } = require('../remote/peer')
  const settings = read()
  return new Peer(endpoint, {
    connections,
    timeout,
    retries,
    patience: settings.health_threshold * 1000 / 2,
    tls: endpoint.url?.startsWith('https:') ? tlsOptions(settings) : {},
    agentName,
    refusal: peer => refusal(user, peer),
    signal,
    count,
    inside,
    ...(tracing && { traced: (/** @type {any} */ asked, /** @type {any} */ send) => tracing.ask(trace, asked, send) })
  })
}

/** @param {any} seq */
function sequenceText (seq) { return typeof seq === 'string' ? seq : JSON.stringify(seq) }

/**
 * The source of a job's filter function, which is part of its id.
 *
 * @param {ReplicationRequest} request
 * @param {any} user
 * @param {Context} context
 * @returns {Promise<string | undefined>}
 * @throws {import('./failure').ReplicationError} filter_fetch_error
 */
async function fetchFilterCode (request, user, context) {
  const { filter } = request
  if (filter === undefined || filter.startsWith('_')) return undefined
  const slash = filter.indexOf('/')
  const controller = new AbortController()
  const { source, target } = openSides({ ...request, target: request.source }, user, context, controller.signal)
  try {
    await source.open(false, {})
    const code = await source.filterCode(filter.slice(0, slash), filter.slice(slash + 1))
    if (typeof code === 'string') return code.trim()
    throw filterFailure(`Couldn't parse filter code from document ${filter.slice(0, slash)} on \`${source.shown}\``)
  } catch (error) {
    if (error.code === 'filter_fetch_error' || error instanceof HostRefused) throw error
    throw filterFailure(`Could not open source database \`${source.shown}\`: ${describeFailure(error)}`)
  } finally {
    controller.abort(new Stopped())
    await Promise.all([source.close(), target.close()])
  }
}

/** @param {string} reason */
function filterFailure (reason) { return Object.assign(toFailure(new Error(reason)), { code: 'filter_fetch_error' }) }

module.exports = { Run, Stopped, fetchFilterCode, sequenceText }
