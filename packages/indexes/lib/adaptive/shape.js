'use strict'

const { branchesOf } = require('../mango/plan/candidates')
const { Conditions } = require('../mango/plan/conditions')
const { ALL_DOCS } = require('../mango/indexes/index-descriptor')
const { compileInTurns } = require('../mango/selector/match-in-turns')
const { escapePath, readPath, samePath } = require('../mango/selector/path')
const { orderOf } = require('../mango/plan/ranges')
const { fieldsOf } = require('../mango/selector/selector-fields')

/**
 * @typedef {import('../mango/selector/normalize-selector').Node} Node
 * @typedef {import('../mango/plan/intervals').Intervals} Intervals
 * @typedef {import('../mango/plan/candidates').Asked} Asked
 */

/** Fields of one index: more narrow little, and leave out every document that lacks one of them. */
const MOST_FIELDS = 4

/** Conditions of a selector: each is looked for among all. */
const MOST_CONDITIONS = 100

/** Branches of an `$or`, each of which needs an index. */
const MOST_BRANCHES = 8

/** UTF-16 units of their names, with which they are remembered. */
const LONGEST = 1000

/**
 * The form of finds that one index could be made for.
 *
 * @typedef {object} Shape
 * @property {string[]} fields those that the selector fixes, in the order of their names, then its tail
 * @property {string[][]} columns their paths
 * @property {number} equal how many of them are fixed
 * @property {'none' | 'in' | 'range' | 'sort'} tail what comes after them: nothing, one field that has to be
 *   one of several values, one with bounds, or those of a sort, as far as they are not fixed
 * @property {import('../mango/plan/conditions').Conditions} conditions of the find, or of its branch
 * @property {(doc: any, length: number) => boolean | Promise<boolean>} narrows whether a document would be read if there were such an index
 */

/** request → its shapes; requests are remembered @type {WeakMap<object, Shape[]>} */
const known = new WeakMap()

/**
 * The shape of a find, or those of the branches of its `$or`, all of which have to have an index. Finds that
 * differ only in values, or in conditions that no index serves, have one shape.
 *
 * @param {import('../mango/plan/candidates').Asked} request
 * @returns {Shape[]} none where no index could help, or the one by `_id` does
 */
function shapesOf (request) {
  let shapes = known.get(request)
  if (shapes === undefined) known.set(request, shapes = makeShapes(request))
  return shapes
}

/** @param {Asked} request @returns {Shape[]} */
function makeShapes ({ node, conditions, sort }) {
  if (conditions.narrowsIds || fieldsOf(node).length > MOST_CONDITIONS) return []
  const byId = orderOf(ALL_DOCS.columns, conditions, sort) !== null
  const whole = makeShape(node, conditions, sort, byId)
  if (whole !== null) return [whole]
  const branches = byId ? branchesOf(node) ?? [] : []
  if (branches.length > MOST_BRANCHES) return []
  const shapes = branches.map(branch => makeShape(branch, new Conditions(branch), [], true)).filter(shape => shape !== null)
  return shapes.length < branches.length ? [] : shapes
}

/**
 * @param {Node} node
 * @param {Conditions} conditions
 * @param {string[][]} sort
 * @param {boolean} byId
 * @returns {Shape | null}
 */
function makeShape (node, conditions, sort, byId) {
  if (conditions.narrowsIds) return null
  const narrowed = unique(fieldsOf(node)).filter(path => isIndexable(path) && conditions.requires(path) && isBounded(conditions.intervals(path)))
  const fixed = narrowed.filter(path => conditions.isFixed(path)).sort(byName)
  const sorted = byId ? [] : sort.filter(path => !conditions.isFixed(path))
  if (!sorted.every(isIndexable)) return null
  const equal = fixed.slice(0, MOST_FIELDS)
  const { tail, rest } = byId ? tailOf(conditions, narrowed.filter(path => !conditions.isFixed(path))) : { tail: /** @type {const} */ ('sort'), rest: sorted }
  const columns = [...equal, ...rest]
  const fields = columns.map(escapePath)
  if (columns.length === 0 || columns.length > MOST_FIELDS || fields.join().length > LONGEST) return null
  return { fields, columns, equal: equal.length, tail, conditions, narrows: narrowing(node, columns) }
}

/** @param {string[][]} paths */
function unique (paths) { return [...new Map(paths.map(path => [path.join('\0'), path])).values()] }

/**
 * Underscored members are not the document's own, and a name has to be one that can be stored.
 *
 * @param {string[]} path
 */
function isIndexable (path) { return path.length > 0 && !path[0].startsWith('_') && path.every(name => name.isWellFormed()) }

/** Whether the selector gives values to be between, and not just a type. @param {Intervals} intervals */
function isBounded (intervals) { return intervals.some(({ first, last }) => first !== undefined || last !== undefined) }

/** @param {string[]} a @param {string[]} b */
function byName (a, b) { return escapePath(a) < escapePath(b) ? -1 : 1 }

/** @param {Conditions} conditions @param {string[][]} paths @returns {{ tail: Shape['tail'], rest: string[][] }} */
function tailOf (conditions, paths) {
  const listed = paths.filter(path => conditions.isChosen(path)).sort(byName)
  if (listed.length > 0) return { tail: 'in', rest: [listed[0]] }
  /** @param {string[]} path */
  const ends = path => conditions.intervals(path).every(({ first, last }) => first !== undefined && last !== undefined)
  const [best] = paths.sort((a, b) => Number(ends(b)) - Number(ends(a)) || byName(a, b))
  return best === undefined ? { tail: 'none', rest: [] } : { tail: 'range', rest: [best] }
}

/**
 * @param {Node} node
 * @param {string[][]} columns
 * @returns {Shape['narrows']} what of the selector is of these fields alone, and that they are there
 */
function narrowing (node, columns) {
  /** @param {string[]} path */
  const isColumn = path => columns.some(column => samePath(column, path))
  const parts = partsOf(node).filter(part => fieldsOf(part).length > 0 && fieldsOf(part).every(isColumn))
  const matches = compileInTurns({ op: '$and', parts })
  return (doc, length) => columns.every(path => readPath(doc, path) !== undefined) && matches(doc, length)
}

/** @param {Node} node @returns {Node[]} */
function partsOf (node) { return node.op === '$and' ? node.parts.flatMap(partsOf) : [node] }

/**
 * Whether an index is all that a shape asks for: what is fixed may stand in any order, where nothing is sorted.
 *
 * @param {string[]} fields of the index
 * @param {Shape} shape
 */
function isFor (fields, { fields: shaped, equal, tail }) {
  if (tail === 'sort') return fields.length === shaped.length && fields.every((field, i) => field === shaped[i])
  return fields.length === shaped.length &&
    fields.slice(0, equal).every(field => shaped.slice(0, equal).includes(field)) &&
    fields.slice(equal).every((field, i) => field === shaped[equal + i])
}

module.exports = { isFor, shapesOf }
