'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { DocumentProcessor } = require('./document-processor')
const { isObject, shownEndpoint } = require('../request/endpoint')
const { HostRefused } = require('../replication/failure')
const { isoTime } = require('./job-history')
const { replicationId } = require('../request/replication-id')
const { parseRequest } = require('../request/request')
const { fetchFilterCode, Stopped } = require('../replication/run')
const { Scheduler } = require('./scheduler')
const { defaults } = require('../request/replicator-settings')

/**
 * @typedef {import('./scheduler').Job} Job
 * @typedef {Job & { run: import('../replication/run').Run }} RunningJob
 * @typedef {import('../..').User} User
 */

const NODE = 'nonode@nohost'

/** The replications of a server: those of `POST /_replicate`, and those of documents of `_replicator` databases. */
class Replicator {
  #context
  #scheduler

  /** @param {import('../..').ReplicatorOptions} options */
  constructor (options) {
    const { settings = () => ({}), node = NODE, log = () => {}, refusal = () => null, count = () => {} } = options
    this.#context = { agentName: 'CouchDB-Replicator', ...options, node, log, refusal, count, settings: () => ({ ...defaults, ...settings() }) }
    this.#scheduler = new Scheduler(this.#context)
    this.documents = new DocumentProcessor(this.#scheduler, this.#context)
  }

  /**
   * @param {any} body of `POST /_replicate`
   * @param {{ name: string | null, roles: string[] }} user
   * @returns {Promise<Record<string, any>>} once all is copied; of a
   *   continuous one, and of cancelling, at once with `_local_id`
   */
  async replicate (body, user) {
    const by = actingUser(body, user)
    if (body?.cancel === true) return this.#cancel(body, user, by)
    const trace = this.#context.tracing?.current
    const { request, ids } = await this.#identify(body, by)
    const running = this.#scheduler.get(ids.id)
    if (running !== undefined) allow(running, user)
    const outcome = this.#outcome(ids.id)
    // A continuous one has nobody who waits for it.
    outcome.catch(() => {})
    const job = this.#scheduler.add({ ...ids, request, user: by, shownUser: user.name, document: null, trace: request.continuous ? undefined : trace })
    if (!request.continuous) return outcome
    return { ok: true, _local_id: job.id }
  }

  /** @param {any} body @param {User} user */
  async #identify (body, user) {
    const request = parseRequest(body, this.#context.settings())
    const filterCode = await fetchFilterCode(request, user, this.#context).catch(error => { throw toAnswer(error) })
    return { request, ids: replicationId(request, { uuid: this.#context.uuid(), user: user.name, filterCode }) }
  }

  /**
   * Returns the outcome of the next run of a job.
   *
   * @param {string} id
   * @returns {Promise<any>}
   */
  #outcome (id) {
    return new Promise((resolve, reject) => {
      /** @returns {[string, (job: Job, value: any) => void]} */
      const settle = (/** @type {string} */ event, /** @type {(value: any) => void} */ then) => {
        const listener = (/** @type {Job} */ job, /** @type {any} */ value) => {
          if (job.id !== id) return
          for (const [name, each] of listeners) this.#scheduler.off(name, each)
          then(value)
        }
        return [event, listener]
      }
      const listeners = [
        settle('finished', resolve),
        settle('crashed', error => reject(toAnswer(error))),
        settle('removed', () => reject(toAnswer(new Stopped('The replication was cancelled'))))
      ]
      for (const [name, each] of listeners) this.#scheduler.on(name, each)
    })
  }

  /** @param {any} body @param {User} user @param {User} by as whom databases here are used */
  async #cancel (body, user, by) {
    const given = body.replication_id ?? body._local_id ?? body.id
    if (given !== undefined && typeof given !== 'string') throw badRequest('parameter `replication_id` must be a string')
    // Some clients send the plus signs of an id as they are, which in a URL are spaces.
    const id = given === undefined ? (await this.#identify(body, by)).ids.id : given.replaceAll(' ', '+')
    const job = this.#scheduler.get(id)
    if (job === undefined) throw createError('MISSING')
    allow(job, user)
    await this.#scheduler.remove(id)
    return { ok: true, _local_id: id }
  }

  /** As `GET /_active_tasks` shows them. @returns {any[]} */
  tasks () {
    const running = /** @type {RunningJob[]} */ (this.#scheduler.list().filter(({ run }) => run !== null && run.info !== null))
    // The answer does not wait for peers to say what is left: it is shown the next time.
    for (const { run } of running) run.refresh()
    return running.map(job => this.#task(job))
  }

  /** @param {RunningJob} job */
  #task ({ id, request, shownUser, document, run }) {
    return {
      type: 'replication',
      replication_id: id,
      user: shownUser,
      database: document?.database ?? null,
      doc_id: document?.id ?? null,
      source: shownEndpoint(request.source),
      target: shownEndpoint(request.target),
      continuous: request.continuous,
      checkpoint_interval: request.checkpointInterval,
      ...run.info,
      started_on: Math.floor(run.startedAt / 1000),
      updated_on: Math.floor(run.updatedAt / 1000),
      node: this.#context.node,
      pid: run.pid,
      process_status: 'waiting'
    }
  }

  /** As `GET /_scheduler/jobs` shows them, by id. @returns {any[]} */
  jobs () {
    return this.#scheduler.list().map(job => this.#describe(job))
  }

  /**
   * One of them; null where there is none.
   *
   * @param {string} id
   */
  job (id) {
    const job = this.#scheduler.get(id.replaceAll(' ', '+'))
    return job === undefined ? null : this.#describe(job)
  }

  /** @param {Job} job */
  #describe ({ id, request, shownUser, document, run, info, history, startTime }) {
    return {
      database: document?.database ?? null,
      id,
      pid: run?.pid ?? null,
      source: shownEndpoint(request.source),
      target: shownEndpoint(request.target),
      user: shownUser,
      doc_id: document?.id ?? null,
      info: run?.info ?? info,
      history: history.map(({ type, at, reason }) => ({ timestamp: isoTime(at), type, ...(reason !== undefined && { reason }) })),
      node: this.#context.node,
      start_time: isoTime(startTime)
    }
  }

  /**
   * How the replication of a document goes, as `GET /_scheduler/docs` shows it; null where it is over.
   *
   * @param {string} database
   * @param {string} id
   */
  describeDocument (database, id) {
    return this.documents.describe(database, id, this.#context.node)
  }

  /**
   * @param {any} doc
   * @throws bad_request what is wrong with a document that asks for a replication
   */
  validate (doc) { parseRequest(doc, this.#context.settings()) }

  /** Settings have changed. */
  async reschedule () { await this.#scheduler.reschedule() }

  /** Hosts that may be asked have changed: what runs connects again. */
  async reconnect () { await this.#scheduler.restart() }

  async close () {
    this.documents.close()
    await this.#scheduler.close()
  }
}

/**
 * Administrators may say as whom databases here are to be used.
 *
 * @param {any} body
 * @param {User} user
 * @returns {User}
 */
function actingUser (body, user) {
  const given = body?.user_ctx
  if (!isObject(given) || !user.roles.includes('_admin')) return user
  return { name: typeof given.name === 'string' ? given.name : null, roles: Array.isArray(given.roles) ? given.roles.filter((/** @type {unknown} */ role) => typeof role === 'string') : [] }
}

/** @param {Job} job @param {User} user */
function allow ({ shownUser }, { name, roles }) {
  if (shownUser !== name && !roles.includes('_admin')) throw createError('UNAUTHORIZED', { reason: 'You are not a server admin.' })
}

/**
 * As CouchDB answers it.
 *
 * @param {any} error
 */
function toAnswer (error) {
  if (error.status !== undefined && error.status < 500) return error
  if (error instanceof HostRefused) return createError('FORBIDDEN', { reason: error.reason })
  if (error.code === 'filter_fetch_error') return createError('MISSING', { reason: error.reason })
  if (error instanceof Stopped) return createError('INTERNAL', { error: 'replication_cancelled', reason: error.message })
  return createError(error.cause?.status === 507 ? 'NO_SPACE' : 'INTERNAL', { error: error.code, reason: error.reason ?? error.message })
}

module.exports = { Replicator, NODE }
