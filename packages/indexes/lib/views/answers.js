'use strict'

const { partsOf } = require('./changed-groups')

/** Answers that are remembered for one view, and how long they and the names of their questions may be. */
const MOST = 64
const LONGEST = 16 * 1024

/**
 * @typedef {import('../index/level-index').IndexState} IndexState
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('./changed-groups').AnswerPart} AnswerPart
 * @typedef {import('./view-result').TextRow} TextRow
 */

/** Short answers of reductions of one view: each is worked out once as long as its index stays as it is. */
class Answers {
  #view
  /** @type {Map<string, { state: IndexState, rows: TextRow[] }>} */
  #known = new Map()

  /** @param {number} view its number in the index */
  constructor (view) {
    this.#view = view
  }

  /**
   * @param {IndexState} state of the index now
   * @param {string} question
   * @returns {TextRow[] | undefined}
   */
  find (state, question) {
    const known = this.#known.get(question)
    return known?.state === state ? known.rows : undefined
  }

  /**
   * An answer as the groups that are as they were when it was asked before, and what is to be reduced again between them.
   *
   * @param {Pick<import('../index/row-index').RowIndex, 'changedBetween'>} rows
   * @param {IndexState} state that is asked for
   * @param {string} question
   * @param {KeyRange} range of the question, forwards
   * @returns {Array<AnswerPart> | undefined} undefined where all of it is to be reduced
   */
  parts (rows, state, question, range) {
    const known = this.#known.get(question)
    const changed = known === undefined ? undefined : rows.changedBetween(known.state, state, this.#view)
    return changed === undefined ? undefined : partsOf(/** @type {{ rows: TextRow[] }} */ (known).rows, range, changed)
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
    this.#known.delete(question)
    if (this.#known.size >= MOST) this.#known.delete(/** @type {string} */ (this.#known.keys().next().value))
    this.#known.set(question, { state, rows })
  }
}

/** @param {any} row with its error in the place of a value, where it failed */
function sizeOf ({ key, value = '', reason = '' }) { return key.length + value.length + reason.length }

module.exports = { Answers }
