'use strict'

const { EventEmitter } = require('node:events')
const { shownEndpoint, shownProxy } = require('../request/endpoint')
const { describeFailure } = require('../replication/failure')
const { consecutiveCrashes, backoff, isoTime } = require('./job-history')
const { Run, Stopped } = require('../replication/run')

/** Milliseconds that a job which is stopped has for its last checkpoint. */
const STOP = 5000

/** Milliseconds of a turn, at least, and what timers can wait. */
const SHORTEST = 10
const LONGEST = 2 ** 31 - 1

/** Milliseconds between the starts of jobs that come together. */
const STAGGER = 10

/** How often each happened, as it is counted. */
const COUNTERS = { added: 'jobs.adds', started: 'jobs.starts', stopped: 'jobs.stops', crashed: 'jobs.crashes' }

/**
 * A replication that is to run, now or later.
 *
 * @typedef {object} Job
 * @property {string} id
 * @property {string} base of the id, by which checkpoints are named
 * @property {import('../request/request').ReplicationRequest} request
 * @property {any} user as whom databases here are used
 * @property {string | null} shownUser who asked for it
 * @property {{ database: string, id: string } | null} document null: by `POST /_replicate`
 * @property {unknown} [trace] of the request that waits for it
 * @property {number} startTime milliseconds
 * @property {import('./job-history').Event[]} history newest first
 * @property {number} restsUntil after a crash, by `performance.now()`: a clock that is set back would have it rest for years
 * @property {Run | null} run
 * @property {any} info of the last run
 * @property {any} counters likewise
 * @property {Promise<void>} ended of the run
 */

/**
 * Which replications run: at most `max_jobs` at a time, in turns of `interval` where there are more,
 * and those that crashed again later, each time after twice as long.
 *
 * Emits `started` (job), `finished` (job, answer), `crashed` (job, error) and `removed` (job).
 * @see https://docs.couchdb.org/en/stable/replication/replicator.html#replication-scheduler
 */
class Scheduler extends EventEmitter {
  /** @type {Map<string, Job>} */
  #jobs = new Map()
  /** Removed jobs that still run: their checkpoints are those of the next of the same id. @type {Map<string, Promise<void>>} */
  #ending = new Map()
  #running = 0
  #context
  /** @type {NodeJS.Timeout | undefined} */
  #timer = undefined
  /** @type {NodeJS.Timeout | undefined} */
  #filling = undefined
  #closed = false

  /** @param {import('../replication/run').Context} context */
  constructor (context) {
    super()
    this.setMaxListeners(0)
    this.#context = context
  }

  get #settings () { return this.#context.settings() }

  /**
   * @param {string} id
   * @returns {Job | undefined}
   */
  get (id) { return this.#jobs.get(id) }

  /** @returns {Job[]} by id */
  list () { return [...this.#jobs.values()].sort((a, b) => a.id < b.id ? -1 : 1) }

  /**
   * @param {Pick<Job, 'id' | 'base' | 'request' | 'user' | 'shownUser' | 'document' | 'trace'>} given
   * @returns {Job} the one that is there already, or a new one
   */
  add (given) {
    const known = this.#jobs.get(given.id)
    if (known !== undefined) {
      this.#context.count('jobs.duplicate_adds')
      return known
    }
    const now = Date.now()
    const job = { ...given, startTime: now, history: [{ type: /** @type {const} */ ('added'), at: now }], restsUntil: 0, run: null, info: null, counters: null, ended: Promise.resolve() }
    this.#jobs.set(job.id, job)
    this.#context.count(COUNTERS.added)
    if (!this.#closed && this.#running < this.#settings.max_jobs) this.#start(job)
    if (this.#timer === undefined) this.#arm()
    return job
  }

  /**
   * Stops it, and forgets it.
   *
   * @param {string} id
   */
  async remove (id) {
    const job = this.#jobs.get(id)
    if (job === undefined) return
    const { ended } = job
    this.#forget(id)
    this.#ending.set(id, ended)
    await this.#stop(job)
    if (this.#ending.get(id) === ended) this.#ending.delete(id)
    this.emit('removed', job)
  }

  /** @param {string} id */
  #forget (id) {
    if (this.#jobs.delete(id)) this.#context.count('jobs.removes')
  }

  /** @param {Job} job */
  #start (job) {
    let run
    try {
      run = new Run(job, this.#context)
    } catch (error) {
      return this.#crash(job, error)
    }
    job.run = run
    this.#running++
    this.#note(job, { type: 'started', at: Date.now() })
    job.ended = this.#follow(job, run)
  }

  /** @param {Job} job @param {Run} run */
  async #follow (job, run) {
    try {
      await this.#ending.get(job.id)
      await this.#jitter()
      const answer = await run.finish(() => this.emit('started', job))
      this.#end(job, run)
      if (this.#jobs.get(job.id) === job) this.#forget(job.id)
      this.emit('finished', job, answer)
    } catch (error) {
      this.#end(job, run)
      if (error instanceof Stopped) this.#note(job, { type: 'stopped', at: Date.now() })
      else this.#crash(job, error)
    }
    this.#fillSoon()
  }

  /** Many that start together do not start at once. */
  #jitter () {
    const most = Math.min(this.#settings.startup_jitter, this.#running * STAGGER)
    return this.#running <= 10 ? undefined : new Promise(resolve => setTimeout(resolve, Math.random() * most))
  }

  /** @param {Job} job @param {Run} run */
  #end (job, run) {
    job.info = run.info ?? job.info
    job.counters = run.counters
    job.run = null
    this.#running--
  }

  /**
   * Ends a run that failed; a job that no document asks for is not tried again.
   *
   * @param {Job} job
   * @param {unknown} error
   */
  #crash (job, error) {
    this.#note(job, { type: 'crashed', at: Date.now(), reason: describeFailure(error) })
    job.restsUntil = performance.now() + backoff(consecutiveCrashes(job.history, this.#settings.health_threshold))
    if (this.#jobs.get(job.id) !== job) return
    if (job.document === null) this.#forget(job.id)
    this.#context.log('error', `Replication ${job.id} (${shownEndpoint(job.request.source)} -> ${shownEndpoint(job.request.target)}) failed: ${describeFailure(error)}`)
    this.emit('crashed', job, error)
  }

  /** @param {Job} job @param {import('./job-history').Event} event */
  #note (job, event) {
    this.#context.count(COUNTERS[event.type])
    job.history = [event, ...job.history].slice(0, Math.max(1, this.#settings.max_history))
  }

  /** @param {Job} job */
  async #stop (job) {
    if (job.run === null) return
    await Promise.all([job.run.stop(STOP), job.ended])
  }

  /** The next turn: at the end of the interval, or when a job has waited long enough after its crash. */
  #arm () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#jobs.size - this.#running
    if (this.#closed || (waiting === 0 && this.#running <= this.#settings.max_jobs)) return
    const now = performance.now()
    let wait = this.#settings.interval
    for (const { run, restsUntil } of this.#jobs.values()) if (run === null) wait = Math.min(wait, Math.max(100, restsUntil - now))
    // If all places are taken, turns are of an interval.
    if (this.#running >= this.#settings.max_jobs) wait = Math.max(SHORTEST, this.#settings.interval)
    this.#timer = setTimeout(() => { this.reschedule().catch(error => this.#context.log('error', `Scheduler: ${error.stack}`)) }, Math.min(wait, LONGEST))
    this.#timer.unref()
  }

  /** Stops what has run for long where others wait, and starts those. */
  async reschedule () {
    const { max_jobs: most, max_churn: churn } = this.#settings
    const excess = Math.max(0, this.#running - most)
    await this.#stopSome(excess, false)
    const waiting = this.#ready().length
    const more = Math.min(waiting - Math.max(0, most - this.#running), this.#running, Math.max(0, churn - excess))
    await this.#stopSome(more, true)
    this.#fill()
  }

  /** Stops what runs, and starts it again from its checkpoints. */
  async restart () {
    await this.#stopSome(this.#running, false)
    this.#fill()
  }

  /**
   * Continuous ones first; the others only where there are too many.
   *
   * @param {number} count
   * @param {boolean} continuousOnly
   */
  async #stopSome (count, continuousOnly) {
    if (count <= 0) return
    const running = [...this.#jobs.values()].filter(({ run }) => run !== null)
    const continuous = oldestFirst(running.filter(({ request }) => request.continuous))
    const others = continuousOnly ? [] : oldestFirst(running.filter(({ request }) => !request.continuous))
    await Promise.all([...continuous, ...others].slice(0, count).map(job => this.#stop(job)))
  }

  #ready () {
    const now = performance.now()
    return [...this.#jobs.values()].filter(({ run, restsUntil }) => run === null && restsUntil <= now)
  }

  /** A place is free. To see who takes it costs more the more there are. */
  #fillSoon () {
    if (this.#closed || this.#filling !== undefined || this.#jobs.size === 0) return
    const wait = Math.floor(this.#jobs.size / 10)
    this.#filling = setTimeout(() => {
      this.#filling = undefined
      this.#fill()
    }, wait)
  }

  #fill () {
    if (this.#closed) return
    const free = this.#settings.max_jobs - this.#running
    if (free > 0 && this.#jobs.size > this.#running) for (const job of oldestFirst(this.#ready()).slice(0, free)) this.#start(job)
    this.#arm()
  }

  /** Stops all, as whoever waits for one is told; they go on from their checkpoints the next time. */
  async close () {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#filling)
    await Promise.all([...this.#jobs.keys()].map(id => this.remove(id)))
  }

  /**
   * How a document's job is: the members that `_scheduler/docs` adds.
   *
   * @param {Job} job
   */
  summary (job) {
    const errors = consecutiveCrashes(job.history, this.#settings.health_threshold)
    const [last] = job.history
    const crashing = job.run === null && last.type === 'crashed'
    return {
      source: shownEndpoint(job.request.source),
      target: shownEndpoint(job.request.target),
      state: job.run !== null ? 'running' : crashing ? 'crashing' : 'pending',
      info: crashing ? { error: last.reason } : job.run?.info ?? job.info,
      error_count: errors,
      last_updated: isoTime(last.at),
      start_time: isoTime(job.startTime),
      source_proxy: shownProxy(job.request.source),
      target_proxy: shownProxy(job.request.target)
    }
  }
}

/** @param {Job[]} jobs */
function oldestFirst (jobs) {
  const started = (/** @type {Job} */ { history }) => history.find(({ type }) => type === 'started')?.at ?? 0
  return jobs.map(job => ({ job, at: started(job) })).sort((a, b) => a.at - b.at).map(({ job }) => job)
}

module.exports = { Scheduler }
