'use strict'

const { Node } = require('./node')

/**
 * Returns what adds entries to the table of a new Map or Set. Keys may have become one object: a persistent object, and the plain one
 * that it was copied from. The first keeps its place then, and the last its value.
 *
 * @param {import('./table').Table} table
 */
function appender (table) {
  /** @type {Map<Node, number>} */
  const places = new Map()
  return (/** @type {import('../heap/types').Slot} */ key, /** @type {import('../heap/types').Slot} */ value) => {
    const place = key instanceof Node ? places.get(key) : undefined
    if (place !== undefined) {
      table.values[place] = value
      return
    }
    if (key instanceof Node) places.set(key, table.length)
    table.append(key, value)
  }
}

module.exports = { appender }
