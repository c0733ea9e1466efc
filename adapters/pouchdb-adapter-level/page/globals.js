'use strict'

/** Stand-ins for the globals of Node.js: the bundle puts them in their place. */
const { Bytes } = require('./bytes')

/** @type {Array<() => void>} */
const waiting = []
const { port1, port2 } = new MessageChannel()

// A timer of 0 milliseconds takes 4 where timers are nested, and a second in a tab that nobody sees.
port1.onmessage = () => /** @type {() => void} */ (waiting.shift())()
// In Node.js, for tests, it must not keep the process.
if (typeof port1.unref === 'function') port1.unref()

/** @param {() => void} run */
function setImmediate (run) {
  waiting.push(run)
  port2.postMessage(null)
}

const process = { nextTick: setImmediate, emitWarning () {} }

module.exports = { Buffer: Bytes, process, setImmediate }
