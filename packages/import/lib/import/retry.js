'use strict'

const { setTimeout: wait } = require('node:timers/promises')

/** Statuses that may be others a moment later: overload, a proxy without its server, CouchDB's time-outs. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])

/** Milliseconds before the second try; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 30_000

/**
 * Tries until it succeeds, fails for good, or has been tried often enough.
 *
 * @template T
 * @param {() => Promise<T>} action
 * @param {object} options
 * @param {number} options.tries
 * @param {(error: any) => boolean} options.passing whether trying again may help
 * @param {(error: any, pause: number) => void} [options.onPause] `pause` in milliseconds
 * @param {AbortSignal} [options.signal] ends a pause
 * @returns {Promise<T>}
 */
async function retry (action, { tries, passing, onPause, signal }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action()
    } catch (error) {
      if (attempt >= tries || signal?.aborted || !passing(error)) throw error
      // Many who wait must not come back at once.
      const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 2)
      onPause?.(error, pause)
      await wait(pause, undefined, { signal })
    }
  }
}

/**
 * Tells whether trying again may help.
 * @param {any} error
 * @returns {boolean}
 */
function isPassing (error) {
  return error.code === 'SOURCE_UNREACHABLE' || PASSING.has(error.status)
}

module.exports = { isPassing, retry }
