'use strict'

const { couchCollation } = require('@potoroo/collation')
const { Turn } = require('@potoroo/document-store')
const { compileNode } = require('./compile-selector')
const { compareIds, compileOperator, includes } = require('./operators')
const { isObject, normalizeSelector } = require('./normalize-selector')
const { readPath } = require('./path')
const { compileRegex } = require('./regex/expression')

/**
 * @typedef {import('./normalize-selector').Node} Node
 * @typedef {import('./normalize-selector').Condition} Condition
 * @typedef {import('./operators').Compare} Compare
 * @typedef {(value: any, turn: AskedTurn) => boolean | Promise<boolean>} PatientMatcher
 * @typedef {(doc: any, length: number, asker?: string) => boolean | Promise<boolean>} Accepts of a document, with the length of its
 *   text; asker: the database that it is for, which waits beside others for what takes long
 */

/** The turns of a document, and who asks for them. */
class AskedTurn extends Turn {
  /** @param {string | undefined} asker */
  constructor (asker) {
    super()
    this.asker = asker
  }
}

/** UTF-16 units of a document, times conditions on each element of its lists: up to this many take a few milliseconds. */
const QUICK = 200_000

/** Elements between two looks at the clock. */
const EVERY = 16

/** Text that is compared with a look at a table. */
const PLAIN = /^[\x20-\x7e]*$/

/**
 * Compiles a selector that is asked of documents of any size: others run in between where the elements of
 * a document's lists, and the conditions on each of them, are many.
 *
 * @param {Node} node
 * @returns {Accepts}
 */
function compileInTurns (node) {
  const matches = compileNode(node)
  const weight = weightOf(node)
  const hasText = hasRegex(node)
  if (weight === 0 && !hasText) return matches
  /** @type {PatientMatcher | undefined} */
  let patient
  return (doc, length, asker) => !hasText && length * weight <= QUICK ? matches(doc) : (patient ??= compile(node, couchCollation.compare))(doc, new AskedTurn(asker))
}

/** @param {Node} node @returns {boolean} */
function hasRegex (node) { return node.op === '$regex' || partsOf(node).some(hasRegex) }

/**
 * How many comparisons an element of a list takes; 0 where lists are not gone through.
 *
 * @param {Node} node
 * @returns {number}
 */
function weightOf (node) {
  switch (node.op) {
    case '$elemMatch': case '$allMatch': case '$keyMapMatch': return conditionsOf(node.part)
    case '$in': case '$nin': return 1 + node.argument.filter(isSlow).length
    case '$all': return node.argument.length
    default: return partsOf(node).reduce((sum, each) => sum + weightOf(each), 0)
  }
}

/** @param {Node} node */
function partsOf (node) { return 'part' in node ? [node.part] : 'parts' in node ? node.parts : [] }

/** @param {any} item */
function isSlow (item) { return typeof item === 'string' ? !PLAIN.test(item) : typeof item === 'object' && item !== null }

/** @param {Node} node @returns {number} */
function conditionsOf (node) {
  const inner = partsOf(node)
  return inner.reduce((sum, each) => sum + conditionsOf(each), Math.max(1, inner.length === 0 ? weightOf(node) : 0))
}

/** @param {Node} node @param {Compare} compare @returns {PatientMatcher} */
function compile (node, compare) {
  const make = (weightOf(node) > 0 || hasRegex(node)) && Object.hasOwn(compilers, node.op) ? compilers[node.op] : compileNode
  return /** @type {(node: Node, compare: Compare) => PatientMatcher} */ (make)(node, compare)
}

/** @type {{ [Op in Node['op']]?: (node: Node & { op: Op }, compare: Compare) => PatientMatcher }} */
const compilers = {
  field ({ path, part }, compare) {
    const matches = compile(part, path.length === 1 && path[0] === '_id' ? compareIds : compare)
    return (value, turn) => {
      const found = readPath(value, path)
      return found !== undefined && matches(found, turn)
    }
  },
  $and: ({ parts }, compare) => without(false, parts, compare),
  $or: ({ parts }, compare) => parts.length === 0 ? () => true : not(without(true, parts, compare)),
  $nor: ({ parts }, compare) => without(true, parts, compare),
  $not: ({ part }, compare) => not(compile(part, compare)),
  $elemMatch ({ part }, compare) {
    const matches = compile(part, compare)
    return async (value, turn) => Array.isArray(value) && hasOne(value, matches, turn)
  },
  $allMatch ({ part }, compare) {
    const refuses = not(compile(part, compare))
    return async (value, turn) => Array.isArray(value) && value.length > 0 && !await hasOne(value, refuses, turn)
  },
  $keyMapMatch ({ part }, compare) {
    const matches = compile(part, compare)
    return async (value, turn) => isObject(value) && hasOne(Object.keys(value), matches, turn)
  },
  $in: compileList,
  $nin: compileList,
  $regex ({ argument }) {
    const expression = /** @type {import('./regex/expression').Expression} */ (compileRegex(argument))
    return (value, turn) => typeof value === 'string' && expression.testInTurns(value, turn, turn.asker)
  },
  $all ({ argument }, compare) {
    if (argument.length < 2) return compileOperator('$all', argument, compare)
    return async (value, turn) => Array.isArray(value) && !await hasOne(argument, item => !includes(value, item), turn, 1)
  }
}

/** Whether no part says so. @param {boolean} verdict @param {Node[]} parts @param {Compare} compare @returns {PatientMatcher} */
function without (verdict, parts, compare) {
  const matchers = parts.map(part => compile(part, compare))
  return (value, turn) => noneSays(verdict, matchers, 0, value, turn)
}

/** @param {boolean} verdict @param {PatientMatcher[]} matchers @param {number} from @param {any} value @param {AskedTurn} turn @returns {boolean | Promise<boolean>} */
function noneSays (verdict, matchers, from, value, turn) {
  for (let i = from; i < matchers.length; i++) {
    const found = matchers[i](value, turn)
    if (found instanceof Promise) return found.then(later => later !== verdict && noneSays(verdict, matchers, i + 1, value, turn))
    if (found === verdict) return false
  }
  return true
}

/** @param {PatientMatcher} matches @returns {PatientMatcher} */
function not (matches) {
  return (value, turn) => {
    const found = matches(value, turn)
    return found instanceof Promise ? found.then(later => !later) : !found
  }
}

/** Each element by itself, which is what the operator looks for in an array. @param {Condition} node @param {Compare} compare @returns {PatientMatcher} */
function compileList ({ op, argument }, compare) {
  const matches = compileOperator('$in', argument, compare)
  return async (value, turn) => {
    const found = Array.isArray(value) ? await hasOne(value, element => matches([element]), turn) : matches(value)
    return found === (op === '$in')
  }
}

/** @param {any[]} values @param {PatientMatcher} matches @param {AskedTurn} turn */
async function hasOne (values, matches, turn, every = EVERY) {
  for (let i = 0; i < values.length; i++) {
    const verdict = matches(values[i], turn)
    if (typeof verdict === 'boolean' ? verdict : await verdict) return true
    if (i % every === 0 && turn.isLong) await turn.end()
  }
  return false
}

/** The same of a selector as it was given. @param {any} selector @throws as `normalizeSelector` */
function compileSelectorInTurns (selector) {
  const node = normalizeSelector(selector)
  return compileInTurns(node)
}

module.exports = { compileInTurns, compileSelectorInTurns }
