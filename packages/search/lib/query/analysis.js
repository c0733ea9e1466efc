'use strict'

/** @typedef {import('../..').QueryNode} QueryNode */
/** @typedef {import('../..').Token} Token */

/**
 * The node of a word's terms: several are each looked for.
 *
 * @param {string} field
 * @param {Token[]} tokens
 * @param {'must' | 'should'} [occur]
 * @returns {QueryNode | null} null where analysis leaves nothing
 */
function wordNode (field, tokens, occur = 'should') {
  if (tokens.length === 0) return null
  if (tokens.length === 1) return { type: 'term', field, term: tokens[0].term }
  return { type: 'boolean', clauses: tokens.map(({ term }) => ({ occur, node: { type: 'term', field, term } })) }
}

/**
 * @param {string} field
 * @param {Token[]} tokens of a text in quotes
 * @param {number} slop
 * @returns {QueryNode | null} null where analysis leaves nothing
 */
function phraseNode (field, tokens, slop) {
  if (tokens.length < 2) return wordNode(field, tokens)
  const first = tokens[0].position
  return { type: 'phrase', field, terms: tokens.map(({ term, position }) => ({ term, position: position - first })), slop }
}

module.exports = { phraseNode, wordNode }
