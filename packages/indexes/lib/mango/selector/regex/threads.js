'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { createError } = require('@potoroo/errors')
const { Turns } = require('./turns')

/**
 * Threads for the expressions that take longer than others may wait: there are some while there are such. Each asker has
 * one of them at a time, so that one who asks for much leaves the others to the rest.
 *
 * @typedef {{ found?: boolean, fault?: 'time' | 'room' }} Verdict fault: it takes too long, or more than V8 has room for
 * @typedef {{ question: { expression: RegExp, text: string }, resolve: (verdict: Verdict) => void, reject: (error: unknown) => void }} Test
 */

/** Threads at a time. */
const THREADS = 2

/** Tests that may wait, of one asker and of all: each may take as long as `worker.js` lets it. */
const MOST_OF_ONE = 16
const MOST = 64

/** Milliseconds after which a thread that has nothing to do ends. */
const IDLE = 1000

/** @type {Turns<Test>} */
const turns = new Turns()
/** @type {Set<Thread>} */
const threads = new Set()

/**
 * @param {RegExp} expression
 * @param {string} text
 * @param {unknown} asker
 * @returns {Promise<Verdict>} rejects where the system gives no thread, and with UNAVAILABLE where too many wait
 */
async function testInThread (expression, text, asker) {
  if (turns.length >= MOST || turns.lengthOf(asker) >= MOST_OF_ONE) throw createError('UNAVAILABLE', { reason: 'Too many expressions of $regex that take long wait for their turn' })
  return new Promise((resolve, reject) => {
    turns.add(asker, { question: { expression, text }, resolve, reject })
    dispatch()
  })
}

/** Gives those that wait to threads that have nothing to do, and starts more for the others. */
function dispatch () {
  for (const thread of threads) if (thread.isIdle) thread.takeNext()
  const isStarting = () => [...threads].filter(({ isReady }) => !isReady).length
  while (threads.size < THREADS && turns.due > isStarting()) if (!start()) return
}

/** Whether the system gave a thread, or there is somebody less who waits for one. */
function start () {
  try {
    threads.add(new Thread())
  } catch (error) {
    if (threads.size > 0) return false
    refuseNext(error)
  }
  return true
}

/** @param {unknown} error */
function refuseNext (error) {
  const next = turns.next()
  if (next === undefined) return
  turns.end(next.asker)
  next.piece.reject(error)
}

/** A thread, and what it has under way. */
class Thread {
  #worker = new Worker(path.join(__dirname, 'worker.js'))
  #isReady = false
  /** @type {{ asker: unknown, piece: Test } | null} */
  #current = null
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  constructor () {
    this.#worker.on('online', () => this.#begin())
    this.#worker.on('message', verdict => this.#settle(verdict))
    this.#worker.on('error', error => this.#lose(error))
    this.#worker.on('exit', () => this.#lose(new Error('The thread of expressions has ended')))
  }

  get isReady () { return this.#isReady }
  get isIdle () { return this.#isReady && this.#current === null }

  takeNext () {
    const next = turns.next()
    if (next === undefined) return
    clearTimeout(this.#timer)
    this.#current = next
    this.#worker.ref()
    this.#worker.postMessage(next.piece.question)
  }

  #begin () {
    this.#isReady = true
    this.#goOn()
  }

  /** @param {Verdict} verdict */
  #settle (verdict) {
    this.#end().resolve(verdict)
    this.#goOn()
  }

  #end () {
    const { asker, piece } = /** @type {{ asker: unknown, piece: Test }} */ (this.#current)
    this.#current = null
    turns.end(asker)
    return piece
  }

  #goOn () {
    dispatch()
    if (!this.isIdle) return
    this.#worker.unref()
    this.#timer = setTimeout(() => this.#stop(), IDLE).unref()
  }

  /** Whoever comes before it has ended gets another. */
  #stop () {
    threads.delete(this)
    this.#worker.terminate()
  }

  /** Rejects what it had under way, or was to have; those that wait get another thread. @param {unknown} error */
  #lose (error) {
    if (!threads.delete(this)) return
    clearTimeout(this.#timer)
    if (!this.#isReady) refuseNext(error)
    else if (this.#current !== null) this.#end().reject(error)
    dispatch()
  }
}

module.exports = { testInThread }
