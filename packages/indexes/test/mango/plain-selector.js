'use strict'

/**
 * Mango's selectors, as slow and plain as can be: no normal form, no closures, no encoded keys. For
 * tests to compare with.
 *
 * @param {any} selector
 * @param {any} doc
 * @returns {boolean}
 */
function plainMatch (selector, doc) {
  return Object.keys(selector).length === 0 || holds(selector, [], false, doc)
}

/** Whether what a selector says of the field at `path` holds, or its contrary. */
function holds (selector, path, negated, doc) {
  if (!isObject(selector) || Object.keys(selector).length === 0) return condition('$eq', selector, path, negated, doc)
  const parts = Object.entries(selector).map(([name, argument]) => member(name, argument, path, negated, doc))
  return negated ? parts.some(Boolean) : parts.every(Boolean)
}

function member (name, argument, path, negated, doc) {
  const each = flip => argument.map(part => holds(part, path, flip ? !negated : negated, doc))
  if (name === '$not') return holds(argument, path, !negated, doc)
  if (name === '$and') return negated ? argument.length === 0 || each(false).some(Boolean) : each(false).every(Boolean)
  if (name === '$or') return negated ? each(false).every(Boolean) : argument.length === 0 || each(false).some(Boolean)
  if (name === '$nor') return negated ? argument.length === 0 || each(true).some(Boolean) : each(true).every(Boolean)
  if (name.startsWith('$')) return condition(name, argument, path, negated, doc)
  return holds(argument, [...path, ...split(name)], negated, doc)
}

/** Fields of the tests have no dots in their names. */
function split (field) { return field.split('.').map(name => name.replace('\\', '')) }

function condition (operator, argument, path, negated, doc) {
  const found = look(doc, path)
  if (operator === '$exists') return argument === negated ? found.absent : found.there
  if (!found.there) return false
  const order = path.length === 1 && path[0] === '_id' ? orderOfIds : collate
  return satisfies(operator, argument, found.value, order) !== negated
}

function look (value, path) {
  for (const name of path) {
    if (Array.isArray(value)) {
      if (!/^\d+$/.test(name) || Number(name) >= value.length) return { there: false, absent: false }
    } else if (!isObject(value)) return { there: false, absent: false }
    else if (!(Object.keys(value).includes(name))) return { there: false, absent: true }
    value = value[name]
  }
  return { there: true, absent: false, value }
}

function satisfies (operator, argument, value, order) {
  const list = Array.isArray(value) ? value : [value]
  switch (operator) {
    case '$eq': return order(value, argument) === 0
    case '$ne': return order(value, argument) !== 0
    case '$lt': return order(value, argument) < 0
    case '$lte': return order(value, argument) <= 0
    case '$gt': return order(value, argument) > 0
    case '$gte': return order(value, argument) >= 0
    case '$in': return argument.some(item => list.some(element => order(element, item) === 0))
    case '$nin': return !argument.some(item => list.some(element => order(element, item) === 0))
    case '$type': return typeName(value) === argument
    case '$size': return Array.isArray(value) && value.length === argument
    case '$mod': return Number.isInteger(value) && value % argument[0] === argument[1]
    case '$regex': return typeof value === 'string' && new RegExp(argument).test(value)
    case '$beginsWith': return typeof value === 'string' && begins(graphemes(value), graphemes(argument))
    case '$all': return Array.isArray(value) && argument.length > 0 && hasAll(value, argument)
    case '$elemMatch': return Array.isArray(value) && value.some(element => inner(argument, element))
    case '$allMatch': return Array.isArray(value) && value.length > 0 && value.every(element => inner(argument, element))
    case '$keyMapMatch': return isObject(value) && Object.keys(value).some(key => inner(argument, key))
    default: throw new Error(`No operator ${operator}`)
  }
}

/** As Erlang's `string:prefix` sees them: 'e' does not begin a decomposed 'é'. */
function graphemes (text) { return Array.from(segmenter.segment(text), ({ segment }) => segment) }

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

function begins (list, start) { return start.every((item, i) => list[i] === item) }

function hasAll (value, wanted) {
  const text = JSON.stringify
  return wanted.every(item => value.some(element => text(element) === text(item))) ||
    (wanted.length === 1 && Array.isArray(wanted[0]) && text(wanted[0]) === text(value))
}

/** Within elements negations do not move inwards: what an element lacks does not match, and so its contrary does. */
function inner (selector, element, path = []) {
  if (!isObject(selector) || Object.keys(selector).length === 0) return innerCondition('$eq', selector, element, path)
  return Object.entries(selector).every(([name, argument]) => {
    if (name === '$not') return !inner(argument, element, path)
    if (name === '$and') return argument.every(part => inner(part, element, path))
    if (name === '$or') return argument.length === 0 || argument.some(part => inner(part, element, path))
    if (name === '$nor') return !argument.some(part => inner(part, element, path))
    return name.startsWith('$') ? innerCondition(name, argument, element, path) : inner(argument, element, [...path, ...split(name)])
  })
}

function innerCondition (operator, argument, element, path) {
  const found = look(element, path)
  if (operator === '$exists') return argument ? found.there : found.absent
  const order = path.length === 1 && path[0] === '_id' ? orderOfIds : collate
  return found.there && satisfies(operator, argument, found.value, order)
}

function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

function typeName (value) { return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value }

const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object']
const collator = new Intl.Collator('en')

/** CouchDB's order of values. */
function collate (a, b) {
  const types = TYPES.indexOf(typeName(a)) - TYPES.indexOf(typeName(b))
  if (types !== 0) return types
  if (typeof a === 'string') return collator.compare(a, b)
  if (typeof a !== 'object' || a === null) return Number(a) - Number(b)
  const [first, second] = [a, b].map(value => Array.isArray(value) ? value : Object.entries(value).flat())
  for (let i = 0; i < first.length && i < second.length; i++) {
    const order = collate(first[i], second[i])
    if (order !== 0) return order
  }
  return first.length - second.length
}

function orderOfIds (id, other) {
  return typeof other === 'string' ? Buffer.compare(Buffer.from(id), Buffer.from(other)) : 1
}

module.exports = { collate, look, plainMatch }
