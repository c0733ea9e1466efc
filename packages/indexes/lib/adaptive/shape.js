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
 * @property {string} key the same as a text
 * @property {string[][]} columns their paths
 * @property {number} equal how many of them are fixed
 * @property {'none' | 'range' | 'sort'} tail what comes after them: nothing; one field that has to be one of several
 *   values, and one with bounds, or else those that have to be there; or those of a sort, as far as they are not fixed
 * @property {import('../mango/plan/conditions').Conditions} conditions of the find, or of its branch
 * @property {import('../mango/selector/match-in-turns').Accepts} narrows whether a document would be read if there were such an index
 * @property {boolean} decides whether such documents all match
 */

/** request → its shapes; requests are remembered @type {WeakMap<object, Shape[]>} */
const known = new WeakMap()

/** The same of a request without its sort. @type {WeakMap<object, Shape[]>} */
const knownUnsorted = new WeakMap()

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

/**
 * The shapes of what a sorted find would ask for without its sort, where it has bounds that its own shape does not know.
 *
 * @param {import('../mango/plan/candidates').Asked} request
 * @returns {Shape[]}
 */
function unsortedShapesOf (request) {
  let shapes = knownUnsorted.get(request)
  if (shapes === undefined) {
    const made = makeShapes({ ...request, sort: [] })
    const own = shapesOf(request).map(({ fields }) => fields.join())
    knownUnsorted.set(request, shapes = made.some(({ fields, tail }) => tail === 'range' && !own.includes(fields.join())) ? made : [])
  }
  return shapes
}

/** @param {Pick<Asked, 'node' | 'conditions' | 'sort'>} request @returns {Shape[]} */
function makeShapes ({ node, conditions, sort }) {
  if (conditions.narrowsIds || fieldsOf(node).length > MOST_CONDITIONS) return []
  const byId = orderOf(ALL_DOCS.columns, conditions, sort) !== null
  const whole = makeShape(node, conditions, sort, byId)
  if (whole !== null) return [whole]
  const branches = byId ? branchesOf(node) ?? [] : []
  if (branches.length > MOST_BRANCHES) return []
  const shapes = branches.map(branch => makeShape(branch, new Conditions(branch), [], true)).filter(shape => shape !== null)
  if (shapes.length > 0 && shapes.length === branches.length) return shapes
  const present = byId ? presentIn(node).filter(isIndexable).sort(byName).slice(0, MOST_FIELDS) : []
  return shapeOf({ node, conditions, equal: [], rest: present, tail: 'range' })
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
  const rest = byId ? rangesOf(conditions, narrowed.filter(path => !conditions.isFixed(path))).slice(0, MOST_FIELDS - equal.length) : sorted
  const tail = !byId ? 'sort' : rest.length === 0 ? 'none' : 'range'
  return shapeOf({ node, conditions, equal, rest, tail })[0] ?? null
}

/**
 * @param {{ node: Node, conditions: Conditions, equal: string[][], rest: string[][], tail: Shape['tail'] }} parts
 * @returns {Shape[]} one, or none if an index cannot be so
 */
function shapeOf ({ node, conditions, equal, rest, tail }) {
  const columns = [...equal, ...rest]
  const fields = columns.map(escapePath)
  if (columns.length === 0 || columns.length > MOST_FIELDS || fields.join().length > LONGEST) return []
  return [{ fields, key: JSON.stringify(fields), columns, equal: equal.length, tail, conditions, ...narrowing(node, columns) }]
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

/**
 * One field that has to be one of several values, then the one with the best bounds.
 *
 * @param {Conditions} conditions
 * @param {string[][]} paths
 */
function rangesOf (conditions, paths) {
  const listed = paths.filter(path => conditions.isChosen(path)).sort(byName)
  /** @param {string[]} path */
  const ends = path => conditions.intervals(path).every(({ first, last }) => first !== undefined && last !== undefined)
  const bounded = paths.filter(path => !conditions.isChosen(path)).sort((a, b) => Number(ends(b)) - Number(ends(a)) || byName(a, b))
  return [...listed.slice(0, 1), ...bounded.slice(0, 1)]
}

/** The fields that a selector asks to be there. @param {Node} node @returns {string[][]} */
function presentIn (node) {
  return unique(partsOf(node).flatMap(part => part.op === 'field' && part.part.op === '$exists' && part.part.argument ? [part.path] : []))
}

/**
 * Tells the part of a selector that is of these fields alone, and that they are there.
 *
 * @param {Node} node
 * @param {string[][]} columns
 * @returns {Pick<Shape, 'narrows' | 'decides'>}
 */
function narrowing (node, columns) {
  /** @param {string[]} path */
  const isColumn = path => columns.some(column => samePath(column, path))
  const all = partsOf(node)
  const parts = all.filter(part => fieldsOf(part).length > 0 && fieldsOf(part).every(isColumn))
  const matches = compileInTurns({ op: '$and', parts })
  return { decides: parts.length === all.length, narrows: (doc, length, asker) => columns.every(path => readPath(doc, path) !== undefined) && matches(doc, length, asker) }
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

module.exports = { isFor, shapesOf, unsortedShapesOf }
