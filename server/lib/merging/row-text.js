'use strict'

const { endOfValue } = require('@potoroo/document-store')

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

module.exports = { readRow }
