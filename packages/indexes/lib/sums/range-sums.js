'use strict'

const { after } = require('@potoroo/collation')
const { compareUtf8, nextRound } = require('@potoroo/document-store')
const { rangeOf } = require('../rows/row-layout')
const { RandomReader } = require('./random-reader')
const { LEVELS, parseSum, withValue, sumText } = require('./sum-node')

/** Segments that are worked out at once, and nodes that are written at once. */
const STEP = 16
const KEPT_AT_ONCE = 512

/**
 * A segment, or a range: rows from `from` up to `to`, or all to the view's end.
 * @typedef {{ from: string, to?: string }} Segment
 *
 * A node as it was read; `sum` is there once it is known for the reducer.
 * @typedef {Segment & { level: number, before?: import('./sum-node').Sum, sum?: Part }} Node
 *
 * The value that a reducer makes of some rows; of none there is no value.
 * @typedef {{ count: number, value?: any }} Part
 */

/** Reduces ranges of a view by its partial sums, as they are in a snapshot, until it is closed. */
class RangeSums {
  #place
  #reducer
  #readItem
  #keep
  #forward
  #backward
  #rows
  /** @type {Node[]} */
  #kept = []

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {import('./sum-marks').SumPlace} place
   * @param {object} reading
   * @param {any} [reading.snapshot]
   * @param {import('../reduces/reducer').Reducer} reading.reducer
   * @param {(key: string, text: string) => any} reading.readItem what the reducer reads of a record
   * @param {(nodes: Array<Segment & { level: number, text: string }>) => Promise<void>} reading.keep
   *   takes what was worked out, lower levels first
   */
  constructor (space, place, { snapshot, reducer, readItem, keep }) {
    const { keyspace } = space
    const nodes = rangeOf(place.nodes)
    const rows = { ...rangeOf(place.rows), snapshot }
    this.#place = place
    this.#reducer = reducer
    this.#readItem = readItem
    this.#keep = keep
    this.#forward = new RandomReader(space, () => keyspace.entries({ ...nodes, snapshot }))
    this.#backward = new RandomReader(space, () => keyspace.keys({ ...nodes, reverse: true, snapshot }))
    this.#rows = new RandomReader(space, () => reducer.reads === 'nothing' ? keyspace.keys(rows) : keyspace.entries(rows))
  }

  async close () { await Promise.all([this.#forward, this.#backward, this.#rows].map(reader => reader.close())) }

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

  /** Writes sums. One that JSON cannot hold is worked out each time, and so are those that it is part of. */
  async #flush () {
    const nodes = this.#kept.splice(0).filter(({ sum }) => isFinal(sum?.value))
    if (nodes.length > 0) await this.#keep(nodes.map(node => this.#recordOf(node)))
  }

  /**
   * A range as the fewest parts, in order: rows at both ends, nodes of level 1 behind them, and so on.
   *
   * @param {string} low
   * @param {string | undefined} high
   * @returns {Promise<Array<Segment & { level: number }>>}
   */
  async #cover (low, high) {
    const left = []
    const right = []
    /** @type {Segment} */
    let range = { from: low, to: high }
    let level = 0
    for (; level < LEVELS; level++) {
      const inner = await this.#within(level + 1, range)
      if (inner === undefined) break
      if (inner.from !== range.from) left.push({ level, from: range.from, to: inner.from })
      if (inner.to !== range.to) right.unshift({ level, from: /** @type {string} */ (inner.to), to: range.to })
      range = inner
    }
    return [...left, { level, ...range }, ...right]
  }

  /**
   * Returns the part of a range that whole nodes of a level cover; undefined where there is none.
   * @param {number} level
   * @param {Segment} range
   * @returns {Promise<Segment | undefined>}
   */
  async #within (level, { from, to }) {
    const prefix = this.#place.nodes + level
    const first = from === '' ? '' : this.#rowOf(prefix, (await this.#forward.at(prefix + from))?.[0])
    if (first === undefined || to === undefined) return first === undefined ? undefined : { from: first, to }
    const last = this.#rowOf(prefix, await this.#backward.at(prefix + to))
    return last === undefined || compareUtf8(first, last) >= 0 ? undefined : { from: first, to: last }
  }

  /** @param {string} prefix @param {string | undefined} key @returns {string | undefined} undefined where the key is of another level */
  #rowOf (prefix, key) { return key?.startsWith(prefix) ? key.slice(prefix.length) : undefined }

  /** @param {number} level @param {Segment} range @returns {Promise<Node[]>} the nodes that are the range */
  async #nodes (level, { from, to }) {
    const prefix = this.#place.nodes + level
    const records = await this.#forward.between(prefix + from, to === undefined ? after(prefix) : prefix + to)
    return records.map(([key, text], i) => {
      const before = parseSum(text)
      const next = records[i + 1]?.[0].slice(prefix.length)
      return { level, from: key.slice(prefix.length), to: next ?? to, before, sum: this.#partOf(before) }
    })
  }

  /** @param {import('./sum-node').Sum | undefined} sum @returns {Part | undefined} */
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

  /**
   * Reads what the reducer wants of segments that are one behind the other.
   * @param {Segment[]} segments
   */
  async #readRun (segments) {
    const { rows } = this.#place
    const to = segments[segments.length - 1].to
    const groups = segments.map(() => /** @type {any[]} */ ([]))
    const isKeys = this.#reducer.reads === 'nothing'
    const records = await this.#rows.between(rows + segments[0].from, to === undefined ? after(rows) : rows + to)
    let at = 0
    for (const record of records) {
      const key = isKeys ? record : record[0]
      // A segment begins at a row that is there.
      if (at + 1 < segments.length && key === rows + segments[at + 1].from) at++
      groups[at].push(isKeys ? undefined : this.#readItem(key, record[1]))
    }
    return groups
  }

  /** @param {Node} node */
  #recordOf ({ level, from, to, before, sum }) {
    const known = before ?? { count: /** @type {Part} */ (sum).count, values: {} }
    const { reads, name } = this.#reducer
    const isNew = reads !== 'nothing' && known.count > 0
    return { level, from, to, text: sumText(isNew ? withValue(known, name, /** @type {Part} */ (sum).value) : known) }
  }
}

/**
 * Sums may have come to more than any number.
 * @param {any} value
 * @returns {boolean}
 */
function isFinal (value) {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isFinal)
}

module.exports = { RangeSums }
