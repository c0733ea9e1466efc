'use strict'

const { createError } = require('@potoroo/errors')
const { Job } = require('./job')
const { parseRequest, replicationId } = require('./request')

/**
 * The replications of a server, by CouchDB's requests.
 *
 * @typedef {(name: string, options: { create: boolean, filter?: object, user: any }) => Promise<any>} OpenLocal
 *   gives a PouchDB on a database here, as this user may use it; `filter` (`filter`, `queryParams`,
 *   `docIds`, `selector`) is for the source: its `changes` are to say only what passes
 */
class Replicator {
  #openLocal
  /** @type {Map<string, { job: Job, started: Promise<any>, done: Promise<any>, user: any }>} */
  #jobs = new Map()

  /** @param {{ openLocal: OpenLocal }} options */
  constructor ({ openLocal }) {
    this.#openLocal = openLocal
  }

  /**
   * @param {any} body of `POST /_replicate`
   * @param {{ name: string | null, roles: string[] }} user
   * @returns {Promise<Record<string, any>>} once all is copied; of a
   *   continuous one, and of cancelling, at once with `_local_id`
   */
  async replicate (body, user) {
    if (body?.cancel === true) return this.#cancel(body, user)
    const request = parseRequest(body)
    const id = replicationId(request, user.name)
    const running = this.#jobs.get(id) ?? this.#start(id, request, user)
    if (!request.continuous) return running.done
    await running.started
    return { ok: true, _local_id: id }
  }

  #start (id, request, user) {
    const job = new Job(id, request, (name, options) => this.#openLocal(name, { ...options, user }))
    const started = job.start()
    const done = started.then(running => running.done)
    // Whoever waits for it is told; of a continuous one nobody does.
    done.catch(() => {})
    const entry = { job, started, done, user }
    this.#jobs.set(id, entry)
    job.once('end', () => { if (this.#jobs.get(id) === entry) this.#jobs.delete(id) })
    return entry
  }

  async #cancel (body, user) {
    const id = body.replication_id ?? body.id ?? replicationId(parseRequest(body), user.name)
    const entry = this.#jobs.get(id)
    if (entry === undefined) throw createError('MISSING')
    if (entry.user.name !== user.name && !user.roles.includes('_admin')) throw createError('UNAUTHORIZED', { reason: 'You are not a server admin.' })
    entry.job.cancel()
    await entry.done.catch(() => {})
    return { ok: true, _local_id: id }
  }

  /** @returns {any[]} as `GET /_active_tasks` shows them */
  tasks () {
    return [...this.#jobs.values()].map(({ job }) => job.describe())
  }

  async close () {
    const jobs = [...this.#jobs.values()]
    for (const { job } of jobs) job.cancel()
    await Promise.allSettled(jobs.map(({ done }) => done))
  }
}

module.exports = { Replicator }
