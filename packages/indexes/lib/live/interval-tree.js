'use strict'

/**
 * One interval: texts from `low` on and below `high`; `highest` is that of its part of the tree.
 *
 * @template T
 * @typedef {object} Branch
 * @property {string} low
 * @property {string} high
 * @property {string} highest
 * @property {T} value
 * @property {number} order tells intervals apart that begin at the same text
 * @property {number} rank random: the branch of the higher rank is nearer to the root, so that the tree is not deep
 * @property {Branch<T> | null} left
 * @property {Branch<T> | null} right
 */

/**
 * Intervals of texts, to be asked which of them a text is in: a treap by their lower ends. Adding, removing and asking cost
 * the logarithm of their number, and asking costs what it finds besides.
 *
 * @template T
 */
class IntervalTree {
  /** @type {Branch<T> | null} */
  #root = null
  #next = 0

  get isEmpty () { return this.#root === null }

  /** @param {string} low @param {string} high @param {T} value @returns {Branch<T>} to be given back to `remove` */
  add (low, high, value) {
    const branch = { low, high, highest: high, value, order: this.#next++, rank: Math.random(), left: null, right: null }
    this.#root = insert(this.#root, branch)
    return branch
  }

  /** @param {Branch<T>} branch */
  remove (branch) { this.#root = without(this.#root, branch) }

  /**
   * Gives the values of all intervals that have something between two texts.
   *
   * @param {string} from
   * @param {string} to behind the last one
   * @param {(value: T) => void} take
   */
  each (from, to, take) { visit(this.#root, from, to, take) }
}

/** @template T @param {Branch<T> | null} at @param {string} from @param {string} to @param {(value: T) => void} take */
function visit (at, from, to, take) {
  if (at === null || at.highest <= from) return
  visit(at.left, from, to, take)
  if (at.low >= to) return
  if (at.high > from) take(at.value)
  visit(at.right, from, to, take)
}

/** @param {Branch<any>} a @param {Branch<any>} b */
function isBefore (a, b) { return a.low < b.low || (a.low === b.low && a.order < b.order) }

/** @template T @param {Branch<T> | null} at @param {Branch<T>} branch @returns {Branch<T>} */
function insert (at, branch) {
  if (at === null) return branch
  if (branch.rank > at.rank) {
    [branch.left, branch.right] = split(at, branch)
    return measured(branch)
  }
  if (isBefore(branch, at)) at.left = insert(at.left, branch)
  else at.right = insert(at.right, branch)
  return measured(at)
}

/** Returns the part before an interval, and the part behind it. @template T @param {Branch<T> | null} at @param {Branch<T>} by @returns {[Branch<T> | null, Branch<T> | null]} */
function split (at, by) {
  if (at === null) return [null, null]
  if (isBefore(at, by)) {
    const [before, behind] = split(at.right, by)
    at.right = before
    return [measured(at), behind]
  }
  const [before, behind] = split(at.left, by)
  at.left = behind
  return [before, measured(at)]
}

/** @template T @param {Branch<T> | null} at @param {Branch<T>} branch @returns {Branch<T> | null} */
function without (at, branch) {
  if (at === null) return null
  if (at === branch) return join(at.left, at.right)
  if (isBefore(branch, at)) at.left = without(at.left, branch)
  else at.right = without(at.right, branch)
  return measured(at)
}

/** @template T @param {Branch<T> | null} before @param {Branch<T> | null} behind @returns {Branch<T> | null} */
function join (before, behind) {
  if (before === null || behind === null) return before ?? behind
  if (before.rank > behind.rank) {
    before.right = join(before.right, behind)
    return measured(before)
  }
  behind.left = join(before, behind.left)
  return measured(behind)
}

/** @template T @param {Branch<T>} at */
function measured (at) {
  let { high: highest, left, right } = at
  if (left !== null && left.highest > highest) highest = left.highest
  if (right !== null && right.highest > highest) highest = right.highest
  at.highest = highest
  return at
}

module.exports = { IntervalTree }
