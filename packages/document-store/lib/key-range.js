'use strict'

/**
 * The level's range for CouchDB's `startkey`, `endkey`, `inclusive_end` and `descending` within
 * one store. With `descending`, `startkey` is the higher one.
 *
 * @param {{ gte: string, lt: string }} whole the store's own range
 * @param {(id: string) => string} key
 * @param {import('..').RangeOptions} options
 */
function keyRange (whole, key, { startkey, endkey, inclusiveEnd = true, descending = false }) {
  const range = { ...whole, reverse: descending }
  const [low, high] = descending ? [endkey, startkey] : [startkey, endkey]
  if (low !== undefined) bound(range, 'g', key(low), descending && !inclusiveEnd)
  if (high !== undefined) bound(range, 'l', key(high), !descending && !inclusiveEnd)
  return range
}

function bound (range, side, key, open) {
  delete range[side + 't']
  delete range[side + 'te']
  range[side + (open ? 't' : 'te')] = key
}

module.exports = { keyRange }
