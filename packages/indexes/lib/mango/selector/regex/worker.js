'use strict'

const { parentPort } = require('node:worker_threads')
const { testUnderClock } = require('./clock')

/** Milliseconds that a text may take. */
const PATIENCE = 2000

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

port.on('message', ({ expression, text }) => { port.postMessage(answer(expression, text)) })

/**
 * @param {RegExp} expression
 * @param {string} text
 * @returns {import('./threads').Verdict}
 */
function answer (expression, text) {
  try {
    const found = testUnderClock(expression, text, PATIENCE)
    return found === undefined ? { fault: 'time' } : { found }
  } catch {
    return { fault: 'room' }
  }
}
