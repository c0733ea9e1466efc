'use strict'

const classic = require('./print')

const view = new DataView(new ArrayBuffer(8))

/** The next number. @param {number} number @param {1 | -1} by */
function step (number, by) {
  if (!Number.isFinite(number)) return number
  if (number === 0) return by * Number.MIN_VALUE
  view.setFloat64(0, number)
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(number > 0 ? by : -by))
  return view.getFloat64(0)
}

/** Lucene has no numbers that are left out. @param {any} node */
function numbers ({ field, low, high, includeLow, includeHigh }) {
  return `D(${field}:[${includeLow ? low : step(low, 1)} TO ${includeHigh ? high : step(high, -1)}])`
}

/** @type {Record<string, string>} */
const signs = { must: '+', must_not: '-', should: '' }

/** A query in one line. @param {any} node */
function print (node) {
  const boost = node.boost === undefined ? '' : `^${node.boost}`
  if (node.type === 'range' && typeof node.low === 'number') return numbers(node) + boost
  if (node.type !== 'boolean') return classic.print(node)
  const least = node.least === undefined ? '' : `@${node.least}`
  return `[${node.clauses.map((/** @type {any} */ { occur, node }) => signs[occur] + print(node)).join(' ')}]${least}${boost}`
}

module.exports = { print }
