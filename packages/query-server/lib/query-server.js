'use strict'

const crypto = require('node:crypto')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { createError } = require('@potoroo/errors')

/** Megabytes. QuickJS recurses on the thread's own stack: 4, the default, ends in a crash of it. */
const STACK = 32

/** Milliseconds beyond the time limit after which the thread itself is given up. */
const GRACE = 2000

/**
 * Runs the functions of design documents, which are strangers' code: in QuickJS, with limits to
 * time and memory, on a thread of its own, so that an endless loop stops nobody else's requests
 * and whatever happens in there leaves the process alive. Always in batches.
 *
 * A program is a list of function sources and the library (the design document) that their
 * `require` finds; it is compiled once and kept.
 *
 * @typedef {{ sources: string[], library?: any }} Functions
 */
class QueryServer {
  #limits
  /** @type {Worker | null} */
  #worker = null
  #nextId = 1
  #closed = false
  /** The request that runs: others wait behind it here, so that its time is its own. */
  #queue = []
  #running = null

  /** @param {{ timeout?: number, memory?: number }} [limits] milliseconds a batch, bytes a program */
  constructor ({ timeout = 5000, memory = 64 * 1024 * 1024 } = {}) {
    this.#limits = { timeout, memory }
  }

  /**
   * @param {Functions} functions map functions
   * @param {any[]} docs objects, or JSON texts of objects
   * @returns {Promise<Array<Array<Array<[any, any]>>>>} for each document, for each function: its rows
   */
  map (functions, docs) { return this.#call(functions, 'map', arrayText(docs)) }

  /**
   * @param {Functions} functions one filter function `(doc, req)`
   * @returns {Promise<boolean[]>}
   */
  filter (functions, docs, req) {
    return this.#call(functions, 'filter', `{"docs":${arrayText(docs)},"req":${JSON.stringify(req ?? null)}}`)
  }

  /** A map function as a filter: true where it emits. @returns {Promise<boolean[]>} */
  emits (functions, docs) { return this.#call(functions, 'emits', arrayText(docs)) }

  /**
   * @param {Functions} functions reduce functions
   * @param {Array<[any[] | null, any[]]>} groups keys (`[key, id]` pairs; null when rereducing) and values
   * @returns {Promise<any[][]>} for each group, for each function: what it gives
   */
  reduce (functions, groups, rereduce = false) {
    return this.#call(functions, 'reduce', JSON.stringify({ groups, rereduce }))
  }

  /**
   * @param {Functions} functions one validation function `(newDoc, oldDoc, userCtx, secObj)`
   * @param {any[][]} calls its arguments, for each document
   * @returns {Promise<Array<{ error: string, reason: string } | null>>} what it threw, null where nothing
   */
  validate (functions, calls) { return this.#call(functions, 'validate', JSON.stringify(calls)) }

  /** Compiles them, to see whether they can be. @throws compilation_error */
  async compile (functions) { await this.#call(functions, 'map', '[]') }

  async close () {
    this.#closed = true
    const worker = this.#worker
    this.#fail(createError('CLOSED', { reason: 'The query server is closed' }))
    await worker?.terminate()
  }

  #call ({ sources, library = {} }, kind, json) {
    if (this.#closed) return Promise.reject(createError('CLOSED', { reason: 'The query server is closed' }))
    const load = JSON.stringify({ sources, library })
    const key = crypto.createHash('sha256').update(load).digest('base64')
    return new Promise((resolve, reject) => {
      this.#queue.push({ message: { id: this.#nextId++, key, load, kind, json }, resolve, reject })
      this.#next()
    })
  }

  #next () {
    if (this.#running !== null || this.#queue.length === 0) return
    this.#running = this.#queue.shift()
    this.#worker ??= this.#start()
    this.#worker.ref()
    // Loading and running have the limit each; what outlives both cannot be stopped from inside.
    this.#running.timer = setTimeout(() => this.#giveUp(), 2 * this.#limits.timeout + GRACE)
    this.#worker.postMessage(this.#running.message)
  }

  #start () {
    const worker = new Worker(path.join(__dirname, 'worker.js'), {
      workerData: this.#limits,
      resourceLimits: { stackSizeMb: STACK }
    })
    worker.on('message', message => this.#settle(message))
    worker.on('error', error => { if (worker === this.#worker) this.#lose(engineError(error)) })
    worker.on('exit', () => { if (worker === this.#worker) this.#lose(engineError()) })
    return worker
  }

  #settle (message) {
    const request = this.#take()
    if (request === null) return
    this.#worker?.unref()
    try {
      request.resolve(result(message))
    } catch (error) {
      request.reject(error)
    }
    this.#next()
  }

  #take () {
    const request = this.#running
    this.#running = null
    clearTimeout(request?.timer)
    return request
  }

  #giveUp () {
    const worker = this.#worker
    this.#lose(createError('FUNCTION_TIMEOUT'))
    worker?.terminate()
  }

  /** The thread is gone; who waited learns why, the next request gets a new one. */
  #lose (error) {
    this.#worker = null
    this.#take()?.reject(error)
    this.#next()
  }

  #fail (error) {
    this.#worker = null
    this.#take()?.reject(error)
    for (const request of this.#queue.splice(0)) request.reject(error)
  }
}

function engineError (cause) {
  return createError('FUNCTION_ERROR', { error: 'os_process_error', reason: 'The function broke its engine', cause })
}

function arrayText (docs) {
  return `[${docs.map(doc => typeof doc === 'string' ? doc : JSON.stringify(doc)).join(',')}]`
}

function result ({ text, broken, reason }) {
  if (broken === 'time') throw createError('FUNCTION_TIMEOUT')
  if (broken === 'memory') throw createError('FUNCTION_ERROR', { error: 'os_process_error', reason: 'out of memory' })
  if (broken !== undefined) throw createError('FUNCTION_ERROR', { error: 'os_process_error', reason })
  const { ok, failure } = JSON.parse(text)
  if (failure === undefined) return ok
  throw createError('FUNCTION_ERROR', failure.error === 'forbidden' ? { ...failure, status: 403 } : failure.error === 'unauthorized' ? { ...failure, status: 401 } : failure)
}

module.exports = { QueryServer }
