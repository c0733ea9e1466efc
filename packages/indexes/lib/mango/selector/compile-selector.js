'use strict'

const { couchCollation } = require('@potoroo/collation')
const { normalizeSelector, isObject } = require('./normalize-selector')
const { compareIds, compileOperator } = require('./operators')
const { isAbsent, readPath } = require('./path')

/**
 * @typedef {import('./operators').Matcher} Matcher
 * @typedef {import('./operators').Compare} Compare
 * @typedef {import('./normalize-selector').Node} Node
 */

/**
 * Compiles a Mango selector. As in CouchDB, a field that a document does not have matches
 * nothing but `$exists: false`, under a negation too: `$not` moves inwards to the operators.
 *
 * @param {any} selector
 * @returns {Matcher} takes the document
 * @throws as `normalizeSelector`
 * @see https://docs.couchdb.org/en/stable/api/database/find.html#selector-syntax
 */
function compileSelector (selector) { return compileNode(normalizeSelector(selector)) }

/**
 * @param {Node} node
 * @param {Compare} [compare]
 * @returns {Matcher}
 */
function compileNode (node, compare = couchCollation.compare) {
  if (Object.hasOwn(compilers, node.op)) return /** @type {(node: Node, compare: Compare) => Matcher} */ (compilers[node.op])(node, compare)
  const { op, argument } = /** @type {import('./normalize-selector').Condition} */ (node)
  return compileOperator(op, argument, compare)
}

/** @type {{ [Op in Node['op']]?: (node: Node & { op: Op }, compare: Compare) => Matcher }} */
const compilers = {
  any: () => () => true,
  $default: () => () => true,
  field: compileField,
  $and: ({ parts }, compare) => all(parts.map(part => compileNode(part, compare))),
  // No condition refuses nothing.
  $or: ({ parts }, compare) => parts.length === 0 ? () => true : any(parts.map(part => compileNode(part, compare))),
  $nor: ({ parts }, compare) => not(any(parts.map(part => compileNode(part, compare)))),
  $not: ({ part }, compare) => not(compileNode(part, compare)),
  $elemMatch ({ part }, compare) {
    const matches = compileNode(part, compare)
    return value => Array.isArray(value) && hasOne(value, matches)
  },
  $allMatch ({ part }, compare) {
    const refuses = not(compileNode(part, compare))
    return value => Array.isArray(value) && value.length > 0 && !hasOne(value, refuses)
  },
  $keyMapMatch ({ part }, compare) {
    const matches = compileNode(part, compare)
    return value => isObject(value) && hasOne(Object.keys(value), matches)
  }
}

/** @param {import('./normalize-selector').FieldNode} node @param {Compare} compare @returns {Matcher} */
function compileField ({ path, part }, compare) {
  if (path.length === 0) return compileNode(part, compare)
  if (part.op === '$exists' && part.argument === false) return value => isAbsent(value, path)
  const [name] = path
  const matches = compileNode(part, path.length === 1 && name === '_id' ? compareIds : compare)
  if (path.length > 1 || isInherited(name) || /^[+-]?\d/.test(name)) {
    return value => {
      const found = readPath(value, path)
      return found !== undefined && matches(found)
    }
  }
  return value => {
    // Nothing in JSON inherits such a member.
    const found = value?.[name]
    return found !== undefined && matches(found)
  }
}

/** @param {string} name */
function isInherited (name) { return [Object, Array, String, Number, Boolean].some(({ prototype }) => name in prototype) }

/** @param {Matcher[]} matchers @returns {Matcher} */
function all (matchers) {
  if (matchers.length === 1) return matchers[0]
  if (matchers.length === 2) {
    const [first, second] = matchers
    return value => first(value) && second(value)
  }
  return value => {
    for (let i = 0; i < matchers.length; i++) if (!matchers[i](value)) return false
    return true
  }
}

/** @param {Matcher[]} matchers @returns {Matcher} */
function any (matchers) {
  if (matchers.length === 1) return matchers[0]
  return value => hasMatch(matchers, value)
}

/** @param {Matcher[]} matchers @param {any} value */
function hasMatch (matchers, value) {
  for (let i = 0; i < matchers.length; i++) if (matchers[i](value)) return true
  return false
}

/** @param {any[]} values @param {Matcher} matches */
function hasOne (values, matches) {
  for (let i = 0; i < values.length; i++) if (matches(values[i])) return true
  return false
}

/** @param {Matcher} matches @returns {Matcher} */
function not (matches) { return value => !matches(value) }

module.exports = { compileSelector, compileNode }
