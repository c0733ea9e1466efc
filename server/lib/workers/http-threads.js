'use strict'

const os = require('node:os')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { BatchedPort } = require('../passing/batched-port')
const { PassedRequests } = require('../passing/passed-requests')
const { Statistics } = require('../stats/statistics')
const { readSettings } = require('../transport/http-settings')
const { PreparedWrites } = require('./prepared-writes')

/** How long a thread has to live for the next to follow it at once, milliseconds. */
const HEALTHY = 1000

/**
 * The threads that serve HTTP, as the thread that owns the databases sees them. They read the pool
 * themselves; what they pass on is answered here.
 */
class HttpThreads {
  #service
  #handle
  #count
  /** The part of each thread: one that comes later finds descriptors taken. @type {import('../transport/http-settings').TransportSettings} */
  #settings
  /** The version of the configuration, and how many passwords were wrong. */
  #shared = new Int32Array(new SharedArrayBuffer(8))
  /** @type {Set<Thread>} */
  #threads = new Set()
  /** @type {import('./shared-socket').SharedSocket | null} */
  #socket = null
  #closing = false
  /** Resolves when the last thread that died has one in its place. */
  replaced = Promise.resolve()
  #onChange
  /** @type {Promise<void> | undefined} */
  #closed

  /**
   * @param {any} service
   * @param {(req: any, res: any) => void} handle answers a request
   * @param {number} count of threads
   */
  constructor (service, handle, count) {
    this.#service = service
    this.#handle = handle
    this.#count = count
    this.#settings = partOf(readSettings(service.config), count)
    this.#onChange = () => this.#configure()
    service.config.on('change', this.#onChange)
    const { onWrongPassword } = service
    service.onWrongPassword = (/** @type {string} */ key) => {
      onWrongPassword(key)
      Atomics.add(this.#shared, 1, 1)
    }
  }

  /** The threads that are there now. */
  get workers () { return [...this.#threads].map(thread => thread.worker) }

  /**
   * Starts them, and waits until all listen.
   * @param {import('./shared-socket').SharedSocket} socket is theirs from now on
   */
  async listen (socket) {
    this.#socket = socket
    const counts = Array.from({ length: this.#count }, () => new Statistics())
    this.#service.statistics.push(...counts)
    await Promise.all(counts.map(each => this.#start(each).ready))
  }

  /**
   * @param {Statistics} counts
   * @returns {Thread} not listening yet
   * @throws what the system says where it has no thread to give
   */
  #start (counts) {
    const { folder, options, storage, tracing } = this.#service
    const thread = new Thread({
      statistics: counts.memory,
      storage: { storage: 'pmem', folder, durability: options.durability, allowVolatile: true, key: storage.key },
      descriptor: this.#socket?.descriptor,
      shared: this.#shared.buffer,
      settings: this.#settings,
      isTraced: tracing !== null,
      ...this.#configuration()
    }, this.#handle, this.#service)
    this.#threads.add(thread)
    const began = Date.now()
    thread.worker.once('exit', code => this.#lose(thread, counts, code, Date.now() - began))
    return thread
  }

  /**
   * A thread has ended. Unless all are to end, another takes its place, and counts on.
   *
   * @param {Thread} thread
   * @param {Statistics} counts
   * @param {number} code
   * @param {number} age
   */
  #lose (thread, counts, code, age) {
    this.#threads.delete(thread)
    counts.endGauges()
    if (this.#closing) return
    this.#service.log.line('error', `A thread that serves HTTP ended with ${code}; another takes its place`)
    this.replaced = this.#replace(counts, age < HEALTHY ? HEALTHY : 0)
  }

  /** @param {Statistics} counts @param {number} delay @returns {Promise<void>} */
  async #replace (counts, delay) {
    await setTimeout(delay, undefined, { ref: false })
    if (this.#closing) return
    try {
      // One that does not get to listen ends, and is replaced in turn.
      await this.#start(counts).ready.catch(() => {})
    } catch (error) {
      this.#service.log.line('error', `A thread that serves HTTP did not start, and is tried again: ${error.stack}`)
      await this.#replace(counts, HEALTHY)
    }
  }

  /** From the moment on at which something changes no thread trusts what it knew. */
  #configure () {
    Atomics.add(this.#shared, 0, 1)
    const configuration = this.#configuration()
    for (const thread of this.#threads) thread.channel.send(['configure', configuration])
  }

  #configuration () { return { sections: this.#service.config.inForce(), version: Atomics.load(this.#shared, 0) } }

  /** Lets requests under way finish, and ends all threads. */
  close () {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close () {
    this.#closing = true
    this.#service.config.off('change', this.#onChange)
    const threads = [...this.#threads]
    const ended = Promise.all(threads.map(thread => thread.stop()))
    // One that starts takes a descriptor of the socket yet.
    await Promise.allSettled(threads.map(thread => thread.ready))
    this.#socket?.close()
    await ended
  }
}

/** @param {import('../transport/http-settings').TransportSettings} settings @param {number} count of threads */
function partOf (settings, count) {
  return { ...settings, maxConnections: Math.ceil(settings.maxConnections / count), surplus: Math.ceil(settings.surplus / count) }
}

/** One thread, and the requests that it has passed on. */
class Thread {
  #log
  #passed
  #writes
  /** @type {any} */
  #ready
  #exited

  /** @param {any} workerData @param {any} handle @param {any} service */
  constructor (workerData, handle, service) {
    const log = this.#log = service.log
    this.worker = new Worker(path.join(__dirname, 'thread.js'), { workerData })
    this.channel = new BatchedPort(this.worker, message => this.#receive(/** @type {any} */ (message)))
    this.#passed = new PassedRequests(this.channel, handle)
    this.#writes = new PreparedWrites(this.channel, service)
    this.#exited = new Promise(resolve => this.worker.once('exit', resolve))
    this.ready = new Promise((resolve, reject) => {
      this.#ready = resolve
      this.worker.once('error', reject)
      this.worker.once('exit', code => reject(new Error(`The thread ended with ${code}`)))
    })
    // The starter waits for it; later there is nobody.
    this.ready.catch(() => {})
    this.worker.on('error', error => log.line('error', `A thread that serves HTTP failed: ${error?.stack ?? error}`))
    this.worker.once('exit', () => this.#passed.abandon())
  }

  /** @param {any[]} message */
  #receive (message) {
    const [kind, text, ...rest] = message
    if (kind === 'write') this.#writes.receive(text, rest[0], rest[1], rest[2], rest[3])
    else if (kind === 'ready') this.#ready()
    else if (kind === 'log') this.#log.append(text)
    else this.#passed.receive(message)
  }

  async stop () {
    this.channel.send(['stop'])
    await this.#exited
  }
}

/** Threads of `auto`: with more of them the one that commits is what writes wait for, and each takes its memory. */
const MOST = 8

/**
 * Returns how many threads there are to be.
 *
 * @param {number | 'auto'} count auto: one for each core, up to 8
 * @param {number} [cores]
 */
function threadsFor (count, cores = os.availableParallelism()) {
  return count === 'auto' ? Math.min(cores, MOST) : count
}

/**
 * As many as `[chttpd] workers` says, or who started the server.
 *
 * @param {any} app as `potoroo()` makes it
 * @param {number | 'auto'} [asked]
 * @returns {(() => HttpThreads) | null} makes those of one address; null where this thread serves HTTP itself
 */
function httpThreads (app, asked = settingOf(app.service.config)) {
  const { service } = app
  const count = threadsFor(asked)
  if (count <= 1) return null
  if (service.options.adminParty) return null
  if (service.storage.isPool) return () => new HttpThreads(service, app, count)
  if (asked !== 'auto') service.log.line('warning', `HTTP is served from 1 thread and not from ${count} workers: only the storage pmem is shared by threads`)
  return null
}

/** @param {any} config @returns {number | 'auto'} */
function settingOf (config) { return config.get('chttpd', 'workers') === 'auto' ? 'auto' : config.integer('chttpd', 'workers') }

module.exports = { HttpThreads, httpThreads, threadsFor }
