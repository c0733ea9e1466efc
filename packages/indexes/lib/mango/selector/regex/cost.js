'use strict'

/** Pieces of an expression that say how often a text may be gone through: classes that `pcre.js` closes off are one. */
const CLASS = '\\[(?:\\\\[^]|[^\\]\\\\])*\\]'
const PIECES = new RegExp([
  `\\(\\?:(?:\\\\[pP]\\{[^}]*\\}|${CLASS})\\(\\?=\\)\\)`, CLASS,
  '(?<back>\\\\[1-9]\\d*|\\\\k<\\w+>)', '\\\\(?:u\\{[^}]*\\}|[pP]\\{[^}]*\\}|[^])',
  '(?<open>\\((?:\\?(?:[:=!]|<[=!]|<\\w+>))?)', '(?<close>\\))', '(?<bar>\\|)', '(?<option>\\?)\\??', '(?<repeat>[*+]\\??|\\{[^}]*\\}\\??)'
].join('|'), 'g')

const ANCHORED = /^(?:\^|\(\?<!\[\\s\\S\]\))/

/** Characters that are compared in a step. */
const CHARACTERS = 16

/**
 * Says how long an expression may take, as a function of the text's length.
 *
 * @param {string} source of JavaScript's
 * @returns {(length: number) => number} steps at most, each of about a nanosecond; Infinity where a group is repeated
 */
function costOf (source) {
  const { power, ways } = count(source)
  const each = ways * (1 + source.length / CHARACTERS)
  return length => power === Infinity ? Infinity : each * Math.max(1, length) ** power
}

/** @param {string} source @returns {{ power: number, ways: number }} the text's length to that power, times ways through alternatives */
function count (source) {
  let power = 1
  let ways = 1
  let closed = false
  const bars = [0]
  for (const { groups = {} } of source.matchAll(PIECES)) {
    if (groups.repeat !== undefined) power += closed ? Infinity : 1
    else if (groups.back !== undefined) power++
    else if (groups.option !== undefined) ways *= 2
    else if (groups.open !== undefined) bars.push(0)
    else if (groups.bar !== undefined) bars[bars.length - 1]++
    else if (groups.close !== undefined) ways *= 1 + /** @type {number} */ (bars.pop())
    closed = groups.close !== undefined
  }
  const [outer] = bars
  if (outer === 0 && ANCHORED.test(source)) power--
  return { power, ways: ways * (1 + outer) }
}

module.exports = { costOf }
