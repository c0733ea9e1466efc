'use strict'

/**
 * One list of requests that both servers are asked.
 *
 * @typedef {object} Case
 * @property {string} what where the answers differ, docs/differences.md has a row of this name
 * @property {boolean} [differs] whether they do
 * @property {(db: import('./side').Side) => Promise<void>} run sees the same of both servers, or asks otherwise
 */

/**
 * @param {import('./side').Side} side
 * @param {Case} one
 * @returns {Promise<import('./side').Side['answers']>}
 */
async function runCase (side, one) {
  try {
    await side.create()
    await one.run(side)
    return side.answers
  } finally {
    await side.clear()
  }
}

module.exports = { runCase }
