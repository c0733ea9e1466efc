'use strict'

const { isObject } = require('@potoroo/document-store')
const { formatTerm } = require('@potoroo/errors')
const { badArgument, mangoError } = require('./mango-error')
const { isValid } = require('./operators')
const { escapePath, parsePath } = require('./path')
const { LONGEST_TOGETHER } = require('./regex/expression')

/**
 * A selector as CouchDB normalises it: members of one object are an `$and`, fields stand directly over
 * the operators on them, and negations over what cannot be turned round.
 *
 * @typedef {{ op: 'any' }} AnyNode
 * @typedef {{ op: '$and' | '$or' | '$nor', parts: Node[] }} Combination
 * @typedef {{ op: 'field', path: string[], part: Node }} FieldNode the path may be empty: what the selector is of itself
 * @typedef {{ op: '$not' | '$elemMatch' | '$allMatch' | '$keyMapMatch', part: Node }} Wrapper
 * @typedef {'$eq' | '$ne' | '$lt' | '$lte' | '$gt' | '$gte' | '$in' | '$nin' | '$all' | '$exists' | '$type' | '$mod' | '$size' | '$regex' |
 *   '$beginsWith' | '$default'} Operator
 * @typedef {{ op: Operator, argument: any }} Condition
 * @typedef {AnyNode | Combination | FieldNode | Wrapper | Condition} Node
 *
 * @typedef {object} Place
 * @property {string[]} path
 * @property {boolean} negated
 * @property {boolean} pushes whether negations move inwards: not within `$elemMatch` and its kin
 * @property {number} depth
 * @property {{ left: number, characters: number }} conditions that the whole selector may still have, and characters of its expressions
 */

/** How deep selectors may nest, and JSON within them: more would end the stack. */
const DEEPEST = 200
const DEEPEST_JSON = 1000

/** Values in a request, those in lists too: each is encoded and sorted before anything is read. */
const MOST_VALUES = 50_000

/** Conditions of a selector: each is looked at several times before anything is read, and nothing else runs meanwhile. */
const MOST = 10000

/** @type {Record<string, Operator>} */
const OPPOSITES = { $lt: '$gte', $lte: '$gt', $eq: '$ne', $ne: '$eq', $gte: '$lt', $gt: '$lte', $in: '$nin', $nin: '$in' }
const UNSUPPORTED = new Set(['$where', '$geoWithin', '$geoIntersects', '$near', '$nearSphere'])

/**
 * @param {any} selector
 * @returns {Node}
 * @throws invalid_selector_json, invalid_selector, invalid_operator, not_supported, bad_arg, bad_field,
 *   invalid_field_name: each with status 400; bad_arg also for more than 10,000 conditions, and for long expressions
 */
function normalizeSelector (selector) {
  assertShallow(selector)
  if (!isObject(selector)) throw mangoError('invalid_selector_json', `Selector must be a JSON object, not: ${formatTerm(selector)}`)
  if (Object.keys(selector).length === 0) return { op: 'any' }
  const node = normalize(selector, { path: [], negated: false, pushes: true, depth: 0, conditions: { left: MOST, characters: LONGEST_TOGETHER } })
  if (node.op === 'field' && node.path.length === 0) throw mangoError('invalid_selector', 'One or more conditions is missing a field name.')
  return node
}

/** @param {any} selector @param {Place} place @returns {Node} */
function normalize (selector, place) {
  if (place.depth > DEEPEST) throw tooDeep()
  const names = isObject(selector) ? Object.keys(selector) : []
  if (names.length === 0) return operation('$eq', selector, place)
  if (names.length === 1) return member(names[0], selector[names[0]], place)
  const parts = names.map(name => member(name, selector[name], deeper(place)))
  return { op: place.negated ? '$or' : '$and', parts }
}

/** @param {Place} place @returns {Place} */
function deeper (place) { return { ...place, depth: place.depth + 1 } }

/** @param {string} name @param {any} argument @param {Place} place @returns {Node} */
function member (name, argument, place) {
  if (Object.hasOwn(combinations, name)) {
    count(place)
    return combinations[name](name, argument, deeper(place))
  }
  if (name.startsWith('$')) return operation(name, argument, place)
  return normalize(argument, { ...deeper(place), path: [...place.path, ...parsePath(name)] })
}

/** @type {Record<string, (name: string, argument: any, place: Place) => Node>} */
const combinations = {
  $and: (name, list, place) => ({ op: place.negated ? '$or' : '$and', parts: each(name, list, place) }),
  $or: (name, list, place) => ({ op: place.negated ? '$and' : '$or', parts: each(name, list, place) }),
  $nor (name, list, place) {
    if (!place.pushes) return { op: '$nor', parts: each(name, list, place) }
    return { op: place.negated ? '$or' : '$and', parts: each(name, list, { ...place, negated: !place.negated }) }
  },
  $not (name, argument, place) {
    if (!isObject(argument)) throw badArgument(name, argument)
    return place.pushes ? normalize(argument, { ...place, negated: !place.negated }) : { op: '$not', part: normalize(argument, place) }
  },
  $elemMatch: ofMembers,
  $allMatch: ofMembers,
  $keyMapMatch: ofMembers
}

/** @param {string} name @param {any} list @param {Place} place @returns {Node[]} */
function each (name, list, place) {
  if (!Array.isArray(list)) throw badArgument(name, list)
  return list.map(item => normalize(item, place))
}

/**
 * @param {string} name of an operator that wraps another condition
 * @param {any} argument
 * @param {Place} place
 * @returns {Node}
 */
function ofMembers (name, argument, place) {
  if (!isObject(argument)) throw badArgument(name, argument)
  const part = normalize(argument, { ...place, path: [], negated: false, pushes: false })
  return atField({ op: /** @type {Wrapper['op']} */ (name), part }, place)
}

/** @param {string} name @param {any} argument @param {Place} place @returns {Node} */
function operation (name, argument, place) {
  count(place)
  if (name === '$text') return textSearch(argument, place)
  if (name === '$default' && isObject(argument)) return textSearch(argument.$text, place)
  if (UNSUPPORTED.has(name)) throw mangoError('not_supported', `Unsupported operator: ${name}`)
  if (name === '$regex') countCharacters(argument, place)
  if (!isValid(name, argument)) throw mangoError('invalid_operator', `Invalid operator: ${name}`)
  const op = /** @type {Operator} */ (name)
  if (!place.negated) return atField({ op, argument }, place)
  if (Object.hasOwn(OPPOSITES, op)) return atField({ op: OPPOSITES[op], argument }, { ...place, negated: false })
  return atField(op === '$exists' ? { op, argument: !argument } : { op, argument }, { ...place, negated: op !== '$exists' })
}

/** @param {Pick<Place, 'conditions'>} place */
function count ({ conditions }) {
  if (--conditions.left < 0) throw mangoError('bad_arg', `Selector has more than ${MOST} conditions`)
}

/** @param {any} pattern @param {Pick<Place, 'conditions'>} place */
function countCharacters (pattern, { conditions }) {
  conditions.characters -= typeof pattern === 'string' ? pattern.length : 0
  if (conditions.characters < 0) throw mangoError('bad_arg', `Expressions in $regex are longer than ${LONGEST_TOGETHER} characters together`)
}

/** @param {Node} part @param {Pick<Place, 'path' | 'negated'>} place @returns {Node} */
function atField (part, { path, negated }) {
  return { op: 'field', path, part: negated ? { op: '$not', part } : part }
}

/**
 * Without an index of text `$text` refuses nothing, as in CouchDB.
 *
 * @param {any} argument
 * @param {Pick<Place, 'path' | 'negated'>} place
 * @returns {Node}
 */
function textSearch (argument, { path, negated }) {
  if (!['string', 'number', 'boolean'].includes(typeof argument)) throw badArgument('$text', argument)
  const search = { $default: { $text: argument } }
  if (path.length > 0) throw mangoError('bad_field', `Invalid field normalization on selector: ${formatTerm(search)}`)
  if (negated) throw badArgument('$not', search)
  return { op: '$default', argument: search.$default }
}

/**
 * JSON of a client, before anything goes through it that ends the stack, or for which others wait.
 *
 * @param {any} value
 * @throws bad_arg
 */
function assertShallow (value, depth = 0, values = { left: MOST_VALUES }) {
  if (--values.left < 0) throw tooLong()
  if (typeof value !== 'object' || value === null) return
  if (depth > DEEPEST_JSON) throw tooDeep()
  if (!Array.isArray(value)) for (const name in value) assertShallow(value[name], depth + 1, values)
  else if (value.length > values.left) throw tooLong()
  else for (let i = 0; i < value.length; i++) assertShallow(value[i], depth + 1, values)
}

function tooLong () { return mangoError('bad_arg', `Selector has more than ${MOST_VALUES} values`) }

function tooDeep () { return mangoError('bad_arg', 'Selector is nested too deeply') }

/**
 * The selector as `_explain` prints it and as it is stored: normalised again it is the same.
 *
 * @param {Node} node
 * @returns {Record<string, any>}
 */
function printSelector (node) {
  if (node.op === 'any') return {}
  if ('parts' in node) return { [node.op]: node.parts.map(printSelector) }
  if (node.op === 'field') return { [escapePath(node.path)]: printSelector(node.part) }
  return { [node.op]: 'part' in node ? printSelector(node.part) : node.argument }
}

module.exports = { assertShallow, normalizeSelector, printSelector, isObject }
