'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { createError } = require('@potoroo/errors')

/** Megabytes. QuickJS recurses on the thread's own stack: 4, the default, ends in a crash of it. */
const STACK = 32

/** Milliseconds beyond the time limit after which the thread itself is given up. */
const GRACE = 2000

/** Bytes of the memory that is shared with a thread: a batch, and its answer, go through it. */
const MAIL = 1024 * 1024

/** Programs that a thread loads before it is replaced, since it keeps them all. */
const MOST_PROGRAMS = 256

/** Bytes of WebAssembly's memory, which never shrinks, beyond which a thread is replaced. */
const LARGEST_HEAP = 64 * 1024 * 1024

/**
 * One call of a program.
 *
 * @typedef {object} Request
 * @property {string} owner whose program it is: no two owners share a context
 * @property {string} key of the program
 * @property {string} load JSON of the program
 * @property {string} kind of the prelude
 * @property {string} json
 * @property {boolean} [background]
 * @property {(result: Answer) => void} resolve
 * @property {(error: any) => void} reject
 *
 * @typedef {Omit<import('./program').Result, 'bytes'>} Answer
 *
 * @typedef {{ timeout: number, memory: number }} Limits milliseconds a call, bytes a program
 */

/** A worker thread with the programs that it has loaded. It runs one request at a time. */
class Thread {
  #worker
  #mail
  #timer
  /** @type {Request | null} */
  #request = null
  #onFree
  #onLost
  #lost = false
  /** Keys of those that are loaded. */
  #programs = new Set()
  #loaded = 0
  /** When the request began, by `performance.now()`. */
  startedAt = 0

  /**
   * @param {(thread: Thread) => void} onFree it can take the next request
   * @param {(thread: Thread) => void} onLost it takes none any more
   */
  constructor (onFree, onLost) {
    this.#onFree = onFree
    this.#onLost = onLost
    const mail = new SharedArrayBuffer(MAIL)
    this.#mail = Buffer.from(mail)
    this.#worker = new Worker(path.join(__dirname, 'worker.js'), { workerData: { mail }, resourceLimits: { stackSizeMb: STACK } })
    this.#worker.on('message', message => this.#settle(message))
    this.#worker.on('error', error => this.#lose(engineError(error)))
    this.#worker.on('exit', () => this.#lose(engineError()))
  }

  get busy () { return this.#request !== null }

  /** Whether it works for the background. */
  get background () { return this.#request?.background === true }

  /** @param {string} key */
  has (key) { return this.#programs.has(key) }

  /**
   * @param {Request} request
   * @param {Limits} limits
   */
  run (request, limits) {
    const { kind, json, key, load } = request
    const known = this.#programs.has(key)
    if (!known) this.#loaded++
    this.#programs.add(key)
    this.#request = request
    this.startedAt = performance.now()
    this.#worker.ref()
    // Loading and running have the limit each; what outlives both cannot be stopped from inside.
    this.#timer = setTimeout(() => this.#giveUp(), 2 * limits.timeout + GRACE)
    this.#worker.postMessage({ kind, json: this.#post(json), key, load: known ? undefined : load, ...limits })
  }

  /** Puts a text into the mail, where it fits. @returns {string | number} the text, or its bytes */
  #post (text) {
    if (text.length > MAIL || (3 * text.length > MAIL && Buffer.byteLength(text) > MAIL)) return text
    return this.#mail.write(text)
  }

  #settle ({ heap, unloaded, bytes, text, ...result }) {
    const answer = bytes === undefined ? text : this.#mail.toString('utf8', 0, bytes)
    const request = this.#take()
    if (request === null) return
    if (unloaded || result.broken !== undefined) this.#programs.delete(request.key)
    this.#worker.unref()
    if (heap > LARGEST_HEAP || this.#loaded >= MOST_PROGRAMS) this.end()
    else this.#onFree(this)
    request.resolve({ ...result, text: answer })
  }

  #take () {
    const request = this.#request
    this.#request = null
    clearTimeout(this.#timer)
    return request
  }

  #giveUp () {
    const request = this.#take()
    this.end()
    request?.resolve({ broken: 'time', reason: 'interrupted' })
  }

  /** Whose request it had learns why. */
  #lose (error) {
    if (this.#lost) return
    this.#lost = true
    const request = this.#take()
    this.#worker.terminate()
    this.#onLost(this)
    request?.reject(error)
  }

  /** @returns {Promise<unknown>} when the thread is gone */
  end (error = engineError()) {
    this.#lose(error)
    return this.#worker.terminate()
  }
}

function engineError (cause = undefined) {
  return createError('FUNCTION_ERROR', { error: 'os_process_error', reason: 'The function broke its engine', cause })
}

module.exports = { Thread }
