'use strict'

const crypto = require('node:crypto')
const { ReplicationError } = require('./failure')
const { REPLICATION_ID_VERSION } = require('../request/replication-id')

/** @typedef {Record<string, any>} Log a checkpoint as a side has it, which anybody may write */

/** Sessions that a checkpoint remembers. */
const LONGEST_HISTORY = 50

/**
 * How far a replication has come: a local document of the same name on both sides, in CouchDB's
 * form, so that CouchDB and PouchDB understand it.
 *
 *   session_id, source_last_seq, replication_id_version
 *   history   the sessions, newest first: session_id, start_time, end_time, start_last_seq,
 *             end_last_seq, recorded_seq, and counters
 *
 * @see https://docs.couchdb.org/en/stable/replication/protocol.html#retrieve-replication-logs-from-source-and-target
 */
class Checkpoint {
  #id
  #source
  #target
  #request
  #instances
  /** @type {any[]} */
  #history = []
  /** @type {{ source: Log | null, target: Log | null }} */
  #logs = { source: null, target: null }
  /** @type {any} */
  #committed = null
  #startedAt = new Date()
  /** The record that the sides have now. @type {Log | null} */
  record = null

  sessionId = crypto.randomBytes(16).toString('hex')

  /** The sequence where this session began. @type {any} */
  startSeq = 0

  /**
   * @param {string} base of the replication's id
   * @param {import('./side').Side} source
   * @param {import('./side').Side} target
   * @param {import('../request/request').ReplicationRequest} request
   * @param {{ source: string, target: string }} instances of the databases, when they were opened
   */
  constructor (base, source, target, request, instances) {
    this.#id = `_local/${base}`
    this.#source = source
    this.#target = target
    this.#request = request
    this.#instances = instances
  }

  /** Finds the last place that both sides know. */
  async read () {
    const [source, target] = await Promise.all([this.#source.getLocal(this.#id), this.#target.getLocal(this.#id)])
    this.#logs = { source, target }
    const { seq, history } = commonPlace(source ?? {}, target ?? {})
    this.#history = history
    this.startSeq = seq === 0 ? this.#request.sinceSeq ?? 0 : seq
    this.#committed = this.startSeq
    if (source !== null) {
      const { _id, _rev, ...record } = source
      this.record = record
    }
  }

  /** The counters of the session before this one. */
  get lastCounters () { return this.#history[0] }

  get committedSeq () { return this.#committed }

  /**
   * Writes down that all before `seq` is copied, once both sides have it for good.
   *
   * @param {any} seq
   * @param {import('./statistics').Statistics} statistics
   * @returns {Promise<boolean>} whether there was something to write
   */
  async write (seq, statistics) {
    if (!this.#request.useCheckpoints || JSON.stringify(seq) === JSON.stringify(this.#committed)) return false
    await this.#commit()
    const record = this.#recordAt(seq, statistics)
    this.#logs.source = await this.#put(this.#source, this.#logs.source, record, 'source')
    this.#logs.target = await this.#put(this.#target, this.#logs.target, record, 'target')
    this.#committed = seq
    this.record = record
    return true
  }

  async #commit () {
    const [source, target] = await Promise.all([this.#source.commit(), this.#target.commit()])
    const changed = (/** @type {const} */ ([['source', source], ['target', target]])).filter(([side, now]) => isOther(now, this.#instances[side])).map(([side]) => side)
    if (changed.length === 0) return
    throw new ReplicationError('checkpoint_commit_failure', `instance_start_time on ${changed.join(' and ')} database has changed since last checkpoint.`)
  }

  /** @param {any} seq @param {import('./statistics').Statistics} statistics @returns {Log} */
  #recordAt (seq, statistics) {
    const times = { start_time: this.#startedAt.toUTCString(), end_time: new Date().toUTCString() }
    const counters = statistics.toHistory()
    const entry = { session_id: this.sessionId, ...times, start_last_seq: this.startSeq, end_last_seq: seq, recorded_seq: seq, ...counters }
    return {
      session_id: this.sessionId,
      source_last_seq: seq,
      replication_id_version: REPLICATION_ID_VERSION,
      // As old clients know the answer of a replication of some documents.
      ...(this.#request.docIds !== undefined && { ...times, docs_read: counters.docs_read, docs_written: counters.docs_written, doc_write_failures: counters.doc_write_failures }),
      history: [entry, ...this.#history].slice(0, LONGEST_HISTORY)
    }
  }

  /**
   * @param {import('./side').Side} side
   * @param {Log | null} log
   * @param {Log} record
   * @param {string} name
   * @returns {Promise<Log>}
   */
  async #put (side, log, record, name) {
    try {
      const _rev = await side.putLocal({ _id: this.#id, ...(log !== null && { _rev: log._rev }), ...record })
      return { ...record, _rev }
    } catch (error) {
      throw new ReplicationError('checkpoint_commit_failure', `Error updating the ${name} checkpoint document: ${error.reason ?? error.message}`, error)
    }
  }
}

/**
 * CouchDB 2.0 to 3.2 say 0 of every database.
 *
 * @param {string} now
 * @param {string} before
 */
function isOther (now, before) {
  return now !== before && now !== '0' && before !== '0'
}

/**
 * The last place that both records know, and the sessions before it.
 * @param {Log} source
 * @param {Log} target
 * @returns {{ seq: any, history: any[] }} 0 where there is none
 */
function commonPlace (source, target) {
  if (source.session_id !== undefined && source.session_id === target.session_id) {
    return { seq: source.source_last_seq ?? 0, history: sessionsOf(source) }
  }
  return commonSession(sessionsOf(source), sessionsOf(target))
}

/** @param {any[]} source @param {any[]} target */
function commonSession (source, target) {
  for (let i = 0; i < source.length && i < target.length; i++) {
    const [left, right] = [source[i], target[i]]
    if (knows(target.slice(i), left)) return { seq: left.recorded_seq ?? 0, history: source.slice(i + 1) }
    if (knows(source.slice(i + 1), right)) return { seq: right.recorded_seq ?? 0, history: target.slice(i + 1) }
  }
  return { seq: 0, history: [] }
}

/** @param {any[]} sessions @param {any} session */
function knows (sessions, { session_id: id }) {
  return id !== undefined && sessions.some(session => session.session_id === id)
}

/**
 * Anybody may write local documents: what is no session is left out.
 *
 * @param {Log} log
 * @returns {any[]}
 */
function sessionsOf ({ history }) {
  if (!Array.isArray(history)) return []
  return history.filter(session => typeof session === 'object' && session !== null).slice(0, LONGEST_HISTORY)
}

module.exports = { Checkpoint }
