'use strict'

/** @typedef {import('./page-level').Operation} Operation */

/** A batch whose operations come one by one. */
class PageBatch {
  #level
  /** @type {Operation[]} */
  #operations = []

  /** @param {import('./page-level').PageLevel} level */
  constructor (level) { this.#level = level }

  /** @param {string} key @param {string | Uint8Array} value */
  put (key, value) { this.#operations.push({ type: 'put', key, value }) }

  /** @param {string} key */
  del (key) { this.#operations.push({ type: 'del', key }) }

  /** @returns {Promise<void>} */
  write () { return this.#level.batch(this.#operations) }

  async close () { this.#operations = [] }
}

module.exports = { PageBatch }
