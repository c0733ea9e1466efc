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
 * @property {(result: any) => void} [committed] hears of the result before anybody is told of the commit
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
      const committing = this.#commit(this.#take())
      if (committing !== undefined) await committing
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

  /**
   * Commits, and tells the writers.
   *
   * @param {Waiting[]} jobs
   * @returns {Promise<void> | undefined} undefined where it is done already
   */
  #commit (jobs) {
    try {
      return this.#attempt(jobs)?.catch((error) => this.#fail(jobs, fromLevel(error)))
    } catch (error) {
      return this.#fail(jobs, fromLevel(error))
    }
  }

  /** @param {Waiting[]} jobs @returns {Promise<void> | undefined} */
  #attempt (jobs) {
    const commit = new Commit(this.#core)
    const results = applyAll(commit, jobs)
    return results instanceof Promise ? results.then((all) => this.#store(jobs, commit, all)) : this.#store(jobs, commit, results)
  }

  /** @param {Waiting[]} jobs @param {Commit} commit @param {unknown[]} results @returns {Promise<void> | undefined} */
  #store (jobs, commit, results) {
    const storing = commit.abandoned ? undefined : this.#core.commit(commit, keptFor(jobs))
    if (storing !== undefined) return storing.then(() => this.#tell(jobs, commit, results))
    this.#tell(jobs, commit, results)
    return undefined
  }

  /** @param {Waiting[]} jobs @param {Commit} commit @param {unknown[]} results */
  #tell (jobs, commit, results) {
    for (let i = 0; i < jobs.length; i++) {
      const { job, resolve } = jobs[i]
      resolve(results[i])
      if (job.committed !== undefined) this.#call(() => job.committed?.(results[i]))
    }
    if (!commit.abandoned && commit.rows.length > 0) this.#call(() => this.#core.announce(commit.rows))
  }

  /**
   * Listeners are others' code: what they throw must not stop the queue.
   *
   * @param {() => void} listener
   */
  #call (listener) {
    try {
      listener()
    } catch (error) {
      queueMicrotask(() => { throw error })
    }
  }

  /**
   * Fails the jobs; if there is no room, those that only remove something go on without the others.
   *
   * @param {Waiting[]} jobs
   * @param {Error & { code?: string, cause?: any }} reason
   * @returns {Promise<void> | undefined}
   */
  #fail (jobs, reason) {
    const goesOn = (/** @type {Waiting} */ { job }) => reason.code === 'NO_SPACE' && job.kept !== undefined
    const removing = jobs.filter(goesOn)
    const refused = removing.length === jobs.length ? jobs : jobs.filter((each) => !goesOn(each))
    const error = removing.length === jobs.length ? refusedDeletion(reason) : reason
    for (const { reject } of refused) reject(error)
    return refused.length < jobs.length ? this.#commit(removing) : undefined
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

/** @param {Commit} commit @param {Waiting[]} jobs @returns {unknown[] | Promise<unknown[]>} a promise where one waits */
function applyAll (commit, jobs) {
  /** @type {unknown[]} */
  const results = []
  const reading = commit.prefetch(jobs.length === 1 ? jobs[0].job.keys : jobs.flatMap(({ job }) => job.keys))
  if (reading !== undefined) return reading.then(() => applyRest(commit, jobs, results))
  while (results.length < jobs.length) {
    const result = jobs[results.length].job.apply(commit)
    results.push(result)
    if (result instanceof Promise) return applyRest(commit, jobs, results)
  }
  return results
}

/**
 * @param {Commit} commit
 * @param {Waiting[]} jobs
 * @param {unknown[]} results those so far, of which the last may be a promise
 */
async function applyRest (commit, jobs, results) {
  if (results.length > 0) results.push(await results.pop())
  while (results.length < jobs.length) results.push(await jobs[results.length].job.apply(commit))
  return results
}

module.exports = { WriteQueue }
