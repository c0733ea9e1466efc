'use strict'

const { END, Walks } = require('./interval-list')
const { WalkQueue, endsBefore, startsBefore } = require('./walk-queue')

/**
 * Intervals of several lists, or of any of them: the shortest, none of which contains another.
 *
 * @typedef {import('./interval-list').Walk} Walk
 * @typedef {import('./interval-list').IntervalList} IntervalList
 * @see Clarke, Cormack, Burkowski: An Algebra for Structured Text Search and a Framework for its Implementation
 * @see Boldi, Vigna: Efficient Optimally Lazy Algorithms for Minimal-Interval Semantics
 */

/**
 * One of each list, one behind the other. Several may have the same last part: the shortest of them counts.
 *
 * @param {IntervalList[]} lists
 * @param {IntervalList} out
 */
function ordered (lists, out) {
  const walks = new Walks(lists)
  const [first, last] = [walks.all[0], walks.all[lists.length - 1]]
  let [at, isMore] = [1, walks.next(first)]
  while (isMore) {
    let [start, gaps, end] = [END, 0, END]
    for (let bound = END; isMore; bound = last.start) {
      at = line(walks, at, bound)
      if (at < lists.length) break
      start = first.start
      end = last.end
      gaps = end - start + 1 - walks.width
      at = 1
      isMore = walks.next(first)
    }
    if (start === END) return
    out.add(start, end, gaps)
  }
}

/**
 * Moves walks behind the ones before them.
 *
 * @param {Walks} walks in order up to the first that is to be moved
 * @param {number} at the first that is to be moved
 * @param {number} bound parts of a shorter interval with the same last part end before it; END: there is none yet
 * @returns {number} how many walks there are, if all are in order; or the one that cannot be moved so
 */
function line (walks, at, bound) {
  const { all } = walks
  for (; ; at++) {
    const { end } = all[at - 1]
    if (end >= bound || at === all.length) return at
    const walk = all[at]
    if (bound < END && walk.start > end) return all.length
    do if (walk.end >= bound || !walks.next(walk)) return at
    while (walk.start <= end)
  }
}

/**
 * One of each list, in any order.
 *
 * @param {IntervalList[]} lists
 * @param {IntervalList} out
 */
function unordered (lists, out) {
  const walks = new Walks(lists)
  const queue = new WalkQueue(startsBefore)
  let right = -1
  const move = (/** @type {Walk} */ walk) => {
    if (!walks.next(walk)) return
    queue.push(walk)
    right = Math.max(right, walk.end)
  }
  walks.all.forEach(move)
  for (let start = -1; ;) {
    while (queue.size === lists.length && queue.first.start === start) move(queue.pop())
    if (queue.size < lists.length) return
    let [end, gaps] = [right, 0]
    for (let isShorter = true; isShorter;) {
      start = queue.first.start
      end = right
      gaps = end - start + 1 - walks.width
      if (queue.first.end === end) break
      move(queue.pop())
      isShorter = queue.size === lists.length && right === end
    }
    out.add(start, end, gaps)
  }
}

/** Walks of which as many as are wanted are looked at together, those that end first, and the others wait. */
class Nearest {
  together = new WalkQueue(startsBefore)
  #waiting = new WalkQueue(endsBefore)
  /** The last position of those that are, or were, together. */
  right = -1
  /** The sum of the widths of those that are together. */
  width = 0

  /** @param {Walk[]} walks @param {number} wanted */
  constructor (walks, wanted) {
    for (const walk of walks) if (walk.next()) this.#waiting.push(walk)
    for (let i = 0; i < wanted; i++) this.#take()
  }

  #take () {
    if (this.#waiting.size === 0) return
    const walk = this.#waiting.pop()
    this.together.push(walk)
    this.width += walk.width
    this.right = Math.max(this.right, walk.end)
  }

  /** Moves the first one on, behind those that end before it. @param {boolean} isReplaced whether another one comes for it where it is at its end */
  move (isReplaced) {
    const walk = this.together.pop()
    this.width -= walk.width
    const isMore = walk.next()
    if (isMore) this.#waiting.push(walk)
    if (isMore || isReplaced) this.#take()
  }
}

/**
 * One of each of some lists, in any order.
 *
 * @param {IntervalList[]} lists
 * @param {IntervalList} out
 * @param {number[]} numbers how many lists, at least 1
 */
function atLeast (lists, out, [least]) {
  const nearest = new Nearest(new Walks(lists).all, least)
  const { together } = nearest
  for (let start = -1; ;) {
    // Lucene does not look at those that wait, either, once one of the others is at its end.
    while (together.size === least && together.first.start === start) nearest.move(false)
    if (together.size < least) return
    let [end, gaps] = [nearest.right, 0]
    for (let isShorter = true; isShorter;) {
      start = together.first.start
      end = nearest.right
      gaps = end - start + 1 - nearest.width
      if (together.first.end === end) break
      nearest.move(true)
      isShorter = together.size === least && nearest.right === end
    }
    out.add(start, end, gaps)
  }
}

/**
 * Any of the lists.
 *
 * @param {IntervalList[]} lists
 * @param {IntervalList} out
 */
function anyOf (lists, out) {
  const queue = new WalkQueue(endsBefore)
  const move = (/** @type {Walk} */ walk) => { if (walk.next()) queue.push(walk) }
  new Walks(lists).all.forEach(move)
  while (queue.size > 0) {
    const { start, end } = queue.first
    queue.first.copyTo(out)
    while (queue.size > 0 && queue.first.start <= start && queue.first.end >= end) move(queue.pop())
  }
}

/**
 * One of each list, one right behind the other.
 *
 * @param {IntervalList[]} lists
 * @param {IntervalList} out
 */
function block (lists, out) {
  const { all } = new Walks(lists)
  while (all[0].next()) {
    let at = 1
    for (; at < all.length; at++) {
      const { end } = all[at - 1]
      while (all[at].start <= end) if (!all[at].next()) return
      if (all[at].start !== end + 1) break
    }
    if (at === all.length) out.add(all[0].start, all[at - 1].end)
  }
}

/**
 * Several of one list, with none of it between them.
 *
 * @param {IntervalList[]} lists one
 * @param {IntervalList} out
 * @param {number[]} numbers how many
 */
function repeat ([{ starts, ends, count }], out, [times]) {
  let width = 0
  for (let at = 0; at < count; at++) {
    // Longer ones count so in Lucene; positions count as they should.
    width += starts[at] - ends[at] + 1
    if (at < times - 1) continue
    const first = at - times + 1
    out.add(starts[first], ends[at], ends[at] - starts[first] + 1 - width, width)
    width -= starts[first] - ends[first] + 1
  }
}

module.exports = { anyOf, atLeast, block, ordered, repeat, unordered }
