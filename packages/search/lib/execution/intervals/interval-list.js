'use strict'

/** A place behind all others. */
const END = 0x7fffffff

/** Room for a few: most documents have no more. */
const FIRST = 16

/** Intervals of positions in one document, in the order in which their source gives them. */
class IntervalList {
  starts = new Int32Array(FIRST)
  /** The last positions. */
  ends = new Int32Array(FIRST)
  /** Positions within that no part of the interval takes. */
  gaps = new Int32Array(FIRST)
  /** Positions that the interval takes of one that it is a part of. */
  widths = new Int32Array(FIRST)
  count = 0

  /** @param {number} start @param {number} end @param {number} [gaps] @param {number} [width] */
  add (start, end, gaps = 0, width = end - start + 1) {
    if (this.count === this.starts.length) this.reserve(2 * this.count)
    const at = this.count++
    this.starts[at] = start
    this.ends[at] = end
    this.gaps[at] = gaps
    this.widths[at] = width
  }

  /** @param {number} room */
  reserve (room) {
    if (room <= this.starts.length) return
    for (const name of /** @type {const} */ (['starts', 'ends', 'gaps', 'widths'])) {
      const larger = new Int32Array(room)
      larger.set(this[name].subarray(0, this.count))
      this[name] = larger
    }
  }

  /** Makes an interval of each of the first `starts`, which are positions. @param {number} count */
  takePositions (count) {
    this.count = count
    this.ends.set(this.starts.subarray(0, count))
    this.gaps.fill(0, 0, count)
    this.widths.fill(1, 0, count)
  }
}

/** Goes through a list once. It begins before the first interval, at -1. */
class Walk {
  #list
  #at = -1
  start = -1
  end = -1
  /** 0 where there is no interval. */
  width = 0

  /** @param {IntervalList} list */
  constructor (list) { this.#list = list }

  /** @returns {boolean} false: it is behind the last one, at END */
  next () {
    const { starts, ends, widths, count } = this.#list
    const at = ++this.#at
    const isThere = at < count
    this.start = isThere ? starts[at] : END
    this.end = isThere ? ends[at] : END
    this.width = isThere ? widths[at] : 0
    return isThere
  }

  /** Adds the interval that it is at to a list. @param {IntervalList} out */
  copyTo (out) { out.add(this.start, this.end, this.#list.gaps[this.#at]) }
}

/** Walks through several lists, and what their intervals take together. */
class Walks {
  /** The sum of the widths. */
  width = 0

  /** @param {IntervalList[]} lists */
  constructor (lists) { this.all = lists.map(list => new Walk(list)) }

  /** @param {Walk} walk one of them @returns {boolean} false: there are no more intervals */
  next (walk) {
    this.width -= walk.width
    const isThere = walk.next()
    this.width += walk.width
    return isThere
  }
}

module.exports = { END, IntervalList, Walk, Walks }
