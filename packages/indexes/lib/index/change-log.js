'use strict'

const { encodeCount } = require('../rows/row-layout')

/** Rows and commits that are remembered. */
const MOST_ROWS = 4096
const MOST_COMMITS = 256

/** @typedef {import('./level-index').IndexState} IndexState */

/** The rows that the last commits to an index changed: what was worked out before may hold for the others. */
class ChangeLog {
  /** @type {Array<{ before: IndexState, after: IndexState, rows: string[] }>} */
  #commits = []
  #rows = 0

  /**
   * @param {IndexState} before
   * @param {IndexState} after
   * @param {string[]} rows with their views
   */
  add (before, after, rows) {
    this.#commits.push({ before, after, rows })
    this.#rows += rows.length
    while (this.#rows > MOST_ROWS || this.#commits.length > MOST_COMMITS) this.#rows -= /** @type {{ rows: string[] }} */ (this.#commits.shift()).rows.length
  }

  /**
   * @param {IndexState} before
   * @param {IndexState} after
   * @param {number} view
   * @returns {string[] | undefined} the view's rows that changed between two states, without the view; undefined where
   *   that is not known any more
   */
  between (before, after, view) {
    const head = encodeCount(view)
    const found = []
    let state = after
    for (let i = this.#commits.length - 1; state !== before; i--) {
      if (i < 0) return undefined
      const commit = this.#commits[i]
      if (commit.after !== state) {
        if (state !== after) return undefined
        continue
      }
      for (const row of commit.rows) if (row.startsWith(head)) found.push(row.slice(head.length))
      state = commit.before
    }
    return found
  }

  clear () {
    this.#commits = []
    this.#rows = 0
  }
}

module.exports = { ChangeLog }
