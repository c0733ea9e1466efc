'use strict'

const { decodeHash } = require('./revision')

/**
 * Shortcuts for a history without branches, which nearly all documents have: an edit needs no
 * tree in memory. They work on what follows the winner in a tree's text, its ancestors, newest
 * first, each with a mark in front: see encode.js.
 */

/**
 * Whether there is no other path than the winner's.
 *
 * @param {string} rest
 */
function isLinear (rest) {
  return rest === '' || !rest.includes('|')
}

/**
 * How many revisions there are, with the winner.
 *
 * @param {string} rest
 */
function lengthOf (rest) {
  return 1 + countOf(rest, ',') + countOf(rest, '!')
}

/**
 * The hash, encoded, of the winner's parent; there is one.
 *
 * @param {string} rest
 */
function parentOf (rest) {
  const end = rest.slice(1).search(/[,!]/)
  return end === -1 ? rest.slice(1) : rest.slice(1, end + 1)
}

/**
 * The history of the winner.
 *
 * @param {string} winner decoded
 * @param {string} rest
 * @param {number} limit revisions
 * @returns {import('./encode').Path}
 */
function linearPath (winner, rest, limit) {
  const dash = winner.indexOf('-')
  const ids = [winner.slice(dash + 1)]
  if (rest !== '' && limit > 1) for (const hash of rest.slice(1).split(/[,!]/, limit - 1)) ids.push(decodeHash(hash))
  return { start: Number(winner.slice(0, dash)), ids }
}

/**
 * Native searches: histories of a thousand revisions are 33,000 characters.
 *
 * @param {string} text
 * @param {string} mark
 */
function countOf (text, mark) {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++
  return count
}

/**
 * The ancestors of a revision that follows the winner, stemmed.
 *
 * @param {string} winner encoded
 * @param {boolean} deleted whether the winner is
 * @param {string} rest the winner's ancestors
 * @param {number} generation of the revision that follows
 * @param {number} limit revisions to keep
 * @returns {{ rest: string, cut: string[] }} with the revisions cut off, encoded
 */
function extendLinear (winner, deleted, rest, generation, limit) {
  const extended = `${deleted ? '!' : ','}${winner.slice(winner.indexOf('-') + 1)}${rest}`
  return generation > limit ? stemLinear(extended, generation, limit) : { rest: extended, cut: [] }
}

/**
 * @param {string} rest
 * @param {number} generation of the winner
 * @param {number} limit
 */
function stemLinear (rest, generation, limit) {
  const cut = []
  let end = rest.length
  for (let count = lengthOf(rest); count > limit; count--) {
    const mark = lastMark(rest, end)
    cut.push(`${generation - count + 1}-${rest.slice(mark + 1, end)}`)
    end = mark
  }
  return { rest: rest.slice(0, end), cut }
}

/**
 * Looks at no more than one hash: a search for a mark that is nowhere looks at the whole history.
 *
 * @param {string} rest
 * @param {number} end
 */
function lastMark (rest, end) {
  let at = end - 1
  for (let code = rest.charCodeAt(at); code !== 44 && code !== 33; code = rest.charCodeAt(at)) at--
  return at
}

module.exports = { isLinear, linearPath, lengthOf, parentOf, extendLinear, stemLinear }
