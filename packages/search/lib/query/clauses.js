'use strict'

/** @typedef {import('../..').QueryNode} QueryNode */
/** @typedef {{ occur: 'must' | 'should' | 'must_not', node: QueryNode }} Clause */
/** @typedef {'and' | 'or' | null} Conjunction */
/** @typedef {'+' | '-' | null} Modifier */

/**
 * Changes what the clause before must do: AND asks for it too, and OR frees it where AND is the default.
 *
 * @param {Clause[]} clauses
 * @param {Conjunction} conjunction
 * @param {boolean} isAnd
 */
function changePrevious (clauses, conjunction, isAnd) {
  const previous = clauses[clauses.length - 1]
  if (previous === undefined || previous.occur === 'must_not') return
  if (conjunction === 'and') previous.occur = 'must'
  if (conjunction === 'or' && isAnd) previous.occur = 'should'
}

/**
 * Adds a clause as Lucene's classic parser does: operators have no precedence, AND makes both neighbours required, and OR
 * changes nothing.
 *
 * @param {Clause[]} clauses
 * @param {QueryNode | null} node null where analysis left nothing
 * @param {{ conjunction: Conjunction, modifier: Modifier, isAnd: boolean }} how `isAnd`: AND is the default
 */
function addClause (clauses, node, { conjunction, modifier, isAnd }) {
  changePrevious(clauses, conjunction, isAnd)
  if (node === null) return
  if (modifier === '-') clauses.push({ occur: 'must_not', node })
  else if (modifier === '+' || conjunction === 'and') clauses.push({ occur: 'must', node })
  else clauses.push({ occur: isAnd && conjunction !== 'or' ? 'must' : 'should', node })
}

/** @param {Clause[]} clauses @returns {QueryNode | null} */
function fromClauses (clauses) {
  if (clauses.length === 0) return null
  const [{ occur, node }] = clauses
  return clauses.length === 1 && occur !== 'must_not' ? node : { type: 'boolean', clauses }
}

module.exports = { addClause, fromClauses }
