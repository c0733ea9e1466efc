'use strict'

const { EVERYTHING, TYPES, accepted, intersect, intervalsOf, isEverything, isPoint, point, within } = require('./intervals')
const { acceptedIds, idPoint } = require('./id-intervals')
const { samePath } = require('../selector/path')

/**
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('../selector/normalize-selector').FieldNode} FieldNode
 */

/** Comparisons after which one selector is taken not to imply another: nested `$or`s would double them with each level. */
const MOST_COMPARED = 1000

/** Tells what a selector says of fields. The planner asks it, and it is kept with the request. */
class Conditions {
  #node
  #known = new Map()

  /** @param {import('../selector/normalize-selector').Node} node */
  constructor (node) {
    this.#node = node
  }

  /**
   * Returns where the values of a field can be, in the order of indexes.
   *
   * @param {string[]} path
   * @returns {import('./intervals').Intervals}
   */
  intervals (path) {
    const key = path.join('\0')
    let intervals = this.#known.get(key)
    if (intervals === undefined) this.#known.set(key, intervals = isId(path) ? this.#pointsOfIds() : this.#read(path))
    return intervals
  }

  /** @param {string[]} path */
  #read (path) { return intervalsOf(this.#node, other => samePath(path, other), accepted) ?? EVERYTHING }

  /** Ids have an order of their own, in which an index does not have them: only points are the same. */
  #pointsOfIds () {
    const ids = this.ids.map(idPoint)
    return ids.includes(undefined) ? EVERYTHING : /** @type {string[]} */ (ids).map(point)
  }

  /** Returns where the ids can be, in the order of all documents. @returns {import('./intervals').Intervals} */
  get ids () {
    let intervals = this.#known.get('')
    if (intervals === undefined) this.#known.set('', intervals = intervalsOf(this.#node, isId, acceptedIds) ?? EVERYTHING)
    return intervals
  }

  /** Whether all documents that match have the same value there. @param {string[]} path */
  isFixed (path) {
    const intervals = this.intervals(path)
    return intervals.length === 1 && isPoint(intervals[0])
  }

  /** Whether they have one of some, or an array with one of them. @param {string[]} path */
  isChosen (path) {
    const intervals = this.intervals(path)
    return intervals.some(isPoint) && intervals.every(interval => isPoint(interval) || within([interval], TYPES.array))
  }

  /** Whether none can match, for the field. @param {string[]} path */
  isImpossible (path) { return this.intervals(path).length === 0 }

  /** Whether it narrows the values at all. @param {string[]} path */
  narrows (path) { return !isEverything(this.intervals(path)) }

  /** Whether a document that matches has the field. @param {string[]} path */
  requires (path) { return isId(path) || samePath(path, ['_rev']) || requires(this.#node, path) }

  get narrowsIds () { return !isEverything(this.ids) }

  /** Whether all documents that match this match the other selector, too, as far as can be told. @param {Node} other */
  implies (other) { return implies(this.#node, other, this, { left: MOST_COMPARED }) }
}

/** @param {string[]} path */
function isId (path) { return path.length === 1 && path[0] === '_id' }

/** @param {Node} node @param {string[]} path @returns {boolean} */
function requires (node, path) {
  if (node.op === '$and') return node.parts.some(part => requires(part, path))
  // No document matches an empty `$or`, so all that do have the field.
  if (node.op === '$or') return node.parts.every(part => requires(part, path))
  return node.op === 'field' && samePath(node.path, path) && !(node.part.op === '$exists' && node.part.argument === false)
}

/**
 * @param {Node} node
 * @param {Node} other
 * @param {Conditions} conditions
 * @param {{ left: number }} comparisons
 * @returns {boolean}
 */
function implies (node, other, conditions, comparisons) {
  if (--comparisons.left < 0) return false
  if (other.op === 'any') return true
  if (other.op === '$and') return other.parts.every(part => implies(node, part, conditions, comparisons))
  if (other.op === '$or' && other.parts.some(part => implies(node, part, conditions, comparisons))) return true
  if (node.op === '$or' && node.parts.length > 0) return node.parts.every(part => implies(part, other, new Conditions(part), comparisons))
  if (contains(node, textOf(other))) return true
  return other.op === 'field' && !isId(other.path) && boundsImply(other, conditions)
}

/**
 * Whether it stands among the conditions that have to hold.
 *
 * @param {Node} node
 * @param {string} text
 * @returns {boolean}
 */
function contains (node, text) {
  return node.op === '$and' ? node.parts.some(part => contains(part, text)) : textOf(node) === text
}

/** node → its JSON, which is asked for again and again @type {WeakMap<object, string>} */
const texts = new WeakMap()

/** @param {Node} node */
function textOf (node) {
  let text = texts.get(node)
  if (text === undefined) texts.set(node, text = JSON.stringify(node))
  return text
}

/** @param {FieldNode} field @param {Conditions} conditions */
function boundsImply ({ path, part }, conditions) {
  if (!conditions.requires(path)) return false
  const values = conditions.intervals(path)
  switch (part.op) {
    case '$exists': return part.argument
    case '$ne': return intersect(values, [point(part.argument)]).length === 0
    case '$nin': return intersect(values, accepted.$in(part.argument)).length === 0
    case '$in': return within(values, accepted.$in(part.argument)) && intersect(values, TYPES.array).length === 0
    case '$eq': case '$lt': case '$lte': case '$gt': case '$gte': case '$type': return within(values, accepted[part.op](part.argument))
    default: return false
  }
}

module.exports = { Conditions }
