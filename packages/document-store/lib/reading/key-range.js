'use strict'

/**
 * The level's range for CouchDB's `startkey`, `endkey`, `inclusive_end` and `descending` within
 * one store. With `descending`, `startkey` is the higher one.
 *
 * @param {{ gte: string, lt: string }} whole the store's own range
 * @param {(id: string) => string} key
 * @param {import('../..').RangeOptions} options
 */
function keyRange (whole, key, { startkey, endkey, inclusiveEnd = true, descending = false }) {
  const [low, high] = descending ? [endkey, startkey] : [startkey, endkey]
  /** @type {{ reverse: boolean, gt?: string, gte?: string, lt?: string, lte?: string }} */
  const range = { reverse: descending }
  if (low === undefined) range.gte = whole.gte
  else if (descending && !inclusiveEnd) range.gt = key(low)
  else range.gte = key(low)
  if (high === undefined) range.lt = whole.lt
  else if (!descending && !inclusiveEnd) range.lt = key(high)
  else range.lte = key(high)
  return range
}

module.exports = { keyRange }
