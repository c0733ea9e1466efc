'use strict'

/**
 * The limits of a reduction: CouchDB's `reduce_limit`, `reduce_limit_threshold` and `reduce_limit_ratio`.
 *
 * @typedef {object} ReduceLimits
 * @property {string} mode `true`, `false`, or `log`: what is beyond the limit is told and let through
 * @property {number} threshold bytes up to which anything goes
 * @property {number} ratio how many times the result of more has to fit into what was reduced
 * @see https://docs.couchdb.org/en/stable/config/query-servers.html
 */

/** @type {ReduceLimits} */
const DEFAULT_LIMITS = { mode: 'true', threshold: 5000, ratio: 2 }

class ReduceLimit {
  #limits
  #log

  /** @param {ReduceLimits} limits @param {(message: string) => void} [log] */
  constructor (limits = DEFAULT_LIMITS, log) {
    this.#limits = limits
    this.#log = log
    /** Reductions under other limits may be others. */
    this.name = limits.mode === 'false' ? '' : `${limits.mode} ${limits.threshold} ${limits.ratio}`
  }

  /**
   * @param {any} value a reduction
   * @param {() => number} inputSize bytes of JSON that were reduced
   * @param {number} [envelope] bytes that are sent around the value
   * @returns {string | undefined} what is wrong with it, in CouchDB's words
   */
  check (value, inputSize, envelope = 0) {
    const { mode, threshold, ratio } = this.#limits
    if (mode === 'false' || isSmall(value)) return undefined
    const size = Buffer.byteLength(JSON.stringify(value)) + envelope
    if (size <= threshold) return undefined
    const input = inputSize()
    if (size * ratio <= input) return undefined
    const message = `Reduce output must shrink more rapidly: input size: ${input} output size: ${size} context: `
    if (mode === 'true') return message
    this.#log?.(message)
    return undefined
  }
}

/**
 * Most are, and need not be written out.
 *
 * @param {unknown} value
 */
function isSmall (value) { return value === null || (typeof value !== 'object' && typeof value !== 'string') }

module.exports = { ReduceLimit, DEFAULT_LIMITS }
