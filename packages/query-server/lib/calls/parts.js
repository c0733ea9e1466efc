'use strict'

/** UTF-16 units of JSON that go to a program at once, except for a document that is longer. */
const PART = 1024 * 1024

/** Documents that go to a program at once after it was too slow for more. */
const FEW = 8

/**
 * How many of the texts from `at` go at once.
 *
 * @param {string[]} texts
 * @param {number} at
 * @param {number} most
 */
function partLength (texts, at, most) {
  let count = 0
  for (let units = 0; at + count < texts.length && count < most; count++) {
    units += texts[at + count].length
    if (units > PART && count > 0) break
  }
  return count
}

/**
 * How many of some go at once after the engine broke: what is too much for all may be right for each.
 *
 * @param {import('../query-server').Program} program learns that it is slow
 * @param {number} length
 * @param {string | undefined} broken
 */
function smallerLength (program, length, broken) {
  if (broken === 'time') program.most = FEW
  return broken === 'time' ? 1 : Math.ceil(length / 2)
}

/** @param {string[]} texts */
function arrayText (texts) { return `[${texts.join(',')}]` }

module.exports = { arrayText, partLength, smallerLength }
