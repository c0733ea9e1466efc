'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { createError } = require('@potoroo/errors')

/**
 * A thread for the expressions that take longer than others may wait: there is one, one after the other, while there are such.
 *
 * @typedef {{ found?: boolean, fault?: 'time' | 'room' }} Verdict fault: it takes too long, or more than V8 has room for
 */

/** Callers that may wait: each may take as long as `worker.js` lets it. */
const MOST = 32

/** Milliseconds after which a thread that has nothing to do ends. */
const IDLE = 1000

/** @type {Worker | undefined} */
let worker
/** @type {NodeJS.Timeout | undefined} */
let timer
/** Callers that wait for their verdicts. @type {Array<{ resolve: (verdict: Verdict) => void, reject: (error: unknown) => void }>} */
let waiting = []

/**
 * @param {RegExp} expression
 * @param {string} text
 * @returns {Promise<Verdict>} rejects where the system gives no thread, and with UNAVAILABLE where too many wait
 */
async function testInThread (expression, text) {
  if (waiting.length >= MOST) throw createError('UNAVAILABLE', { reason: 'Too many expressions of $regex that take long wait for their turn' })
  return new Promise((resolve, reject) => {
    worker ??= start()
    clearTimeout(timer)
    worker.ref()
    waiting.push({ resolve, reject })
    worker.postMessage({ expression, text })
  })
}

function start () {
  const started = new Worker(path.join(__dirname, 'worker.js'))
  started.on('message', settle)
  started.on('error', error => lose(started, error))
  started.on('exit', () => lose(started, new Error('The thread of expressions has ended')))
  return started
}

/** @param {Verdict} verdict */
function settle (verdict) {
  waiting.shift()?.resolve(verdict)
  if (waiting.length > 0) return
  worker?.unref()
  timer = setTimeout(stop, IDLE).unref()
}

/** Whoever comes before it has ended gets another. */
function stop () {
  const idle = worker
  worker = undefined
  idle?.terminate()
}

/** The next one has another thread. @param {Worker} ended @param {unknown} error */
function lose (ended, error) {
  if (worker !== ended) return
  worker = undefined
  const lost = waiting
  waiting = []
  for (const { reject } of lost) reject(error)
}

module.exports = { testInThread }
