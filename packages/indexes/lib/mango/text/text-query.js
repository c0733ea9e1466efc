'use strict'

const { ELEMENT, pathName } = require('./document-values')
const { DEFAULT, NAMES, fieldName } = require('./text-fields')
const { kinds } = require('./text-kinds')

/**
 * A selector as a query of a text index. It finds all that matches, and perhaps more: each document is looked at after that.
 * Only `$text` is the query's own.
 *
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('../selector/normalize-selector').Condition} Condition
 * @typedef {any} QueryNode
 * @typedef {Pick<import('./text-candidate').TextParts, 'analyze' | 'kind'>} Parts
 * @typedef {Parts & { fields: Set<string> }} Asked fields: gathers the fields that an index has to have
 */

/** @type {QueryNode} */
const ALL = Object.freeze({ type: 'all' })

/**
 * @param {Node} node
 * @param {Parts} index
 * @returns {{ query: QueryNode, fields: Set<string> }}
 * @throws bad_request of a query in `$text` that cannot be read
 */
function textQuery (node, { analyze, kind }) {
  /** @type {Asked} */
  const asked = { analyze, kind, fields: new Set() }
  return { query: convert(node, [], asked), fields: asked.fields }
}

/** Names the fields that a text index has to have for a selector. @param {Node} node @returns {string[]} */
function textFields (node) {
  const fields = new Set()
  convert(withoutText(node), [], { analyze: () => [], kind: kinds.text, fields })
  return [...fields].map(name => name.replace(/:\w+$/, ''))
}

/** Queries of `$text` are not looked at. @param {Node} node @returns {Node} */
function withoutText (node) {
  if (node.op === '$default') return { op: 'any' }
  return 'parts' in node ? { ...node, parts: node.parts.map(withoutText) } : node
}

/** @param {QueryNode[]} parts */
function allOf (parts) {
  const known = parts.filter(part => part !== ALL)
  if (known.length < 2) return known[0] ?? ALL
  return { type: 'boolean', clauses: known.map(node => ({ occur: 'must', node })) }
}

/** Clauses of a query are that many at most: more are in queries of their own. */
const MOST = 1000

/** None at all says nothing, as in CouchDB. @param {QueryNode[]} parts @returns {QueryNode} */
function anyOf (parts) {
  if (parts.length === 0 || parts.includes(ALL)) return ALL
  if (parts.length > MOST) return anyOf(Array.from({ length: Math.ceil(parts.length / MOST) }, (_, i) => anyOf(parts.slice(i * MOST, (i + 1) * MOST))))
  return parts.length === 1 ? parts[0] : { type: 'boolean', clauses: parts.map(node => ({ occur: 'should', node })) }
}

/** @param {Node} node @param {string[]} path @param {Asked} asked @returns {QueryNode} */
function convert (node, path, asked) {
  if (node.op === 'any') return ALL
  if (node.op === '$nor') return looked(ALL, node.parts, path, asked)
  if (node.op === '$and') return allOf(node.parts.map(part => convert(part, path, asked)))
  if (node.op === '$or') return anyOf(node.parts.map(part => convert(part, path, asked)))
  if (node.op === 'field') return convertField(node, path, asked)
  if (node.op === '$default') return convertText(node, asked)
  if (node.op === '$not') return looked(exists(path), [node.part], path, asked)
  if (node.op === '$elemMatch') return convert(node.part, [...path, ELEMENT], asked)
  if (node.op === '$allMatch') return looked(exists(path), [node.part], [...path, ELEMENT], asked)
  if (!('argument' in node)) return exists(path)
  return (operators[node.op] ?? exists)(path, node.argument, asked)
}

/**
 * A query for conditions that only a look at each document can tell. Their fields have to be in the index all the same: one without them has none
 * of the documents.
 *
 * @param {QueryNode} query that finds all that may match
 * @param {Node[]} parts
 * @param {string[]} path
 * @param {Asked} asked
 */
function looked (query, parts, path, asked) {
  for (const part of parts) convert(part, path, asked)
  return query
}

/** A number in a path may be a place in a list. @param {Extract<Node, { op: 'field' }>} node @param {string[]} path @param {Asked} asked */
function convertField ({ path: more, part }, path, asked) {
  const own = [...path, ...more]
  const inLists = own.map(step => /^\d+$/.test(step) ? ELEMENT : step)
  if (own.every((step, i) => step === inLists[i])) return convert(part, own, asked)
  return anyOf([convert(part, own, { ...asked, fields: new Set() }), convert(part, inLists, { ...asked, fields: new Set() })])
}

/** @param {Condition} node @param {Asked} asked */
function convertText ({ argument: { $text } }, { analyze, kind, fields }) {
  fields.add(DEFAULT)
  return kind.parse(String($text), analyze)
}

/** Whether a field is there, of any type, or what is in it. @param {string[]} path @returns {QueryNode} */
function exists (path) {
  const name = pathName(path)
  return anyOf([{ type: 'prefix', field: NAMES, prefix: `${name}:` }, { type: 'prefix', field: NAMES, prefix: `${name}.` }])
}

/** @param {string[]} path @param {string} type @returns {QueryNode} */
function existsAs (path, type) { return { type: 'term', field: NAMES, term: fieldName(path, type) } }

/** @param {string[]} path @param {any} value @param {Asked} asked @returns {QueryNode} */
function equals (path, value, asked) {
  if (value === null || typeof value === 'object') return Array.isArray(value) ? sameList(path, value, asked) : exists(path)
  const field = fieldName(path, typeof value)
  asked.fields.add(field)
  if (typeof value === 'number') return { type: 'number', field, value }
  if (typeof value === 'boolean') return { type: 'term', field, term: String(value) }
  return allOf(asked.analyze(value, field).map(({ term }) => ({ type: 'term', field, term })))
}

/** @param {string[]} path @param {any[]} list @param {Asked} asked */
function sameList (path, list, asked) {
  return allOf([exists(path), ...list.map(value => equals([...path, ELEMENT], value, asked))])
}

/** @param {'low' | 'high'} side @param {boolean} includes @returns {(path: string[], value: any, asked: Asked) => QueryNode} */
function bound (side, includes) {
  return (path, value, asked) => {
    if (typeof value !== 'number' && typeof value !== 'string') return exists(path)
    const field = fieldName(path, typeof value)
    asked.fields.add(field)
    // Strings are in another order here than in selectors.
    if (typeof value === 'string') return existsAs(path, 'string')
    return { type: 'range', field, low: null, high: null, [side]: value, includeLow: side === 'high' || includes, includeHigh: side === 'low' || includes }
  }
}

/** @param {string[]} path @param {any[]} list @param {Asked} asked */
function isIn (path, list, asked) {
  // An element of a list is found as the field of the list is: only that has to be in the index.
  const loose = { ...asked, fields: new Set() }
  return list.length === 0 ? { type: 'none' } : anyOf(list.flatMap(value => [equals(path, value, asked), equals([...path, ELEMENT], value, loose)]))
}

/** The opposite of a condition, see `looked`. @param {(path: string[], argument: any, asked: Asked) => QueryNode} condition */
function unlike (condition) {
  return (/** @type {string[]} */ path, /** @type {any} */ argument, /** @type {Asked} */ asked) => {
    condition(path, argument, asked)
    return exists(path)
  }
}

/** @type {Record<string, (path: string[], argument: any, asked: Asked) => QueryNode>} */
const operators = {
  $eq: equals,
  $ne: unlike(equals),
  $nin: unlike(isIn),
  $lt: bound('high', false),
  $lte: bound('high', true),
  $gt: bound('low', false),
  $gte: bound('low', true),
  $in: isIn,
  $all: (path, list, asked) => list.length === 1 && Array.isArray(list[0]) ? exists(path) : allOf(list.map((/** @type {any} */ value) => equals([...path, ELEMENT], value, asked))),
  $exists: (path, wanted) => wanted ? exists(path) : ALL,
  $type: exists,
  $mod: path => existsAs(path, 'number'),
  $size: path => exists(path),
  $regex (path, pattern, asked) {
    asked.fields.add(fieldName(path, 'string'))
    return existsAs(path, 'string')
  },
  $beginsWith (path, prefix, asked) {
    asked.fields.add(fieldName(path, 'string'))
    return existsAs(path, 'string')
  }
}

module.exports = { textFields, textQuery }
