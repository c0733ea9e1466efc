'use strict'

/** Answers that are remembered for one view, and how long they and the names of their questions may be. */
const MOST = 64
const LONGEST = 16 * 1024

/**
 * @typedef {import('../index/row-index').IndexState} IndexState
 * @typedef {import('./view-result').TextRow} TextRow
 */

/** Short answers of reductions of one view: each is worked out once as long as its index stays as it is. */
class Answers {
  /** The state that `#known` is true of. @type {IndexState | undefined} */
  #state
  /** @type {Map<string, TextRow[]>} */
  #known = new Map()

  /**
   * @param {IndexState} state of the index now
   * @param {string} question
   * @returns {TextRow[] | undefined}
   */
  find (state, question) {
    return state === this.#state ? this.#known.get(question) : undefined
  }

  /**
   * Passes pages of an answer on, and remembers it once it has come to its end, if it is short.
   *
   * @param {IndexState} state that it is of
   * @param {string} question
   * @param {AsyncIterable<TextRow[]>} pages
   * @returns {AsyncGenerator<TextRow[]>}
   */
  async * keep (state, question, pages) {
    let size = question.length
    const rows = []
    for await (const page of pages) {
      for (const row of page) if (size < LONGEST) size += sizeOf(rows[rows.push(row) - 1])
      yield page
    }
    if (size >= LONGEST) return
    if (state !== this.#state) {
      this.#state = state
      this.#known.clear()
    }
    if (this.#known.size >= MOST) this.#known.delete(/** @type {string} */ (this.#known.keys().next().value))
    this.#known.set(question, rows)
  }
}

/** @param {any} row with its error in the place of a value, where it failed */
function sizeOf ({ key, value = '', reason = '' }) { return key.length + value.length + reason.length }

module.exports = { Answers }
