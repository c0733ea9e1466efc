'use strict'

const { compile } = require('./expressions')
const { Scope, refuse } = require('./scope')
const { doubt } = require('./values')

/**
 * Statements of plain functions, as closures.
 *
 * @typedef {import('./expressions').Frame} Frame
 * @typedef {(frame: Frame) => boolean} Statement whether the function returns
 * @typedef {import('./expressions').Node} Node
 */

/** @type {Record<string, (node: Node, scope: Scope) => Statement>} */
const COMPILERS = {
  EmptyStatement: () => () => false,
  ExpressionStatement: ({ expression }, scope) => compileExpression(expression, scope),
  BlockStatement: ({ body }, scope) => compileList(body, new Scope(scope)),
  VariableDeclaration: compileDeclaration,
  ReturnStatement ({ argument }, scope) {
    if (argument === null) return () => true
    const { run } = compile(argument, scope)
    return frame => {
      run(frame)
      return true
    }
  },
  IfStatement ({ test, consequent, alternate }, scope) {
    const { run } = compile(test, scope)
    const then = compileStatement(consequent, new Scope(scope))
    const otherwise = alternate === null ? () => false : compileStatement(alternate, new Scope(scope))
    return frame => run(frame) ? then(frame) : otherwise(frame)
  },
  ForOfStatement ({ await: waits, ...node }, scope) {
    if (waits) return refuse()
    return compileLoop(node, scope, list => Array.isArray(list) ? list : doubt())
  },
  ForInStatement: (node, scope) => compileLoop(node, scope, namesIn),
  ForStatement: compileCounting
}

/** @param {Node} node @param {Scope} scope @returns {Statement} */
function compileStatement (node, scope) {
  return (Object.hasOwn(COMPILERS, node.type) ? COMPILERS[node.type] : refuse())(node, scope)
}

/** @param {Node[]} nodes @param {Scope} scope @returns {Statement} */
function compileList (nodes, scope) {
  const statements = nodes.map(node => compileStatement(node, scope))
  return frame => {
    for (let i = 0; i < statements.length; i++) if (statements[i](frame)) return true
    return false
  }
}

/** @param {Node} node @param {Scope} scope @returns {Statement} */
function compileExpression (node, scope) {
  if (node.type === 'AssignmentExpression') return compileAssignment(node, scope)
  if (node.type === 'LogicalExpression' && node.operator === '&&') return compileAnd(node, scope)
  const each = forEachOf(node)
  if (each !== undefined) return compileEach(each, scope)
  const { run } = compile(node, scope)
  return frame => {
    run(frame)
    return false
  }
}

/** @param {Node} node @param {Scope} scope @returns {Statement} */
function compileAnd ({ left, right }, scope) {
  const { run } = compile(left, scope)
  const then = compileExpression(right, scope)
  return frame => run(frame) ? then(frame) : false
}

/** @param {Node} node @param {Scope} scope @returns {Statement} */
function compileAssignment ({ operator, left, right }, scope) {
  if (operator !== '=' || left.type !== 'Identifier') return refuse()
  const { run, weight } = compile(right, scope)
  return setter(scope.assigned(left.name, weight), run)
}

/** @param {number} slot @param {import('./expressions').Run} run @returns {Statement} */
function setter (slot, run) {
  return frame => {
    frame.slots[slot] = run(frame)
    return false
  }
}

/** @type {import('./expressions').Expression} */
const NOTHING = { run: () => undefined, weight: 1 }

/** @param {Node} node @param {Scope} scope @returns {Statement} */
function compileDeclaration ({ kind, declarations }, scope) {
  const all = declarations.map((/** @type {Node} */ { id, init }) => {
    // In a loop, a `var` without a value keeps that of the turn before.
    if (id.type !== 'Identifier' || (init === null && kind === 'var' && scope.loops > 0)) return refuse()
    const { run, weight } = init === null ? NOTHING : compile(init, scope)
    return setter(scope.declare(id.name, weight, kind === 'const'), run)
  })
  return frame => {
    for (const set of all) set(frame)
    return false
  }
}

/**
 * Compiles a loop over a list of what an expression gives.
 *
 * @param {Node} node
 * @param {Scope} scope
 * @param {(value: any) => any[]} listOf
 * @returns {Statement}
 */
function compileLoop ({ left, right, body }, scope, listOf) {
  if (left.type !== 'VariableDeclaration' || left.declarations[0].id.type !== 'Identifier' || left.declarations[0].init !== null) return refuse()
  const { run, weight } = compile(right, scope)
  const inner = new Scope(scope, scope.loops + 1)
  const slot = inner.declare(left.declarations[0].id.name, weight, left.kind === 'const')
  const turn = compileStatement(body, inner)
  return frame => {
    for (const item of listOf(run(frame))) {
      countTurn(frame)
      frame.slots[slot] = item
      if (turn(frame)) return true
    }
    return false
  }
}

/** A few turns may be long: they compare texts. @param {Frame} frame */
function countTurn (frame) {
  if (--frame.steps < 0 || performance.now() > frame.end) doubt()
}

/** @param {any} value @returns {string[]} the names of its members, in their order */
function namesIn (value) {
  if (value === null || value === undefined) return []
  return typeof value === 'object' ? Object.keys(value) : doubt()
}

/**
 * Compiles `for (var i = 0; i < list.length; i++)`.
 *
 * @param {Node} node
 * @param {Scope} scope
 * @returns {Statement}
 */
function compileCounting ({ init, test, update, body }, scope) {
  if (init?.type !== 'VariableDeclaration' || test === null || update?.type !== 'UpdateExpression') return refuse()
  const inner = new Scope(scope, scope.loops + 1)
  const begin = compileDeclaration(init, inner)
  const { run } = compile(test, inner)
  const slot = inner.assigned(update.argument.name, 1)
  const by = update.operator === '++' ? 1 : -1
  const turn = compileStatement(body, new Scope(inner, inner.loops + 1))
  return frame => {
    for (begin(frame); run(frame); frame.slots[slot] += by) {
      if (typeof frame.slots[slot] !== 'number') doubt()
      countTurn(frame)
      if (turn(frame)) return true
    }
    return false
  }
}

/** @param {Node} node @returns {{ list: Node, callback: Node } | undefined} of `list.forEach(function (item, index) { … })` */
function forEachOf ({ type, callee, arguments: nodes, optional }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return undefined
  const isEach = !callee.computed && !callee.optional && !optional && callee.property.name === 'forEach' && nodes.length === 1
  return isEach ? { list: callee.object, callback: nodes[0] } : refuse()
}

/** @param {{ list: Node, callback: Node }} each @param {Scope} scope @returns {Statement} */
function compileEach ({ list, callback }, scope) {
  const { run, weight } = compile(list, scope)
  const inner = new Scope(scope, scope.loops + 1)
  const { slots, call } = compileFunction(callback, inner, [weight, 1])
  return frame => {
    const items = run(frame)
    if (!Array.isArray(items)) doubt()
    for (let i = 0; i < items.length; i++) {
      countTurn(frame)
      frame.slots[slots[0]] = items[i]
      frame.slots[slots[1]] = i
      call(frame)
    }
    return false
  }
}

/**
 * @param {Node} node
 * @param {Scope} scope of its own
 * @param {number[]} weights of its parameters; it may name fewer
 * @returns {{ slots: number[], call: Statement }} slots: of the parameters, all of them
 */
function compileFunction (node, scope, weights) {
  const { type, id, params, body, async: waits, generator } = node
  if ((type !== 'FunctionExpression' && type !== 'ArrowFunctionExpression') || waits || generator || params.length > weights.length) return refuse()
  // Within itself, its name means the function.
  if (scope.isTaken(id?.name)) return refuse()
  const slots = weights.map((weight, i) => {
    if (i >= params.length) return scope.take()
    return params[i].type === 'Identifier' ? scope.declare(params[i].name, weight, false) : refuse()
  })
  if (body.type === 'BlockStatement') return { slots, call: compileList(body.body, scope) }
  return { slots, call: compileExpression(body, scope) }
}

module.exports = { compileFunction }
