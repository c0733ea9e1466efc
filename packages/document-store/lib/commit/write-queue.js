'use strict'

const { createError } = require('@potoroo/errors')
const { Commit } = require('./commit')
const { fromLevel } = require('../media/level-errors')

/**
 * @import { Core } from '../store/core'
 */

const KEPT_IS_TAKEN = 'The storage is full, and so is the room that it keeps for deletions: compact databases, or give it more room'

/**
 * Group commit: writers that arrive while a batch is under way, or in the same turn, share the
 * next one. Each gets its own results once it is durable.
 *
 * @typedef {object} Job
 * @property {string[]} keys what `apply` will read, for documents and local documents
 * @property {'half' | 'all'} [kept] how much it may take of what a full level keeps for deleting: it only
 *   removes something. It may be applied again, to another commit
 * @property {boolean} [alone] it shares its commit with no other job
 * @property {(commit: Commit) => unknown} apply works on the commit; may be asynchronous. The writer's
 *   result is what it returns. It throws only where the whole commit must fail.
 *
 * @typedef {{ job: Job, resolve: (result: any) => void, reject: (error: Error) => void }} Waiting
 */
class WriteQueue {
  #core
  /** @type {Waiting[]} */
  #jobs = []
  /** @type {Promise<void> | null} */
  #running = null
  #closed = false

  /** @param {Core} core */
  constructor (core) {
    this.#core = core
  }

  /** @param {Job} job */
  push (job) {
    if (this.#closed) return Promise.reject(createError('CLOSED'))
    return new Promise((resolve, reject) => {
      this.#jobs.push({ job, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  async #run () {
    await this.#gather()
    while (this.#jobs.length > 0) {
      await this.#commit(this.#take())
    }
    this.#running = null
  }

  /** The jobs of the next commit: those at the front that may share one. */
  #take () {
    const alone = this.#jobs.findIndex(({ job }) => job.alone === true)
    const count = alone === -1 ? this.#jobs.length : Math.max(1, alone)
    return this.#jobs.splice(0, count)
  }

  /** Gathers a group: writers that come meanwhile join. */
  #gather () {
    if (this.#core.options.gather === 'turn') return undefined
    return new Promise(resolve => setImmediate(resolve))
  }

  /** @param {Waiting[]} jobs */
  async #commit (jobs) {
    let results, commit
    try {
      commit = new Commit(this.#core)
      results = await applyAll(commit, jobs)
      if (!commit.abandoned) await this.#core.commit(commit, keptFor(jobs))
    } catch (error) {
      return this.#fail(jobs, fromLevel(error))
    }
    for (let i = 0; i < jobs.length; i++) jobs[i].resolve(results[i])
    // Listeners are others' code: what they throw must not stop the queue.
    if (!commit.abandoned && commit.rows.length > 0) queueMicrotask(() => this.#core.announce(commit.rows))
  }

  /**
   * Fails the jobs; if there is no room, those that only remove something go on without the others.
   *
   * @param {Waiting[]} jobs
   * @param {Error & { code?: string, cause?: any }} reason
   */
  async #fail (jobs, reason) {
    const removing = reason.code === 'NO_SPACE' ? jobs.filter(({ job }) => job.kept !== undefined) : []
    const refused = removing.length === jobs.length ? jobs : jobs.filter(({ job }) => job.kept === undefined)
    const error = removing.length === jobs.length ? refusedDeletion(reason) : reason
    for (const { reject } of refused) reject(error)
    if (refused.length < jobs.length) await this.#commit(removing)
  }

  /** Refuses new writers and waits for those that were let in. */
  async close () {
    this.#closed = true
    await this.#running
  }
}

/**
 * Only a pool keeps room for deletions: LevelDB takes them as soon as its disk has some.
 *
 * @param {Error & { code?: string, cause?: any }} reason
 */
function refusedDeletion (reason) {
  if (reason.cause?.code !== 'LEVEL_PMEM_FULL') return reason
  return createError('NO_SPACE', { reason: KEPT_IS_TAKEN, cause: reason.cause })
}

/**
 * Returns what all of them may take.
 *
 * @param {Waiting[]} jobs
 */
function keptFor (jobs) {
  if (jobs.some(({ job }) => job.kept === undefined)) return undefined
  return jobs.every(({ job }) => job.kept === 'all') ? 'all' : 'half'
}

/** @param {Commit} commit @param {Waiting[]} jobs */
async function applyAll (commit, jobs) {
  await commit.prefetch(jobs.length === 1 ? jobs[0].job.keys : jobs.flatMap(({ job }) => job.keys))
  const results = []
  for (const { job } of jobs) {
    const result = job.apply(commit)
    results.push(result instanceof Promise ? await result : result)
  }
  return results
}

module.exports = { WriteQueue }
