'use strict'

const { couchCollation } = require('@potoroo/collation')
const { functions } = require('./functions')
const { compilePattern } = require('./matching')
const { tooMuch } = require('./query-error')
const { memberOf, stepWalk } = require('./steps')

/**
 * @typedef {import('./syntax').Node} Node
 * @typedef {import('./matching').Matcher} Matcher
 * @typedef {{ root: any, current: any, work: import('./work').Work }} Scope what `$` and `@` are
 */

/** Characters of a text that is made. */
const LONGEST = 1_000_000

/** Texts up to this length are compared at once; of longer ones only the beginning is. */
const COMPARED = 16384

/** @type {WeakMap<import('./syntax').Match, Matcher>} */
const matchers = new WeakMap()

/**
 * Returns the value of a node, and undefined where there is nothing. Values of different types are never equal, and none is
 * before the other: nothing is converted, except numbers that are joined to texts.
 *
 * @param {Node} node
 * @param {Scope} scope
 * @returns {any}
 */
function valueOf (node, scope) {
  switch (node.type) {
    case 'literal': return node.value
    case 'root': return scope.root
    case 'current': return scope.current
    case 'member': return memberOf(valueOf(node.of, scope), node.name)
    case 'binary': return binary(node, scope)
    case 'unary': return unary(node.op, valueOf(node.of, scope))
    case 'match': return match(node, scope)
    case 'object': return objectOf(node, scope)
    case 'list': return listOf(node, scope)
    case 'call': return call(node, scope)
    default: return scope.work.finish(stepWalk(node, valueOf(node.of, scope), scope, valueOf))
  }
}

/** @param {import('./syntax').Binary} node @param {Scope} scope */
function binary ({ op, left, right }, scope) {
  if (op === '&') return Boolean(valueOf(left, scope)) && Boolean(valueOf(right, scope))
  if (op === '|') return Boolean(valueOf(left, scope)) || Boolean(valueOf(right, scope))
  return operators[op](valueOf(left, scope), valueOf(right, scope), scope)
}

/** @type {Record<string, (a: any, b: any, scope: Scope) => any>} */
const operators = {
  '=': areEqual,
  '!=': (a, b, scope) => !areEqual(a, b, scope),
  '<': (a, b, scope) => areOrdered(a, b, scope) && compare(a, b) < 0,
  '<=': (a, b, scope) => areOrdered(a, b, scope) && compare(a, b) <= 0,
  '>': (a, b, scope) => areOrdered(a, b, scope) && compare(a, b) > 0,
  '>=': (a, b, scope) => areOrdered(a, b, scope) && compare(a, b) >= 0,
  '+': (a, b, scope) => isText(a) || isText(b) ? join(a, b, scope) : number(a, b, a + b),
  '-': (a, b) => number(a, b, a - b),
  '*': (a, b) => number(a, b, a * b),
  '/': (a, b) => number(a, b, a / b),
  '%': (a, b) => number(a, b, a % b)
}

/** Nothing and null are the same. Lists and objects equal nothing. @param {any} a @param {any} b @param {Scope} scope */
function areEqual (a, b, { work }) {
  if (isText(a) && isText(b)) {
    if (a.length === b.length) work.spendText(a.length)
    return a === b
  }
  if (typeof a === 'object' && a !== null) return false
  return (a ?? null) === (b ?? null)
}

/** Whether both are numbers, texts or booleans. @param {any} a @param {any} b @param {Scope} scope */
function areOrdered (a, b, { work }) {
  if (typeof a !== typeof b) return false
  if (isText(a)) work.spendText(Math.min(a.length, b.length, COMPARED))
  return typeof a === 'number' || typeof a === 'boolean' || isText(a)
}

/** @param {any} a @param {any} b */
function compare (a, b) {
  return isText(a) ? couchCollation.compare(a.slice(0, COMPARED), b.slice(0, COMPARED)) : a - b
}

/** @param {any} value @returns {value is string} */
function isText (value) { return typeof value === 'string' }

/** @param {any} a @param {any} b @param {any} result */
function number (a, b, result) { return typeof a === 'number' && typeof b === 'number' && Number.isFinite(result) ? result : null }

/** @param {any} a @param {any} b @param {Scope} scope */
function join (a, b, { work }) {
  if (![a, b].every(each => ['string', 'number', 'boolean'].includes(typeof each))) return null
  const text = `${a}${b}`
  if (text.length > LONGEST) throw tooMuch(`The query makes a text of more than ${LONGEST} characters`)
  work.spendText(text.length)
  work.make(2 + text.length / 16)
  return text
}

/** @param {string} op @param {any} value */
function unary (op, value) {
  if (op === '!') return !value
  return typeof value === 'number' ? op === '-' ? -value : value : null
}

/** @param {import('./syntax').Match} node @param {Scope} scope */
function match (node, scope) {
  let matcher = matchers.get(node)
  if (matcher === undefined) matchers.set(node, matcher = compilePattern(node.pattern, node.folds))
  const value = valueOf(node.of, scope)
  if (isText(value)) scope.work.spendText(value.length * matcher.cost)
  return matcher.matches(value)
}

/** @param {import('./syntax').ObjectLiteral} node @param {Scope} scope */
function objectOf ({ members }, scope) {
  /** @type {Record<string, any>} */
  const made = {}
  scope.work.make(3 + 2 * members.length)
  for (const { name, by } of members) {
    const value = valueOf(by, scope)
    if (value !== undefined) Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}

/** @param {import('./syntax').ListLiteral} node @param {Scope} scope */
function listOf ({ items }, scope) {
  scope.work.make(3 + items.length)
  return items.map(item => valueOf(item, scope) ?? null)
}

/** @param {import('./syntax').Call} node @param {Scope} scope */
function call ({ name, args }, scope) {
  const numbers = args.map(arg => valueOf(arg, scope))
  const result = numbers.every(each => typeof each === 'number') ? functions[name](...numbers) : null
  return Number.isFinite(result) ? result : null
}

module.exports = { valueOf }
