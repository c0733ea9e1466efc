'use strict'

/**
 * One row of the table of edits: how many lead from each beginning of the wanted term to what was read. `before` and `point` are
 * of the character before, for transpositions.
 *
 * @typedef {{ row: Uint8Array, before: Uint8Array | null, point: number }} Row
 */

/**
 * Makes the automaton of the terms that a number of edits leads to: a character more, less, or another one, or two
 * neighbours changed about.
 *
 * @param {string} term
 * @param {number} most edits
 */
function fuzzyAutomaton (term, most) {
  const wanted = Array.from(term, character => /** @type {number} */ (character.codePointAt(0)))
  const far = most + 1
  /** @type {Row} */
  const start = { row: Uint8Array.from({ length: wanted.length + 1 }, (_, at) => Math.min(at, far)), before: null, point: -1 }

  /** @param {Row} state @param {number} point @param {number} at */
  const edits = ({ row, before, point: last }, point, at) => {
    const isSame = wanted[at - 1] === point
    const isSwapped = before !== null && at > 1 && wanted[at - 1] === last && wanted[at - 2] === point
    const other = Math.min(row[at] + 1, row[at - 1] + (isSame ? 0 : 1))
    return isSwapped ? Math.min(other, before[at - 2] + 1) : other
  }

  return {
    start,
    /** @param {Row} state @param {number} point @returns {Row | null} */
    step (state, point) {
      const row = new Uint8Array(wanted.length + 1)
      let least = row[0] = Math.min(state.row[0] + 1, far)
      for (let at = 1; at < row.length; at++) {
        row[at] = Math.min(edits(state, point, at), row[at - 1] + 1, far)
        if (row[at] < least) least = row[at]
      }
      return least > most ? null : { row, before: state.row, point }
    },
    /** @param {Row} state @returns {number} edits to what was read */
    distance: ({ row }) => row[wanted.length],
    /** @param {Row} state */
    isAccepting: ({ row }) => row[wanted.length] <= most
  }
}

module.exports = { fuzzyAutomaton }
