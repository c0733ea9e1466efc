'use strict'

const { MOST, takers } = require('./index-calls')
const { refuse } = require('./scope')
const { BINARY, OF_ERRORS, UNARY, doubt, element, emitted, isInherited, isNothing, member, norm, sum } = require('./values')

/**
 * Expressions of plain functions, as closures.
 *
 * @typedef {import('./scope').Scope} Scope
 * @typedef {{ slots: any[], rows: Array<[any, any]>, mostRows: number, left: number, steps: number, end: number }} Frame of one call: its variables, what it
 *   emits, how many rows, and how much weight, it may emit still, how many turns its loops may take, and until when
 * @typedef {(frame: Frame) => any} Run
 * @typedef {{ run: Run, weight: number }} Expression weight: how many times a document its text may be
 * @typedef {any} Node of the source
 */

/** @type {Record<string, (node: Node, scope: Scope) => Expression>} */
const COMPILERS = {
  Literal ({ value, regex, bigint }) {
    if (regex !== undefined || bigint !== undefined) refuse()
    return { run: () => value, weight: 1 }
  },
  Identifier ({ name }, scope) {
    if (name === 'undefined') return { run: () => undefined, weight: 1 }
    const { slot, weight } = scope.find(name) ?? refuse()
    return { run: ({ slots }) => slots[slot], weight }
  },
  TemplateLiteral ({ quasis, expressions }, scope) {
    const texts = quasis.map((/** @type {Node} */ { value }) => value.cooked)
    /** @type {Expression[]} */
    const parts = expressions.map((/** @type {Node} */ node) => compile(node, scope))
    return { run: frame => parts.reduce((text, { run }, i) => sum(sum(text, run(frame)), texts[i + 1]), texts[0]), weight: weightOf(parts) }
  },
  MemberExpression: compileMember,
  // The sandbox gets a member of nothing that the chain goes on with.
  ChainExpression: ({ expression }, scope) => compile(expression, scope),
  UnaryExpression ({ operator, argument }, scope) {
    const apply = Object.hasOwn(UNARY, operator) ? UNARY[operator] : refuse()
    const { run, weight } = compile(argument, scope)
    return { run: frame => apply(run(frame)), weight }
  },
  BinaryExpression ({ operator, left, right }, scope) {
    const apply = Object.hasOwn(BINARY, operator) ? BINARY[operator] : refuse()
    const [a, b] = [compile(left, scope), compile(right, scope)]
    return { run: frame => apply(a.run(frame), b.run(frame)), weight: operator === '+' ? a.weight + b.weight : 1 }
  },
  LogicalExpression ({ operator, left, right }, scope) {
    const [a, b] = [compile(left, scope), compile(right, scope)]
    const weight = Math.max(a.weight, b.weight)
    if (operator === '&&') return { run: frame => a.run(frame) && b.run(frame), weight }
    if (operator === '||') return { run: frame => a.run(frame) || b.run(frame), weight }
    return { run: frame => a.run(frame) ?? b.run(frame), weight }
  },
  ConditionalExpression ({ test, consequent, alternate }, scope) {
    const [when, then, otherwise] = [test, consequent, alternate].map(node => compile(node, scope))
    return { run: frame => when.run(frame) ? then.run(frame) : otherwise.run(frame), weight: Math.max(then.weight, otherwise.weight) }
  },
  CallExpression ({ callee, arguments: nodes, optional }, scope) {
    if (optional) return refuse()
    if (callee.type === 'Identifier' && callee.name === verbOf(scope)) return scope.indexes === undefined ? compileEmit(nodes, scope) : compileIndex(nodes, scope, scope.indexes)
    if (!isArrayTest(callee) || nodes.length !== 1) return refuse()
    const { run } = compile(nodes[0], scope)
    return { run: frame => Array.isArray(run(frame)), weight: 1 }
  }
}

/** The name of the function that gives rows. @param {Scope} scope */
function verbOf ({ indexes }) { return indexes === undefined ? 'emit' : 'index' }

/** Finds `isArray`, and `Array.isArray`. @param {Node} callee */
function isArrayTest ({ type, name, object, property, computed, optional }) {
  if (type === 'Identifier') return name === 'isArray'
  return type === 'MemberExpression' && !computed && !optional && object.name === 'Array' && property.name === 'isArray'
}

/** @param {Node} node @param {Scope} scope @returns {Expression} */
function compile (node, scope) {
  return (Object.hasOwn(COMPILERS, node.type) ? COMPILERS[node.type] : refuse())(node, scope)
}

/** @param {Node} node @param {Scope} scope @returns {Expression} */
function compileMember (node, scope) {
  const { run, weight } = compile(node.object, scope)
  const read = readerOf(node, scope)
  if (!node.optional) return { run: frame => read(run(frame), frame), weight }
  return {
    run (frame) {
      const object = run(frame)
      return isNothing(object) ? undefined : read(object, frame)
    },
    weight
  }
}

/** @param {Node} node @param {Scope} scope @returns {(object: any, frame: Frame) => any} */
function readerOf ({ property, computed }, scope) {
  if (computed && property.type !== 'Literal') {
    const name = compile(property, scope)
    return (object, frame) => element(object, name.run(frame))
  }
  const name = computed ? property.value : property.name
  if (typeof name !== 'string') return object => element(object, name)
  return isInherited(name) ? refuse() : object => member(object, name)
}

/** @param {Node[]} nodes @param {Scope} scope @returns {Expression} */
function compileEmit (nodes, scope) {
  if (nodes.length > 2) return refuse()
  const [key, value] = [nodes[0], nodes[1]].map(node => node === undefined ? { run: () => null, weight: 1 } : compileMade(node, scope))
  return giving(key.weight + value.weight, frame => [key.run(frame) ?? null, emitted(value.run(frame)) ?? null])
}

/** @param {Node[]} nodes @param {Scope} scope @param {import('./index-calls').Dialect} dialect @returns {Expression} */
function compileIndex (nodes, scope, dialect) {
  if (nodes.length > MOST[dialect]) return refuse()
  const given = nodes.map(node => compileMade(node, scope))
  const take = takers[dialect]
  return giving(weightOf(given), frame => [take(given.map(({ run }) => run(frame))), null])
}

/** @param {number} weight of a row @param {(frame: Frame) => [any, any]} make @returns {Expression} */
function giving (weight, make) {
  return {
    run (frame) {
      frame.left -= weight
      if (frame.left < 0) doubt()
      const row = make(frame)
      // Its key and value may give rows of their own, which come before.
      if (frame.rows.length >= frame.mostRows) doubt()
      frame.rows.push(row)
    },
    weight: 1
  }
}

/**
 * Compiles what is emitted, which may be made of several values. It is as it were once it was JSON, and nothing else sees it.
 *
 * @param {Node} node
 * @param {Scope} scope
 * @returns {Expression}
 */
function compileMade (node, scope) {
  if (node.type === 'ArrayExpression') return compileArray(node, scope)
  if (node.type === 'ObjectExpression') return compileObject(node, scope)
  const { run, weight } = compile(node, scope)
  return { run: frame => norm(run(frame)), weight }
}

/** @param {Node} node @param {Scope} scope @returns {Expression} */
function compileArray ({ elements }, scope) {
  const items = elements.map((/** @type {Node} */ node) => node === null ? refuse() : compileMade(node, scope))
  return {
    run (frame) {
      const array = new Array(items.length)
      for (let i = 0; i < items.length; i++) array[i] = items[i].run(frame) ?? null
      return array
    },
    weight: weightOf(items)
  }
}

/** @param {Node} node @param {Scope} scope @returns {Expression} */
function compileObject ({ properties }, scope) {
  const names = properties.map(nameOf)
  if (new Set(names).size < names.length || OF_ERRORS.every(name => names.includes(name))) return refuse()
  const items = properties.map((/** @type {Node} */ { value }) => compileMade(value, scope))
  return {
    run (frame) {
      /** @type {Record<string, any>} */
      const object = {}
      for (let i = 0; i < items.length; i++) {
        const value = items[i].run(frame)
        if (value !== undefined) object[names[i]] = value
      }
      return object
    },
    weight: weightOf(items)
  }
}

/** @param {Node} property */
function nameOf ({ type, kind, computed, method, key }) {
  if (type !== 'Property' || kind !== 'init' || computed || method) return refuse()
  const name = key.type === 'Identifier' ? key.name : `${key.value}`
  return isInherited(name) ? refuse() : name
}

/** @param {Expression[]} items */
function weightOf (items) { return items.reduce((sum, { weight }) => sum + weight, 1) }

module.exports = { compile }
