'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { after } = require('@potoroo/collation')
const { LEVELS, parseSum, withValue, sumText } = require('./sum-node')

/** Segments that are worked out at once, and nodes that are written at once. */
const STEP = 16
const KEPT_AT_ONCE = 512
const PAGE = 1024

/**
 * A segment, or a range: rows from `from` up to `to`, or all to the view's end.
 * @typedef {{ from: string, to?: string }} Segment
 *
 * A node as it was read; `sum` is there once it is known for the reducer.
 * @typedef {Segment & { level: number, before?: import('./sum-node').Sum, sum?: Part }} Node
 *
 * What a reducer makes of some rows; of none there is no value.
 * @typedef {{ count: number, value?: any }} Part
 */

/** Reduces ranges of a view by its partial sums, as they are in a snapshot. */
class RangeSums {
  #space
  #place
  #snapshot
  #reducer
  #readItem
  #keep
  /** @type {Node[]} */
  #kept = []

  /**
   * @param {any} space the document store's
   * @param {import('./sum-marks').SumPlace} place
   * @param {object} reading
   * @param {any} [reading.snapshot]
   * @param {import('../reduces/reducer').Reducer} reading.reducer
   * @param {(key: string, text: string) => any} reading.readItem what the reducer reads of a record
   * @param {(nodes: Array<Segment & { level: number, text: string }>) => Promise<void>} reading.keep
   *   takes what was worked out, lower levels first
   */
  constructor (space, place, { snapshot, reducer, readItem, keep }) {
    this.#space = space
    this.#place = place
    this.#snapshot = snapshot
    this.#reducer = reducer
    this.#readItem = readItem
    this.#keep = keep
  }

  /**
   * @param {string} [low] the first row that counts
   * @param {string} [high] the first that does not any more
   * @returns {Promise<Part>}
   */
  async of (low = '', high) {
    const parts = []
    for (const { level, from, to } of await this.#cover(low, high)) {
      if (level === 0) parts.push(...await this.#sumRows([{ from, to }]))
      else parts.push(...await this.#sumsOf(await this.#nodes(level, { from, to })))
    }
    const [part] = await this.#join([parts])
    await this.#flush()
    return part
  }

  /** What JSON cannot hold is worked out each time, and so is what it is part of. */
  async #flush () {
    const nodes = this.#kept.splice(0).filter(({ sum }) => isFinal(sum?.value))
    if (nodes.length > 0) await this.#keep(nodes.map(node => this.#recordOf(node)))
  }

  /**
   * A range as the fewest parts, in order: rows at both ends, nodes of level 1 behind them, and so on.
   *
   * @returns {Promise<Array<Segment & { level: number }>>}
   */
  async #cover (low, high) {
    const left = []
    const right = []
    let range = { from: low, to: high }
    let level = 0
    for (; level < LEVELS; level++) {
      const inner = await this.#within(level + 1, range)
      if (inner === undefined) break
      if (inner.from !== range.from) left.push({ level, from: range.from, to: inner.from })
      if (inner.to !== range.to) right.unshift({ level, from: inner.to, to: range.to })
      range = inner
    }
    return [...left, { level, ...range }, ...right]
  }

  /** The part of a range that whole nodes of a level cover; undefined where there is none. */
  async #within (level, { from, to }) {
    const first = from === '' ? '' : await this.#boundary(level, { gte: from, to })
    if (first === undefined) return undefined
    if (to === undefined) return { from: first, to }
    const last = await this.#boundary(level, { gte: first, to, reverse: true })
    return last === first ? undefined : { from: first, to: last }
  }

  /** The first node, or the last, that begins at or after a row and not after `to`. */
  async #boundary (level, { gte, to, reverse = false }) {
    const prefix = this.#place.nodes + level
    const end = to === undefined ? { lt: after(prefix) } : { lte: prefix + to }
    const iterator = this.#space.keyspace.keys({ gte: prefix + gte, ...end, reverse, limit: 1, snapshot: this.#snapshot })
    const [key] = await this.#all(iterator)
    return key?.slice(prefix.length)
  }

  /** @param {number} level @param {Segment} range @returns {Promise<Node[]>} the nodes that are the range */
  async #nodes (level, { from, to }) {
    const prefix = this.#place.nodes + level
    const lt = to === undefined ? after(prefix) : prefix + to
    const records = await this.#all(this.#space.keyspace.entries({ gte: prefix + from, lt, snapshot: this.#snapshot }))
    return records.map(([key, text], i) => {
      const before = parseSum(text)
      const next = records[i + 1]?.[0].slice(prefix.length)
      return { level, from: key.slice(prefix.length), to: next ?? to, before, sum: this.#partOf(before) }
    })
  }

  /** @returns {Part | undefined} */
  #partOf (sum) {
    if (sum === undefined) return undefined
    const { count, values } = sum
    const { reads, name } = this.#reducer
    if (count === 0) return { count }
    if (reads === 'nothing') return { count, value: count }
    return Object.hasOwn(values, name) ? { count, value: values[name] } : undefined
  }

  /** @param {Node[]} nodes @returns {Promise<Part[]>} */
  async #sumsOf (nodes) {
    const unknown = nodes.filter(({ sum }) => sum === undefined)
    for (let at = 0; at < unknown.length; at += STEP) {
      const step = unknown.slice(at, at + STEP)
      const sums = await this.#workOut(step)
      for (let i = 0; i < step.length; i++) step[i].sum = sums[i]
      this.#kept.push(...step)
      if (this.#kept.length >= KEPT_AT_ONCE) await this.#flush()
      await nextRound()
    }
    return nodes.map(({ sum }) => /** @type {Part} */ (sum))
  }

  /** @param {Node[]} nodes of one level */
  async #workOut (nodes) {
    const { level } = nodes[0]
    if (level === 1) return this.#sumRows(nodes)
    const below = []
    for (const node of nodes) below.push(await this.#nodes(level - 1, node))
    await this.#sumsOf(below.flat())
    return this.#join(below.map(children => children.map(({ sum }) => /** @type {Part} */ (sum))))
  }

  /** @param {Part[][]} groups @returns {Promise<Part[]>} one of each */
  async #join (groups) {
    const { reads, rereduce } = this.#reducer
    const joined = groups.map(parts => ({ count: parts.reduce((sum, { count }) => sum + count, 0), parts: parts.filter(({ count }) => count > 0) }))
    if (reads === 'nothing') return joined.map(({ count }) => ({ count, value: count }))
    const several = joined.filter(({ parts }) => parts.length > 1)
    const values = several.length === 0 ? [] : await rereduce(several.map(({ parts }) => parts.map(({ value }) => value)))
    let next = 0
    return joined.map(({ count, parts }) => parts.length > 1 ? { count, value: values[next++] } : parts[0] ?? { count })
  }

  /** @param {Segment[]} segments @returns {Promise<Part[]>} */
  async #sumRows (segments) {
    const groups = /** @type {any[][]} */ ([])
    for (let first = 0, end; first < segments.length; first = end) {
      for (end = first + 1; end < segments.length && segments[end].from === segments[end - 1].to;) end++
      groups.push(...await this.#readRun(segments.slice(first, end)))
    }
    const { reads, reduce } = this.#reducer
    if (reads === 'nothing') return groups.map(({ length: count }) => ({ count, value: count }))
    const some = groups.filter(({ length }) => length > 0)
    const values = some.length === 0 ? [] : await reduce(some)
    let next = 0
    return groups.map(({ length: count }) => count === 0 ? { count } : { count, value: values[next++] })
  }

  /** What the reducer reads of segments that are one behind the other. */
  async #readRun (segments) {
    const { rows } = this.#place
    const to = segments[segments.length - 1].to
    const range = { gte: rows + segments[0].from, lt: to === undefined ? after(rows) : rows + to, snapshot: this.#snapshot }
    const groups = segments.map(() => /** @type {any[]} */ ([]))
    const isKeys = this.#reducer.reads === 'nothing'
    const records = await this.#all(isKeys ? this.#space.keyspace.keys(range) : this.#space.keyspace.entries(range))
    let at = 0
    for (const record of records) {
      const key = isKeys ? record : record[0]
      // A segment begins at a row that is there.
      if (at + 1 < segments.length && key === rows + segments[at + 1].from) at++
      groups[at].push(isKeys ? undefined : this.#readItem(key, record[1]))
    }
    return groups
  }

  async #all (iterator) {
    const release = this.#space.hold(() => iterator.close())
    try {
      const all = []
      for (let page = await this.#space.nextPage(iterator, PAGE); page.length > 0; page = await this.#space.nextPage(iterator, PAGE)) {
        for (const each of page) all.push(each)
      }
      return all
    } finally {
      await release()
    }
  }

  /** @param {Node} node */
  #recordOf ({ level, from, to, before, sum }) {
    const known = before ?? { count: /** @type {Part} */ (sum).count, values: {} }
    const { reads, name } = this.#reducer
    const isNew = reads !== 'nothing' && known.count > 0
    return { level, from, to, text: sumText(isNew ? withValue(known, name, /** @type {Part} */ (sum).value) : known) }
  }
}

/** Sums may have come to more than any number. */
function isFinal (value) {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isFinal)
}

module.exports = { RangeSums }
