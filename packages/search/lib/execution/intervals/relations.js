'use strict'

const { Walk } = require('./interval-list')

/**
 * Intervals of one list that stand in a relation to those of another. Both are gone through once: no list gives one that ends before the one before it.
 *
 * @typedef {import('./interval-list').IntervalList} IntervalList
 * @typedef {(lists: IntervalList[], out: IntervalList) => void} Relation lists: the one that is chosen from, and the reference
 * @typedef {(a: Walk, b: Walk) => boolean} Comparison of an interval and one of the reference
 */

/**
 * Keeps intervals with a reference of a relation.
 *
 * @param {Comparison} isTooEarly whether the reference is too early, also for those that come after `a`
 * @param {Comparison} isRelated
 * @returns {Relation}
 */
function having (isTooEarly, isRelated) {
  return ([list, reference], out) => {
    const [a, b] = [new Walk(list), new Walk(reference)]
    if (!b.next()) return
    while (a.next()) {
      while (isTooEarly(a, b)) if (!b.next()) return
      if (isRelated(a, b)) a.copyTo(out)
    }
  }
}

/**
 * Keeps intervals without a reference of a relation.
 *
 * @param {Comparison} isTooEarly
 * @param {Comparison} isFree
 * @returns {Relation}
 */
function lacking (isTooEarly, isFree) {
  return ([list, reference], out) => {
    const [a, b] = [new Walk(list), new Walk(reference)]
    while (a.next()) {
      while (isTooEarly(a, b)) b.next()
      if (isFree(a, b)) a.copyTo(out)
    }
  }
}

/** @type {Comparison} */
const endsBeforeEnd = (a, b) => b.end < a.end
/** @type {Comparison} */
const endsBeforeStart = (a, b) => b.end < a.start
/** @type {Comparison} */
const isLeft = (a, b) => b.start < a.start && b.end < a.end
/** @type {Comparison} */
const startsBehind = (a, b) => b.start > a.end

/** @type {Record<string, Relation>} */
const relations = {
  containing: having(isLeft, (a, b) => a.start <= b.start && a.end >= b.end),
  containedBy: having(endsBeforeEnd, (a, b) => b.start <= a.start),
  overlapping: having(endsBeforeStart, (a, b) => b.start <= a.end),
  notContaining: lacking(isLeft, startsBehind),
  notContainedBy: lacking(endsBeforeEnd, (a, b) => a.start < b.start),
  nonOverlapping: lacking(endsBeforeStart, startsBehind)
}

module.exports = { relations }
