'use strict'

const { countBelow } = require('./key-text')

/**
 * @typedef {{ keys: string[], valueAt: (index: number) => Uint8Array | null | undefined }} Source keys in order; null: removed;
 *   undefined: the next source says
 */

/**
 * Reads a range of several sources, of which the first that says something about a key counts.
 *
 * @param {Source[]} sources
 * @param {import('./key-text').TextRange} range
 * @param {number} size how many at most
 * @param {boolean} reverse
 * @param {Array<[string, Uint8Array]>} found gets the entries
 */
function readMerged (sources, { from, to }, size, reverse, found) {
  const cursors = sources.map(source => {
    const [first, end] = [countBelow(source.keys, from), countBelow(source.keys, to)]
    return { source, at: reverse ? end - 1 : first, left: end - first }
  })
  const step = reverse ? -1 : 1
  while (found.length < size) {
    /** @type {string | undefined} */
    let next
    for (const { source, at, left } of cursors) {
      if (left > 0 && (next === undefined || (reverse ? source.keys[at] > next : source.keys[at] < next))) next = source.keys[at]
    }
    if (next === undefined) return
    /** @type {Uint8Array | null | undefined} */
    let value
    for (const cursor of cursors) {
      if (cursor.left <= 0 || cursor.source.keys[cursor.at] !== next) continue
      if (value === undefined) value = cursor.source.valueAt(cursor.at)
      cursor.at += step
      cursor.left--
    }
    if (value instanceof Uint8Array) found.push([next, value])
  }
}

module.exports = { readMerged }
