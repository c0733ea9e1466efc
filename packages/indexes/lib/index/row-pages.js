'use strict'

const { after } = require('@potoroo/collation')

/** Rows that are read at once: few at first, for those who soon have enough. */
const FIRST_PAGE = 32
const MOST = 1024

/**
 * The keys of a range's records in a level.
 *
 * @param {string} rows what the keys of the view's rows begin with
 * @param {import('../rows/key-range').KeyRange} range
 */
function recordsOf (rows, { low = '', high, descending }) {
  return { gte: rows + low, lt: high === undefined ? after(rows) : rows + high, reverse: descending }
}

/**
 * Rows of a view, page by page, as they are when the first is read, or as they were in a snapshot. The
 * store lets others run between long ones.
 *
 * @param {any} space the document store's
 * @param {string} rows what the keys of the view's rows begin with
 * @param {import('../rows/key-range').KeyRange} range
 * @param {object} reading
 * @param {number} reading.limit how many are wanted: no more are read
 * @param {(key: string, text: string) => any} reading.readOne
 * @param {(row: any) => boolean} [reading.accepts]
 * @param {import('./backward-runs').BackwardRuns} [reading.runs] puts in order what is read backwards
 * @param {any} [reading.snapshot]
 * @returns {AsyncGenerator<any[]>}
 */
async function * readPages (space, rows, range, { limit, readOne, accepts, runs, snapshot }) {
  space.assertOpen()
  const iterator = space.keyspace.entries({ ...recordsOf(rows, range), snapshot })
  const release = space.hold(() => iterator.close())
  try {
    for (let page = FIRST_PAGE; limit > 0; page = Math.min(page * 4, MOST)) {
      const size = limit < MOST ? limit : page
      const entries = await space.nextPage(iterator, size)
      // Levels bring less than a page at a time where rows are long.
      if (entries.length === 0) return
      const complete = runs === undefined ? entries : runs.take(entries).slice(0, limit)
      const all = complete.map((/** @type {[string, string]} */ [key, text]) => readOne(key, text))
      const accepted = accepts === undefined ? all : all.filter(accepts)
      if (accepted.length > 0) yield accepted
      limit -= accepted.length
    }
  } finally {
    await release()
  }
}

/**
 * Counts the rows that there are, up to about that many.
 *
 * @param {any} space
 * @param {string} rows
 * @param {import('../rows/key-range').KeyRange} range
 * @param {{ most?: number, snapshot?: any }} [reading]
 */
async function countRows (space, rows, range, { most = Infinity, snapshot } = {}) {
  const iterator = space.keyspace.keys({ ...recordsOf(rows, range), snapshot })
  const release = space.hold(() => iterator.close())
  try {
    let count = 0
    while (count < most) {
      const { length } = await space.nextPage(iterator, Math.min(most - count, MOST))
      if (length === 0) break
      count += length
    }
    return count
  } finally {
    await release()
  }
}

module.exports = { readPages, countRows, recordsOf }
