'use strict'

const { createError } = require('@potoroo/errors')
const { Commit } = require('./commit')
const { fromLevel } = require('../media/level-errors')

/**
 * @import { Core } from '../store/core'
 */

const KEPT_IS_TAKEN = 'The storage is full, and so is the room that it keeps for deletions: compact databases, purge documents, or give it more room'

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
   * @param {boolean} [isShort] there is no room for bodies that the jobs replace
   * @returns {Promise<void> | undefined} undefined where it is done already
   */
  #commit (jobs, isShort = false) {
    try {
      return this.#attempt(jobs, isShort)?.catch((error) => this.#fail(jobs, isShort, fromLevel(error)))
    } catch (error) {
      return this.#fail(jobs, isShort, fromLevel(error))
    }
  }

  /** @param {Waiting[]} jobs @param {boolean} isShort @returns {Promise<void> | undefined} */
  #attempt (jobs, isShort) {
    const commit = new Commit(this.#core, isShort)
    const results = applyAll(commit, jobs)
    return results instanceof Promise ? results.then((all) => this.#store(jobs, commit, all)) : this.#store(jobs, commit, results)
  }

  /** @param {Waiting[]} jobs @param {Commit} commit @param {unknown[]} results @returns {Promise<void> | undefined} */
  #store (jobs, commit, results) {
    const storing = commit.abandoned ? undefined : this.#core.commit(commit, keptFor(jobs, commit.isShort))
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
   * Fails the jobs; if there is no room, those that only remove something go on without the others, and
   * without the bodies that they replace: these may be of any size.
   *
   * @param {Waiting[]} jobs
   * @param {boolean} isShort
   * @param {Error & { code?: string, cause?: any }} reason
   * @returns {Promise<void> | undefined}
   */
  #fail (jobs, isShort, reason) {
    const removing = reason.code === 'NO_SPACE' && !isShort ? jobs.filter(({ job }) => job.kept !== undefined) : []
    const refused = removing.length === 0 ? jobs : jobs.filter(({ job }) => job.kept === undefined)
    const error = isShort ? refusedDeletion(reason) : reason
    for (const { reject } of refused) reject(error)
    return removing.length > 0 ? this.#commit(removing, true) : undefined
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
 * Returns what all of them may take: nothing as long as deletions bring bodies that they replace.
 *
 * @param {Waiting[]} jobs
 * @param {boolean} isShort
 */
function keptFor (jobs, isShort) {
  if (jobs.every(({ job }) => job.kept === 'all')) return 'all'
  return isShort ? 'half' : undefined
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
