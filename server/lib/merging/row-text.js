'use strict'

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * The parts of a view's row that it is ordered by. `rest` is where the text of a row goes on after its key; `place` is that of its key in a list.
 *
 * @typedef {{ id: string, key: any, rest: number, place?: number }} Row
 */

/** A shard's row begins with its document, if it is of one, and its key. */
const START = /^\{(?:"id":("(?:[^"\\]|\\.)*"),)?"key":/

/** @param {string} text `{"id":…,"key":…,"value":…}`, or without `id`, of a group @returns {Row} */
function readRow (text) {
  const [start, id] = /** @type {RegExpExecArray} */ (START.exec(text))
  const rest = endOfValue(text, start.length)
  return { id: id === undefined ? '' : JSON.parse(id), key: JSON.parse(text.slice(start.length, rest)), rest }
}

/** @param {string} text JSON @param {number} at where a value begins @returns {number} where it ends */
function endOfValue (text, at) {
  let depth = 0
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (depth === 0) return at
      depth--
    } else if (code === COMMA && depth === 0) return at
  }
  return at
}

/** @param {string} text @param {number} at the opening quote @returns {number} the closing one */
function endOfString (text, at) {
  while (++at < text.length) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return at
}

module.exports = { endOfValue, readRow }
