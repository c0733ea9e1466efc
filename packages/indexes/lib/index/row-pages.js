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
 * Reads the rows of a range at once, where the level does that and they are few; undefined elsewhere.
 *
 * @param {any} space the document store's
 * @param {string} rows what the keys of the view's rows begin with
 * @param {import('../rows/key-range').KeyRange} range
 * @param {number} wanted how many at most
 * @param {(key: string, text: string) => any} readOne
 * @param {any} [snapshot]
 * @returns {any[] | undefined}
 */
function readFew (space, rows, range, wanted, readOne, snapshot) {
  if (!space.keyspace.reads) return undefined
  const most = Math.min(wanted, FIRST_PAGE)
  const entries = space.keyspace.entriesSync({ ...recordsOf(rows, range), limit: most, snapshot })
  if (most < wanted && entries.length === most) return undefined
  return entries.map((/** @type {[string, string]} */ [key, text]) => readOne(key, text))
}

/**
 * Counts the records of a range where the level does that in logarithmic time; undefined elsewhere.
 *
 * @param {any} space the document store's
 * @param {string} rows what the keys of the view's rows begin with
 * @param {{ low?: string, high?: string }} range
 * @param {any} [snapshot]
 * @returns {number | undefined}
 */
function tellCount ({ keyspace }, rows, { low, high }, snapshot) {
  const { gte, lt } = recordsOf(rows, { low, high, descending: false })
  return keyspace.count({ gte, lt, snapshot })
}

/**
 * Leaves out rows where the level does that in logarithmic time.
 *
 * @param {any} space the document store's
 * @param {any} iterator of the range's records
 * @param {number} skip
 * @param {{ rows: string, range: import('../rows/key-range').KeyRange, snapshot?: any }} reading
 * @returns {Promise<number>} how many of the next rows are to be left out all the same
 */
async function leaveOut (space, iterator, skip, { rows, range, snapshot }) {
  if (skip === 0 || range.accepts !== undefined) return skip
  const before = range.descending ? await countInRun(space, skip, rows, range, snapshot) : 0
  return before !== undefined && iterator.skip(skip - before) ? before : skip
}

/**
 * Counts the records of a run (see backward-runs.js) that are read backwards before a record: the run comes forwards
 * then, and so as a whole.
 *
 * @param {any} space the document store's
 * @param {number} place of the record, as it is read
 * @param {string} rows
 * @param {import('../rows/key-range').KeyRange} range
 * @param {any} snapshot
 * @returns {Promise<number | undefined>} undefined: the level does not tell
 */
async function countInRun (space, place, rows, range, snapshot) {
  const iterator = space.keyspace.keys({ ...recordsOf(rows, range), snapshot })
  const release = space.hold(() => iterator.close())
  try {
    const [key] = iterator.skip(place) ? await space.nextPage(iterator, 1) : []
    if (key === undefined) return 0
    return space.keyspace.count({ gt: key, lt: key.slice(0, key.lastIndexOf('\0')) + '\x01', snapshot })
  } finally {
    await release()
  }
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
 * @param {number} [reading.skip] how many are left out before
 * @param {(key: string, text: string) => any} reading.readOne
 * @param {(row: any) => boolean} [reading.accepts]
 * @param {import('./backward-runs').BackwardRuns} [reading.runs] puts in order what is read backwards
 * @param {any} [reading.snapshot]
 * @returns {AsyncGenerator<any[]>}
 */
async function * readPages (space, rows, range, { limit, skip = 0, readOne, accepts, runs, snapshot }) {
  space.assertOpen()
  const few = (runs ?? accepts) !== undefined || limit <= 0 ? undefined : readFew(space, rows, range, limit + skip, readOne, snapshot)
  if (few !== undefined) {
    await space.afterRead(few.length)
    if (few.length > skip) yield few.slice(skip)
    return
  }
  const iterator = space.keyspace.entries({ ...recordsOf(rows, range), snapshot })
  const release = space.hold(() => iterator.close())
  try {
    let left = limit > 0 ? await leaveOut(space, iterator, skip, { rows, range, snapshot }) : 0
    for (let page = FIRST_PAGE; limit > 0; page = Math.min(page * 4, MOST)) {
      const size = left + limit < MOST ? left + limit : page
      const entries = await space.nextPage(iterator, size)
      // Levels bring less than a page at a time where rows are long.
      if (entries.length === 0) return
      const complete = runs === undefined ? entries : runs.take(entries).slice(0, left + limit)
      const all = complete.map((/** @type {[string, string]} */ [key, text]) => readOne(key, text))
      const accepted = accepts === undefined ? all : all.filter(accepts)
      const wanted = left === 0 ? accepted : accepted.slice(left, left + limit)
      left -= Math.min(left, accepted.length)
      if (wanted.length > 0) yield wanted
      limit -= wanted.length
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
  const known = tellCount(space, rows, range, snapshot)
  if (known !== undefined) return Math.min(known, most)
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

module.exports = { readFew, readPages, countRows, recordsOf, tellCount }
