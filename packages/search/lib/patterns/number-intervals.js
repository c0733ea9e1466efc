'use strict'

/** @typedef {import('./expressions').Expressions} Expressions */
/** @typedef {import('./expressions').Expression} Expression */

/** @param {Expressions} make @param {number} from @param {number} to digits */
function digits (make, from, to) { return from > to ? make.nothing : make.characters([48 + from, 48 + to]) }

/**
 * Numbers of as many digits as both bounds.
 *
 * @param {Expressions} make
 * @param {string} low
 * @param {string} high
 * @returns {Expression}
 */
function between (make, low, high) {
  if (/^0*$/.test(low) && /^9*$/.test(high)) return make.repeat(digits(make, 0, 9), low.length, low.length)
  const [first, last] = [Number(low[0]), Number(high[0])]
  if (first > last) return make.nothing
  const [lower, higher] = [low.slice(1), high.slice(1)]
  if (first === last) return make.sequence(digits(make, first, last), between(make, lower, higher))
  return make.any([
    make.sequence(digits(make, first, first), between(make, lower, '9'.repeat(lower.length))),
    make.sequence(digits(make, first + 1, last - 1), between(make, '0'.repeat(lower.length), '9'.repeat(lower.length))),
    make.sequence(digits(make, last, last), between(make, '0'.repeat(higher.length), higher))
  ])
}

/**
 * Makes the numbers of an interval `<low-high>`. Bounds with as many digits ask for that many; others allow zeros in front.
 *
 * @param {Expressions} make
 * @param {string} low
 * @param {string} high digits
 * @returns {Expression}
 */
function interval (make, low, high) {
  const [least, most] = BigInt(low) <= BigInt(high) ? [low, high] : [high, low]
  if (least.length === most.length) return between(make, least, most)
  const length = Math.max(least.length, most.length)
  const zeros = make.repeat(digits(make, 0, 0), 0, Infinity)
  const [from, to] = [BigInt(least).toString(), BigInt(most).toString()]
  const parts = []
  for (let size = from.length; size <= Math.min(to.length, length); size++) {
    const [first, last] = [size === from.length ? from : `1${'0'.repeat(size - 1)}`, size === to.length ? to : '9'.repeat(size)]
    parts.push(make.sequence(zeros, between(make, first, last)))
  }
  return make.any(parts)
}

module.exports = { interval }
