'use strict'

const { isPosition } = require('../selector/path')
const { typeOf } = require('../selector/type-of')
const { isTextSearch } = require('../plan/planner')
const { DEEPEST, ELEMENT, pathName } = require('./document-values')
const { DEFAULT, NAMES, PIECE, fieldName, typeName } = require('./fields')
const { kinds } = require('./kinds')

/**
 * A selector as a query of a text index. It finds all that matches, and perhaps more: each document is looked at after that.
 * `$text` is the query's own, and `$lt` and its like with a number or a string find values of that type. Strings that ICU takes for equal are found where they are canonically equivalent: those that
 * differ by characters that it ignores are not.
 *
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('../selector/normalize-selector').Condition} Condition
 * @typedef {any} QueryNode
 * @typedef {Pick<import('./candidate').TextParts, 'analyze' | 'fields' | 'hasDefault' | 'kind' | 'paths'>} Parts
 * @typedef {{ index: Parts, fields: Set<string> }} Asked fields: gathers those whose values the index has to have
 */

/** Says nothing. @type {QueryNode} */
const ALL = Object.freeze({ type: 'all' })

/** Types of values in the order of selectors. */
const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object']

/**
 * @param {Node} node
 * @param {Parts} index
 * @returns {QueryNode | null} null: the index need not have all that matches
 * @throws bad_request of a query in `$text` that cannot be read
 */
function textQuery (node, index) {
  const asked = { index, fields: new Set() }
  const query = convert(node, [], asked)
  // One of all fields serves `$text` without a default field, too, and finds nothing, as in CouchDB.
  if (![...asked.fields].every(name => isIn(name, index) || (name === DEFAULT && index.hasDefault))) return null
  // An index of some fields does not have all documents.
  return query !== ALL || index.fields === null || isTextSearch(node) ? query : null
}

/** Whether an index has the values of a field. @param {string} field @param {Pick<Parts, 'fields'>} index */
function isIn (field, { fields }) { return fields === null || fields.has(field) }

/** Names the fields whose values a text index has to have for a selector. @param {Node} node @returns {string[]} */
function textFields (node) {
  const fields = new Set()
  convert(withoutText(node), [], { index: { analyze: () => [], kind: kinds.text, fields: null, paths: null, hasDefault: true }, fields })
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
  // A number in a path may be a place in a list, and is indexed as one in any case.
  if (node.op === 'field') return convert(node.part, [...path, ...node.path.map(name => isPosition(name) ? ELEMENT : name)], asked)
  if (node.op === '$default') return convertText(node, asked)
  if (node.op === '$not') return looked(exists(path, asked), [node.part], path, asked)
  if (node.op === '$elemMatch') return convertElement(node.part, path, asked)
  if (node.op === '$allMatch') return looked(typed(path, 'array', asked), [node.part], [...path, ELEMENT], asked)
  if (node.op === '$keyMapMatch') return typed(path, 'object', asked)
  const { op, argument } = /** @type {Condition} */ (node)
  return operators[op](path, argument, asked)
}

/**
 * A query for conditions that only a look at each document can tell. Their fields have to be in the index all the same, as in CouchDB.
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

/** @param {Node} part @param {string[]} path @param {Asked} asked */
function convertElement (part, path, asked) {
  const query = convert(part, [...path, ELEMENT], asked)
  return query === ALL ? typed(path, 'array', asked) : query
}

/** @param {Condition} node @param {Asked} asked */
function convertText ({ argument: { $text } }, { index: { analyze, kind }, fields }) {
  fields.add(DEFAULT)
  return kind.parse(String($text), analyze)
}

/** Whether the index tells what types of values each document has at a path. @param {string[]} path @param {Asked} asked */
function tells (path, { index: { paths } }) {
  // Only a find with `conflicts` sees those.
  return path.length <= DEEPEST && path[0] !== '_conflicts' && (paths === null || paths.has(pathName(path)))
}

/** Whether a value of a type is there. @param {string[]} path @param {string} type @param {Asked} asked @returns {QueryNode} */
function typed (path, type, asked) { return tells(path, asked) ? { type: 'term', field: NAMES, term: typeName(path, type) } : ALL }

/** Whether a value is there. @param {string[]} path @param {Asked} asked @returns {QueryNode} */
function exists (path, asked) {
  return tells(path, asked) ? anyOf([`${pathName(path)}:`, typeName(path, 'array')].map(prefix => ({ type: 'prefix', field: NAMES, prefix }))) : ALL
}

/**
 * Whether a value of a type is there that a query of its field finds. The field has to be in the index, as in CouchDB.
 *
 * @param {string[]} path
 * @param {string} type
 * @param {Asked} asked
 * @param {(field: string) => QueryNode} make
 */
function valued (path, type, asked, make) {
  const field = fieldName(path, type)
  asked.fields.add(field)
  return tells(path, asked) && isIn(field, asked.index) ? make(field) : typed(path, type, asked)
}

/** @param {string[]} path @param {any} value @param {Asked} asked @returns {QueryNode} */
function equals (path, value, asked) {
  const type = typeOf(value)
  if (type === 'array') return sameList(path, value, asked)
  if (type === 'number') return valued(path, type, asked, field => ({ type, field, value }))
  if (type === 'boolean') return valued(path, type, asked, field => ({ type: 'term', field, term: String(value) }))
  return type === 'string' ? sameText(path, value, asked) : typed(path, type, asked)
}

/** Documents have the words of long texts piece by piece. @param {string[]} path @param {string} value @param {Asked} asked @returns {QueryNode} */
function sameText (path, value, asked) {
  return valued(path, 'string', asked, field => {
    if (value.length > PIECE) return typed(path, 'string', asked)
    const forms = new Set([value, value.normalize(), value.normalize('NFD')])
    return anyOf(Array.from(forms, form => {
      const terms = asked.index.analyze(form, field)
      return terms.length === 0 ? typed(path, 'string', asked) : allOf(terms.map(({ term }) => ({ type: 'term', field, term })))
    }))
  })
}

/** @param {string[]} path @param {any[]} list @param {Asked} asked */
function sameList (path, list, asked) {
  return allOf([typed(path, 'array', asked), ...list.map(value => equals([...path, ELEMENT], value, asked))])
}

/** @param {'low' | 'high'} side @param {boolean} includes @returns {(path: string[], value: any, asked: Asked) => QueryNode} */
function bound (side, includes) {
  return (path, value, asked) => {
    const type = typeOf(value)
    const at = TYPES.indexOf(type)
    const others = side === 'low' ? TYPES.slice(at + 1) : TYPES.slice(0, at)
    // An id is beyond all that is no text.
    if (path.at(-1) === '_id') return exists(path, asked)
    // As in CouchDB, others are no greater and no less by their type.
    if (type === 'number' || type === 'string') return valued(path, type, asked, field => within(path, field, { [side]: value }, includes, asked))
    return anyOf([type, ...others].map(each => typed(path, each, asked)))
  }
}

/** @param {string[]} path @param {string} field @param {{ low?: any, high?: any }} bounds @param {boolean} includes @param {Asked} asked */
function within (path, field, { low = null, high = null }, includes, asked) {
  // Strings are in another order here than in selectors.
  if (typeof (low ?? high) === 'string') return typed(path, 'string', asked)
  return { type: 'range', field, low, high, includeLow: low === null || includes, includeHigh: high === null || includes }
}

/** @param {string[]} path @param {any[]} list @param {Asked} asked */
function among (path, list, asked) {
  if (list.length === 0) return { type: 'none' }
  const element = [...path, ELEMENT]
  // Fields of elements need not be in the index if it tells of lists.
  const loose = { ...asked, fields: new Set() }
  const inList = (/** @type {any} */ value) => tells(element, asked) ? equals(element, value, loose) : typed(path, 'array', asked)
  return anyOf(list.flatMap(value => [equals(path, value, asked), inList(value)]))
}

/** The opposite of a condition, see `looked`. @param {(path: string[], argument: any, asked: Asked) => QueryNode} condition */
function unlike (condition) {
  return (/** @type {string[]} */ path, /** @type {any} */ argument, /** @type {Asked} */ asked) => {
    condition(path, argument, asked)
    return exists(path, asked)
  }
}

/** @param {string[]} path @param {any} _ @param {Asked} asked @returns {QueryNode} */
function text (path, _, asked) { return valued(path, 'string', asked, () => typed(path, 'string', asked)) }

/** @type {Record<string, (path: string[], argument: any, asked: Asked) => QueryNode>} */
const operators = {
  $eq: equals,
  $ne: unlike(equals),
  $nin: unlike(among),
  $lt: bound('high', false),
  $lte: bound('high', true),
  $gt: bound('low', false),
  $gte: bound('low', true),
  $in: among,
  $all: (path, list, asked) => list.length === 1 && Array.isArray(list[0]) ? typed(path, 'array', asked) : sameList(path, list, asked),
  $exists: (path, wanted, asked) => wanted ? exists(path, asked) : ALL,
  $type: typed,
  $mod: (path, _, asked) => typed(path, 'number', asked),
  $size: (path, _, asked) => typed(path, 'array', asked),
  $regex: text,
  $beginsWith: text
}

module.exports = { isIn, textFields, textQuery }
