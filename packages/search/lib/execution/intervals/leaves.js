'use strict'

/**
 * @typedef {import('../../..').IntervalSource} IntervalSource
 * @typedef {import('../evaluate').Node} Node
 */

/** Functions whose second source takes away. */
const DIFFERENCES = new Set(['notContaining', 'notContainedBy', 'nonOverlapping', 'notWithin'])

/**
 * The node of terms that a source without parts stands for.
 *
 * @param {IntervalSource} source
 * @param {string} field
 * @returns {Node | undefined} undefined: it has parts, or no terms
 */
function leafOf (source, field) {
  switch (source.fn) {
    case 'term': return { type: 'term', field, term: source.text }
    case 'wildcard': return { type: 'wildcard', field, pattern: source.text }
    case 'fuzzyTerm': return { type: 'fuzzy', field, term: source.text, edits: source.edits, prefixLength: 0, anySimilarity: true }
  }
}

/** The nodes of all terms that intervals are made of. @param {IntervalSource} source @param {string} field @returns {Node[]} */
function leavesOf (source, field) {
  if ('sources' in source) return (DIFFERENCES.has(source.fn) ? source.sources.slice(0, 1) : source.sources).flatMap(each => leavesOf(each, field))
  const leaf = leafOf(source, field)
  return leaf === undefined ? [] : [leaf]
}

module.exports = { DIFFERENCES, leafOf, leavesOf }
