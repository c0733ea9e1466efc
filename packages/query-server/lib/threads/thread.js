'use strict'

const { isUtf8 } = require('node:buffer')
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
const LARGEST_HEAP = 32 * 1024 * 1024

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
 * @property {(bytes: Buffer, wantsRows: boolean) => Promise<string>} [exchange] of a list function: takes what it
 *   sends and gives rows; of a call: takes a question and gives its answer. The answer of either is `content`, in bytes.
 * @property {() => void} [giveWay] ends what it waits for
 * @property {{ functions: number, encoder: Encoder }} [rows] of map functions: how many there are, and what becomes of their rows
 * @property {(part: import('../sandbox/row-gatherer').RowPart) => Promise<void>} [take] of map functions: takes rows; the thread waits as long
 * @property {(result: Answer) => void} resolve
 * @property {(error: any) => void} reject
 *
 * @typedef {{ module: string, options?: any }} Encoder the file of a module with `makeEncoder`, and what that is called with
 *
 * @typedef {Omit<import('../sandbox/program').Result, 'bytes'> & { content?: Buffer, part?: import('../sandbox/row-gatherer').RowPart }} Answer
 *   part: the last rows of map functions
 *
 * @typedef {{ bytes?: number, text?: string }} Text a text, or how many bytes of it are in the mail
 *
 * @typedef {Text & Omit<import('../sandbox/program').Result, 'text' | 'bytes'> & { waits?: boolean, wantsRows: boolean, part?: import('../sandbox/row-gatherer').RowPart, heap: number, unloaded?: boolean }} Message
 *   of a worker: waits: it sleeps until it is answered; heap: bytes of the engine's memory; unloaded: it has not the program
 *
 * @typedef {{ timeout: number, memory: number }} Limits milliseconds a call, bytes a program
 */

/** A worker thread with the programs that it has loaded. It runs one request at a time. */
class Thread {
  #worker
  #mail
  #signal
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #patience = 0
  /** @type {Request | null} */
  #request = null
  #listener
  #lost = false
  /** Keys of those that are loaded. */
  #programs = new Set()
  #loaded = 0
  /** When the request began, by `performance.now()`. */
  startedAt = 0
  /** Since when a list function waits for its rows or its client, 0 where none does. */
  waitingSince = 0
  /** Whether it waits for its rows to be taken. */
  paused = false

  /**
   * @param {object} listener
   * @param {(thread: Thread) => void} listener.onFree it can take the next request
   * @param {(thread: Thread, isFault: boolean) => void} listener.onLost it takes none any more; isFault: and was not told to end
   * @param {() => void} listener.onWait its list function waits, which may leave room for others
   */
  constructor (listener) {
    this.#listener = listener
    const mail = new SharedArrayBuffer(MAIL)
    this.#mail = Buffer.from(mail)
    const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.#signal = new Int32Array(signal)
    this.#worker = new Worker(path.join(__dirname, '../sandbox/worker.js'), { workerData: { mail, signal }, resourceLimits: { stackSizeMb: STACK } })
    this.#worker.on('message', message => message.waits ? this.#exchange(message) : this.#settle(message))
    this.#worker.on('error', error => this.#lose(engineError(error), true))
    this.#worker.on('exit', () => this.#lose(engineError(), true))
  }

  get busy () { return this.#request !== null }

  /** Whether it works for the background. */
  get background () { return this.#request?.background === true }

  /** @param {string} key */
  has (key) { return this.#programs.has(key) }

  /** Asks who waits for a client to wait no longer. */
  interrupt () { this.#request?.giveWay?.() }

  /**
   * @param {Request} request
   * @param {Limits} limits
   */
  run (request, limits) {
    const { kind, json, key, load, rows } = request
    const known = this.#programs.has(key)
    if (!known) this.#loaded++
    this.#programs.add(key)
    this.#request = request
    this.startedAt = performance.now()
    this.#worker.ref()
    // Loading and running have the limit each; what outlives both cannot be stopped from inside.
    this.#patience = 2 * limits.timeout + GRACE
    this.#timer = setTimeout(() => this.#giveUp(), this.#patience)
    this.#worker.postMessage({ kind, json: this.#post(json), key, load: known ? undefined : load, rows, ...limits })
  }

  /**
   * Puts a text into the mail, where it fits.
   *
   * @param {string} text
   * @returns {string | number} the text, or its bytes
   */
  #post (text) {
    if (text.length > MAIL || (3 * text.length > MAIL && Buffer.byteLength(text) > MAIL)) return text
    return this.#mail.write(text)
  }

  /**
   * Gives what a function has sent to who asked for it, and rows to a list function, which sleeps.
   *
   * @param {Message} message
   */
  async #exchange ({ wantsRows, bytes, text, part }) {
    const request = this.#request
    if (request === null) return
    clearTimeout(this.#timer)
    // A call waits briefly: another thread would cost more.
    const isCall = request.kind === 'call'
    this.paused = part !== undefined
    if (!this.paused && !isCall) this.waitingSince = performance.now()
    if (!isCall) this.#listener.onWait()
    let rows = ''
    try {
      if (part !== undefined) await request.take?.(part)
      else rows = await request.exchange?.(this.#bytesOf({ bytes, text }), wantsRows) ?? ''
    } catch (error) {
      // The function cannot be told: it goes with its thread.
      if (this.#request === request) this.end(error)
      return
    }
    if (this.#request !== request) return
    this.waitingSince = 0
    this.paused = false
    if (!isCall) this.startedAt = performance.now()
    this.#timer = setTimeout(() => this.#giveUp(), this.#patience)
    this.#worker.postMessage({ json: this.#post(rows) })
    Atomics.store(this.#signal, 0, 1)
    Atomics.notify(this.#signal, 0)
  }

  /**
   * The mail is used again.
   *
   * @param {Text} text
   * @returns {Buffer}
   */
  #bytesOf ({ bytes, text }) { return bytes === undefined ? Buffer.from(/** @type {string} */ (text)) : wellFormed(Buffer.from(this.#mail.subarray(0, bytes))) }

  /** @param {Message} message */
  #settle ({ heap, unloaded, bytes, text, ...result }) {
    const request = this.#request
    if (request === null) return
    const answer = this.#answer(request, { bytes, text })
    this.#take()
    if (unloaded || result.broken !== undefined) this.#programs.delete(request.key)
    this.#worker.unref()
    if (heap > LARGEST_HEAP || this.#loaded >= MOST_PROGRAMS) this.end()
    else this.#listener.onFree(this)
    request.resolve({ ...result, ...answer })
  }

  /** @param {Request} request @param {Text} text @returns {Pick<Answer, 'text' | 'content'>} */
  #answer (/** @type {Request} */ { exchange }, { bytes, text }) {
    if (bytes === undefined && text === undefined) return {}
    if (exchange !== undefined) return { content: this.#bytesOf({ bytes, text }) }
    return { text: bytes === undefined ? text : this.#mail.toString('utf8', 0, bytes) }
  }

  #take () {
    const request = this.#request
    this.#request = null
    this.waitingSince = 0
    this.paused = false
    clearTimeout(this.#timer)
    return request
  }

  #giveUp () {
    const request = this.#take()
    this.end(undefined, true)
    request?.resolve({ broken: 'time', reason: 'interrupted' })
  }

  /**
   * Tells why to whose request it had.
   *
   * @param {unknown} error
   * @param {boolean} isFault
   */
  #lose (error, isFault) {
    if (this.#lost) return
    this.#lost = true
    const request = this.#take()
    this.#worker.terminate()
    this.#listener.onLost(this, isFault)
    request?.reject(error)
  }

  /**
   * @param {unknown} [error]
   * @param {boolean} [isFault] it did not answer
   * @returns {Promise<unknown>} when the thread is gone
   */
  end (error = engineError(), isFault = false) {
    this.#lose(error, isFault)
    return this.#worker.terminate()
  }
}

/**
 * Halves of characters go out as three bytes that are no UTF-8: in their place comes what stands for what is none.
 *
 * @param {Buffer} bytes
 */
function wellFormed (bytes) {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('latin1').replace(/\xed[\xa0-\xbf][\x80-\xbf]/g, '\xef\xbf\xbd'), 'latin1')
}

/** @param {unknown} [cause] */
function engineError (cause = undefined) {
  return createError('FUNCTION_CRASHED', { cause })
}

module.exports = { Thread }
