'use strict'

const { Snapshot } = require('./snapshot')

// As in src/binding/map/range.h.
const REVERSE = 1
const KEYS = 2
const VALUES = 4
const KEY_PIECES = 8
const VALUE_PIECES = 16
const OPEN_BELOW = 32
const OPEN_ABOVE = 64

/**
 * @param {string | undefined} encoding
 * @returns {'utf8' | 'buffer' | 'view'}
 */
function checkEncoding (encoding = 'utf8') {
  if (encoding === 'utf8' || encoding === 'buffer' || encoding === 'view') return encoding
  throw new TypeError(`The encoding must be 'utf8', 'buffer' or 'view', not ${String(encoding)}`)
}

/**
 * Whole numbers from 0; anything else than undefined, -1 and Infinity (no limit) is refused.
 *
 * @param {number | undefined} limit
 */
function checkLimit (limit) {
  if (limit === undefined || limit === -1 || limit === Infinity) return -1
  if (Number.isSafeInteger(limit) && limit >= 0) return limit
  throw new TypeError('The limit must be a whole number')
}

/**
 * Returns the arguments of `binding.iterator` and `binding.clear`. The inclusive bound wins where both are
 * given.
 *
 * @param {import('../..').Range & { reverse?: boolean, limit?: number, snapshot?: import('../..').Snapshot }} options
 */
function rangeOf (options) {
  const below = options.gte !== undefined
  const above = options.lte !== undefined
  return {
    flags: (options.reverse ? REVERSE : 0) | (below ? 0 : OPEN_BELOW) | (above ? 0 : OPEN_ABOVE),
    lower: below ? options.gte : options.gt,
    upper: above ? options.lte : options.lt,
    limit: checkLimit(options.limit),
    snapshot: Snapshot.handleOf(options.snapshot)
  }
}

module.exports = { checkEncoding, rangeOf, KEYS, VALUES, KEY_PIECES, VALUE_PIECES }
