'use strict'

const { once } = require('node:events')
const os = require('node:os')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { BatchedPort } = require('../passing/batched-port')
const { PassedRequests } = require('../passing/passed-requests')
const { Statistics } = require('../stats/statistics')
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
  /** The version of the configuration, and how many passwords were wrong. */
  #shared = new Int32Array(new SharedArrayBuffer(8))
  /** @type {Set<Thread>} */
  #threads = new Set()
  /** Gives each thread a descriptor of its own to listen on. @type {(() => number) | null} */
  #descriptorOf = null
  #closing = false
  /** Resolves when the last thread that died has one in its place. */
  replaced = Promise.resolve()
  #onChange

  /**
   * @param {any} service
   * @param {(req: any, res: any) => void} handle answers a request
   * @param {number} count of threads
   */
  constructor (service, handle, count) {
    this.#service = service
    this.#handle = handle
    this.#count = count
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
   * @param {() => number} descriptorOf
   */
  async listen (descriptorOf) {
    this.#descriptorOf = descriptorOf
    await Promise.all(Array.from({ length: this.#count }, () => this.#start()))
  }

  #start () {
    const { service, descriptorOf } = { service: this.#service, descriptorOf: /** @type {() => number} */ (this.#descriptorOf) }
    const counts = new Statistics()
    service.statistics.push(counts)
    const thread = new Thread({
      statistics: counts.memory,
      storage: { storage: 'pmem', folder: service.folder, durability: service.options.durability, allowVolatile: true, key: service.storage.key },
      descriptor: descriptorOf(),
      shared: this.#shared.buffer,
      threads: this.#count,
      isTraced: service.tracing !== null,
      ...this.#configuration()
    }, this.#handle, service)
    this.#threads.add(thread)
    const began = Date.now()
    thread.worker.once('exit', code => this.#lose(thread, code, Date.now() - began))
    return thread.ready
  }

  /** A thread has ended. Unless all are to end, another takes its place. @param {Thread} thread @param {number} code @param {number} age */
  #lose (thread, code, age) {
    this.#threads.delete(thread)
    if (this.#closing) return
    this.#service.log.line('error', `A thread that serves HTTP ended with ${code}; another takes its place`)
    this.replaced = this.#replace(age < HEALTHY ? HEALTHY : 0)
  }

  /** @param {number} delay */
  async #replace (delay) {
    await setTimeout(delay, undefined, { ref: false })
    // One that does not start ends, and is replaced in turn.
    if (!this.#closing) await this.#start().catch(error => this.#service.log.line('error', `A thread that serves HTTP did not start: ${error.stack}`))
  }

  /** From the moment on at which something changes no thread trusts what it knew. */
  #configure () {
    Atomics.add(this.#shared, 0, 1)
    const configuration = this.#configuration()
    for (const thread of this.#threads) thread.channel.send(['configure', configuration])
  }

  #configuration () { return { sections: this.#service.config.inForce(), version: Atomics.load(this.#shared, 0) } }

  /** Lets requests under way finish, and ends all threads. */
  async close () {
    this.#closing = true
    this.#service.config.off('change', this.#onChange)
    await Promise.all([...this.#threads].map(thread => thread.stop()))
  }
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
    this.#exited = once(this.worker, 'exit')
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
