'use strict'

/**
 * The parts of a query. Steps begin with what they are applied `of`.
 *
 * @typedef {{ type: 'literal', value: any, isGiven?: boolean }} Literal isGiven: as a parameter, so that it has no wildcards
 * @typedef {{ type: 'root' } | { type: 'current' }} Reference
 * @typedef {{ type: 'member', of: Node, name: string }} Member
 * @typedef {{ type: 'index', of: Node, by: Node }} Index
 * @typedef {{ type: 'union', of: Node, by: Node[] }} Union
 * @typedef {{ type: 'values', of: Node }} Values
 * @typedef {{ type: 'search', of: Node, name: string }} Search
 * @typedef {{ type: 'filter', of: Node, by: Node, distinct: boolean, deep: boolean }} Filter
 * @typedef {{ type: 'map', of: Node, by: Node, deep: boolean }} Mapping
 * @typedef {{ by: Node, descending: boolean }} SortKey
 * @typedef {{ type: 'sort', of: Node, keys: SortKey[] }} Sort
 * @typedef {{ type: 'slice', of: Node, start: number | null, end: number | null, step: number }} Slice
 * @typedef {Member | Index | Union | Values | Search | Filter | Mapping | Sort | Slice} Step
 *
 * @typedef {{ type: 'binary', op: string, left: Node, right: Node }} Binary
 * @typedef {{ type: 'unary', op: string, of: Node }} Unary
 * @typedef {{ type: 'match', of: Node, pattern: string, folds: boolean }} Match folds: upper and lower case are the same
 * @typedef {{ type: 'object', members: Array<{ name: string, by: Node }> }} ObjectLiteral
 * @typedef {{ type: 'list', items: Node[] }} ListLiteral
 * @typedef {{ type: 'call', name: string, args: Node[] }} Call of a function of `Math`
 * @typedef {Literal | Reference | Step | Binary | Unary | Match | ObjectLiteral | ListLiteral | Call} Node
 */

const STEPS = new Set(['member', 'index', 'union', 'values', 'search', 'filter', 'map', 'sort', 'slice'])

/** @param {Node} node @returns {node is Step} */
function isStep (node) { return STEPS.has(node.type) }

/**
 * Returns the base of a chain of steps, and the steps in their order.
 *
 * @param {Node} node
 * @returns {{ base: Node, steps: Step[] }}
 */
function chainOf (node) {
  /** @type {Step[]} */
  const steps = []
  let base = node
  for (; isStep(base); base = base.of) steps.push(base)
  return { base, steps: steps.reverse() }
}

/** The parts of a node, without what a step is applied to. @param {Node} node @returns {Node[]} */
function partsOf (node) {
  switch (node.type) {
    case 'index': case 'filter': case 'map': return [node.by]
    case 'union': return node.by
    case 'sort': return node.keys.map(({ by }) => by)
    case 'binary': return [node.left, node.right]
    case 'unary': case 'match': return [node.of]
    case 'object': return node.members.map(({ by }) => by)
    case 'list': return node.items
    case 'call': return node.args
    default: return []
  }
}

/** Whether a node speaks of the whole that the query began with. @param {Node} node @returns {boolean} */
function asksForRoot (node) { return node.type === 'root' || partsOf(node).some(asksForRoot) || (isStep(node) && asksForRoot(node.of)) }

/**
 * The same node with other parts, which stand for values.
 *
 * @param {Binary | Unary | Match | ObjectLiteral | ListLiteral | Call} node
 * @param {Node[]} parts as `partsOf` has them
 * @returns {Node}
 */
function withParts (node, parts) {
  switch (node.type) {
    case 'binary': return { ...node, left: parts[0], right: parts[1] }
    case 'unary': case 'match': return { ...node, of: parts[0] }
    case 'object': return { ...node, members: node.members.map(({ name }, i) => ({ name, by: parts[i] })) }
    case 'list': return { ...node, items: parts }
    case 'call': return { ...node, args: parts }
  }
}

module.exports = { asksForRoot, chainOf, isStep, partsOf, withParts }
