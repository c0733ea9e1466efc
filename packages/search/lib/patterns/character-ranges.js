'use strict'

const { LAST_CODE_POINT } = require('./expressions')

/**
 * Puts ranges of code points in order and joins those that touch.
 *
 * @param {number[]} ranges first and last of each
 */
function joined (ranges) {
  const pairs = []
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at], ranges[at + 1]])
  pairs.sort(([left], [right]) => left - right)
  /** @type {number[]} */
  const out = []
  for (const [first, last] of pairs) {
    if (out.length > 0 && first <= out[out.length - 1] + 1) out[out.length - 1] = Math.max(out[out.length - 1], last)
    else out.push(first, last)
  }
  return out
}

/** All characters but these. @param {number[]} ranges */
function inverted (ranges) {
  /** @type {number[]} */
  const out = []
  let next = 0
  for (const [at, point] of joined(ranges).entries()) {
    if (at % 2 === 1) next = point + 1
    else if (point > next) out.push(next, point - 1)
  }
  if (next <= LAST_CODE_POINT) out.push(next, LAST_CODE_POINT)
  return out
}

/** `\d`, `\w` and `\s`, and with a capital letter all else. @type {Record<string, number[]>} */
const classes = {
  d: [48, 57],
  s: [9, 10, 13, 13, 32, 32],
  w: [48, 57, 65, 90, 95, 95, 97, 122]
}
for (const name of 'dsw') classes[name.toUpperCase()] = inverted(classes[name])

module.exports = { classes, inverted, joined }
