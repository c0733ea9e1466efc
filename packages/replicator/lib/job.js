'use strict'

const crypto = require('node:crypto')
const { EventEmitter } = require('node:events')
const replicationPlugin = require('pouchdb-replication')
const { createError } = require('@potoroo/errors')
const { openFailure, replicationFailure } = require('./failure')
const { openRemote } = require('./remote')
const { nameOf } = require('./request')
const { streamFrom } = require('./stream-source')
const { streamTo } = require('./stream-target')

/** Documents that are asked for and written at once. */
const BATCH = 500

/** pouchdb-replication is a plugin; it finds its functions here instead of on everybody's PouchDB. @type {any} */
const pouchReplication = { prototype: {} }
replicationPlugin(pouchReplication)

/** A replication that runs, once or for ever. Emits `end`. */
class Job extends EventEmitter {
  #request
  #openLocal
  #replication = null
  #cancelled = false
  #counts = { docs_read: 0, docs_written: 0, doc_write_failures: 0 }
  #startedAt = new Date()
  #updatedAt = new Date()
  #through = 0

  /**
   * @param {string} id
   * @param {import('./request').ReplicationRequest} request
   * @param {(name: string, options: { create: boolean, filter?: object }) => Promise<any>} openLocal
   *   a PouchDB on a database here
   */
  constructor (id, request, openLocal) {
    super()
    this.id = id
    this.#request = request
    this.#openLocal = openLocal
  }

  /**
   * Opens both sides, then replicates.
   * @returns {Promise<{ done: Promise<any> }>} `done`: CouchDB's answer, when all is copied
   */
  async start () {
    const { source, target, createTarget } = this.#request
    const { filter, queryParams, docIds, selector } = this.#request
    const opened = []
    try {
      const from = await this.#open(source, false, { filter, queryParams, docIds, selector })
      opened.push(from)
      const to = await this.#open(target, createTarget)
      opened.push(to)
      streamFrom(from)
      streamTo(to)
      if (this.#cancelled) throw createError('CLOSED', { reason: 'The replication was cancelled' })
      return { done: this.#run(from, to).finally(() => this.#end(opened)) }
    } catch (error) {
      this.#end(opened)
      throw error
    }
  }

  async #open (endpoint, create, filter) {
    try {
      if (endpoint.name !== undefined) return await this.#openLocal(endpoint.name, { create, filter })
      const db = openRemote(endpoint, create)
      const info = await db.info()
      // What is no database answers too: a server its welcome, a proxy its own pages.
      if (info.update_seq === undefined) throw Object.assign(new Error('it is not a database'), { status: refusals[info.error] ?? 404 })
      return db
    } catch (error) {
      throw openFailure(error, endpoint)
    }
  }

  async #run (from, to) {
    const { continuous, filter, queryParams, docIds, selector, sinceSeq, checkpoint } = this.#request
    const replication = pouchReplication.replicate(from, to, {
      ...definedOnly({ filter, query_params: queryParams, doc_ids: docIds, selector, since: sinceSeq }),
      live: continuous,
      retry: continuous,
      checkpoint,
      batch_size: BATCH,
      batches_limit: 2
    })
    this.#replication = replication
    replication.on('change', info => this.#progress(info))
    // Denied documents are counted in the result.
    replication.on('denied', () => {})
    try {
      return this.#answer(await replication)
    } catch (error) {
      throw replicationFailure(error)
    }
  }

  #progress ({ docs_read: read, docs_written: written, doc_write_failures: failures, last_seq: lastSeq }) {
    this.#counts = { docs_read: read, docs_written: written, doc_write_failures: failures }
    this.#through = lastSeq
    this.#updatedAt = new Date()
  }

  #answer (result) {
    this.#progress(result)
    const session = crypto.randomBytes(16).toString('hex')
    return {
      ok: result.ok,
      session_id: session,
      source_last_seq: result.last_seq,
      replication_id_version: 4,
      history: [{
        session_id: session,
        start_time: new Date(result.start_time).toUTCString(),
        end_time: new Date(result.end_time).toUTCString(),
        start_last_seq: this.#request.sinceSeq ?? 0,
        end_last_seq: result.last_seq,
        recorded_seq: result.last_seq,
        missing_checked: result.docs_read,
        missing_found: result.docs_read,
        ...this.#counts
      }]
    }
  }

  cancel () {
    this.#cancelled = true
    this.#replication?.cancel()
  }

  #end (opened) {
    // Closing forgets the listeners; the databases themselves stay open for others.
    for (const db of opened) Promise.resolve(db.close()).catch(() => {})
    this.emit('end')
  }

  /** As `GET /_active_tasks` shows it. */
  describe () {
    const { source, target, continuous } = this.#request
    return {
      type: 'replication',
      replication_id: this.id,
      doc_id: null,
      source: nameOf(source),
      target: nameOf(target),
      continuous,
      ...this.#counts,
      through_seq: this.#through,
      started_on: Math.floor(this.#startedAt.getTime() / 1000),
      updated_on: Math.floor(this.#updatedAt.getTime() / 1000),
      node: 'nonode@nohost',
      pid: this.id
    }
  }
}

/** PouchDB gives what `GET /{db}` says as it is, a refusal too. */
const refusals = { unauthorized: 401, forbidden: 403 }

function definedOnly (object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}

module.exports = { Job }
