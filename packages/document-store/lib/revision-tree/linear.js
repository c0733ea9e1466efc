'use strict'

/**
 * Shortcuts for the encoded form of a history without branches, which nearly all documents
 * have: an edit needs no tree in memory. See encode.js for the text.
 */

/** Whether a tree's text has one path only. */
function isLinear (text) {
  return !text.includes('|')
}

/** How many revisions a linear text holds. */
function lengthOf (text) {
  return 1 + countOf(text, ',') + countOf(text, '!')
}

/** Native searches: histories of a thousand revisions are 33,000 characters. */
function countOf (text, mark) {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++
  return count
}

/**
 * Puts a revision in front of a linear text and stems it.
 *
 * @param {string} text
 * @param {boolean} deleted whether the text's newest is
 * @param {number} generation of the new one
 * @param {string} hash of the new one, encoded
 * @param {number} limit revisions to keep
 * @returns {{ text: string, cut: string[] }} the revisions cut off, encoded
 */
function extendLinear (text, deleted, generation, hash, limit) {
  const extended = `${generation}-${hash}${deleted ? '!' : ','}${text.slice(text.indexOf('-') + 1)}`
  return generation > limit ? stemLinear(extended, generation, limit) : { text: extended, cut: [] }
}

/**
 * @param {string} text
 * @param {number} generation of its newest
 * @param {number} limit
 */
function stemLinear (text, generation, limit) {
  const cut = []
  let end = text.length
  for (let count = lengthOf(text); count > limit; count--) {
    const mark = Math.max(text.lastIndexOf(',', end - 1), text.lastIndexOf('!', end - 1))
    cut.push(`${generation - count + 1}-${text.slice(mark + 1, end)}`)
    end = mark
  }
  return { text: text.slice(0, end), cut }
}

/** A path that arrives as a whole, as linear text. */
function pathText (start, hashes) {
  return `${start}-${hashes.join(',')}`
}

module.exports = { isLinear, lengthOf, extendLinear, stemLinear, pathText }
