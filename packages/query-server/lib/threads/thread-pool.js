'use strict'

const os = require('node:os')
const { createError } = require('@potoroo/errors')
const { FairQueue } = require('./fair-queue')
const { ListGate } = require('./list-gate')
const { Thread } = require('./thread')

/** Milliseconds after which a request no longer counts as one of those that share the cores. */
const LONG = 50

/** Kinds of requests, as CouchDB counts them. @type {Record<string, string>} */
const COUNTED = { map: 'map', reduce: 'reduce', validate: 'ddoc_vdu', filter: 'ddoc_filter', emits: 'ddoc_filter' }

/**
 * How many threads there may be, in CouchDB's words for its processes.
 *
 * @typedef {object} PoolLimits
 * @property {number} parallel requests that are run at once, except for those that take long
 * @property {number} threads at most, whatever they do; list functions that wait for rows or for their
 *   client count no more, and are as many again at most
 * @property {number} softThreads idle ones beyond this number end
 * @property {number} idle milliseconds after which an idle one ends
 */

/** @type {PoolLimits} */
const DEFAULTS = { parallel: Math.max(2, os.availableParallelism()), threads: 100, softThreads: 100, idle: 300_000 }

/** Timers and WebAssembly count in 32 bits: one that should wait for longer would not wait at all. @type {Record<string, number>} */
const LARGEST = { timeout: 2 ** 29, memory: 2 ** 31 - 1, idle: 2 ** 31 - 1 }

/** @template {object} T @param {T} limits @returns {T} */
function capped (limits) {
  return /** @type {T} */ (Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Math.min(limit, LARGEST[name] ?? Infinity)])))
}

/**
 * Threads that are started when there is work for them. As many requests run at once as there are
 * cores; one that takes long, as an endless loop does, is left to the operating system's sharing and
 * another may start beside it, so that it holds up nobody. The background leaves a core to the others.
 */
class ThreadPool {
  #limits
  #count
  /** @type {FairQueue<import('./thread').Request>} */
  #queue = new FairQueue()
  /** @type {Set<Thread>} */
  #threads = new Set()
  /** Idle threads, the longest idle first, each with the timer of its end. @type {Map<Thread, NodeJS.Timeout>} */
  #idle = new Map()
  /** Threads that end when they are free. @type {WeakSet<Thread>} */
  #stale = new WeakSet()
  #gate = new ListGate(() => this.#limits.threads, () => this.#threads)
  /** @type {NodeJS.Timeout | undefined} */
  #alarm
  #closed = false

  /** @param {Partial<PoolLimits> & import('./thread').Limits} limits @param {(name: string, by?: number) => void} [count] see index.d.ts */
  constructor (limits, count = () => {}) {
    this.#count = count
    this.#limits = { ...DEFAULTS, ...limits, ...capped(limits) }
  }

  /** Sets the limits of all that starts from now on. @param {Partial<PoolLimits & import('./thread').Limits>} limits */
  configure (limits) { Object.assign(this.#limits, capped(limits)) }

  /** Ends all threads, each as soon as it has nothing to do: what comes runs on new ones. */
  reload () {
    for (const thread of this.#threads) this.#stale.add(thread)
    for (const thread of [...this.#idle.keys()]) thread.end()
  }

  /** How many threads there are, and how many of them work. */
  get size () { return { threads: this.#threads.size, busy: this.#threads.size - this.#idle.size } }

  /**
   * @param {Omit<import('./thread').Request, 'resolve' | 'reject'>} request
   * @returns {Promise<import('./thread').Answer>}
   */
  run (request) {
    return request.kind === 'list' && request.exchange !== undefined ? this.#gate.pass(request.owner, () => this.#run(request)) : this.#run(request)
  }

  /**
   * @param {Omit<import('./thread').Request, 'resolve' | 'reject'>} request
   * @returns {Promise<import('./thread').Answer>}
   */
  #run (request) {
    if (this.#closed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...request, resolve, reject })
      this.#dispatch()
    })
  }

  #dispatch () {
    for (;;) {
      if (this.#queue.size === 0 || this.#closed) return
      const { urgent, background } = this.#room()
      if (!urgent || !this.#queue.has(background)) break
      const request = /** @type {import('./thread').Request} */ (this.#queue.take(background))
      this.#begin(request)
    }
    this.#wakeLater()
  }

  /**
   * Begins a request. If the system gives no more threads, that is the answer: nobody else could catch it.
   *
   * @param {import('./thread').Request} request
   */
  #begin (request) {
    const { timeout, memory } = this.#limits
    const began = performance.now()
    const resolve = (/** @type {import('./thread').Answer} */ answer) => {
      this.#counted(request.kind, performance.now() - began, answer.broken === undefined)
      request.resolve(answer)
    }
    try {
      this.#threadFor(request.key).run({ ...request, resolve }, { timeout, memory })
    } catch (cause) {
      request.reject(createError('FUNCTION_ERROR', { error: 'os_process_error', reason: 'No thread could be started', cause }))
    }
  }

  /** @param {string} kind @param {number} time milliseconds @param {boolean} isAnswered */
  #counted (kind, time, isAnswered) {
    const counted = COUNTED[kind] ?? 'ddoc_other'
    this.#count(`calls.${counted}`)
    this.#count(`time.${counted}`, Math.round(time * 1000))
    this.#count(isAnswered ? 'process_prompts' : 'process_errors')
  }

  /** For whom there is a thread now. */
  #room () {
    const { parallel, threads } = this.#limits
    const running = this.#shortRunning()
    const urgent = running.length < parallel && (this.#idle.size > 0 || this.#threads.size - this.#waiting() < threads)
    const behind = running.filter(thread => thread.background).length
    return { urgent, background: behind < Math.max(1, parallel - 1) }
  }

  /** Returns the threads that have not run for long. */
  #shortRunning () {
    const since = performance.now() - LONG
    return [...this.#threads].filter(thread => thread.busy && !thread.paused && thread.waitingSince === 0 && thread.startedAt > since)
  }

  #waiting () {
    let count = 0
    for (const thread of this.#threads) if (thread.waitingSince > 0) count++
    return count
  }

  /**
   * One that has the program, or the one that was used last, or a new one.
   *
   * @param {string} key
   */
  #threadFor (key) {
    const idle = [...this.#idle.keys()]
    const thread = idle.find(each => each.has(key)) ?? idle.at(-1)
    if (thread === undefined) return this.#start()
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    return thread
  }

  #start () {
    this.#count('process_starts')
    const thread = new Thread({ onFree: each => this.#free(each), onLost: (each, isFault) => this.#lost(each, isFault), onWait: () => this.#dispatch() })
    this.#threads.add(thread)
    return thread
  }

  /** @param {Thread} thread */
  #free (thread) {
    if (this.#stale.has(thread)) return thread.end()
    const { idle, softThreads } = this.#limits
    const timer = setTimeout(() => thread.end(), idle)
    timer.unref()
    this.#idle.set(thread, timer)
    this.#dispatch()
    if (this.#idle.has(thread) && this.#idle.size > softThreads) thread.end()
  }

  /** @param {Thread} thread @param {boolean} isFault */
  #lost (thread, isFault) {
    this.#count(isFault ? 'process_error_exits' : 'process_exits')
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    this.#threads.delete(thread)
    this.#dispatch()
  }

  /** When the next one has run for long, there may be room. */
  #wakeLater () {
    if (this.#alarm !== undefined) return
    const first = Math.min(...this.#shortRunning().map(thread => thread.startedAt))
    if (first === Infinity) return
    this.#alarm = setTimeout(() => {
      this.#alarm = undefined
      this.#dispatch()
    }, Math.max(1, Math.ceil(first + LONG - performance.now())))
  }

  /** Tells CLOSED to all that wait or run. */
  async close () {
    this.#closed = true
    clearTimeout(this.#alarm)
    this.#gate.close()
    for (let request = this.#queue.take(true); request !== undefined; request = this.#queue.take(true)) request.reject(closedError())
    await Promise.all([...this.#threads].map(thread => thread.end(closedError())))
  }
}

function closedError () { return createError('CLOSED', { reason: 'The query server is closed' }) }

module.exports = { ThreadPool }
