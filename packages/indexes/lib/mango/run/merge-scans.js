'use strict'

const { couchCollation } = require('@potoroo/collation')
const { valuesOf } = require('../plan/ranges')

/**
 * @typedef {import('../plan/candidates').Scan} Scan
 * @typedef {import('./scan-rows').ScanRow} ScanRow
 * @typedef {ScanRow & { scan: Scan }} MergedRow
 */

/** Rows of a page. */
const PAGE = 32

/** The rows of one scan, one after the other. */
class Cursor {
  #pages
  /** @type {ScanRow[]} */
  #page = []
  #at = 0
  /** The row that it stands at, once there is one. */
  row = /** @type {ScanRow} */ (/** @type {unknown} */ (null))

  /** @param {Scan} scan @param {AsyncGenerator<ScanRow[]>} pages */
  constructor (scan, pages) {
    this.scan = scan
    this.values = /** @type {any[]} */ ([])
    this.#pages = pages
  }

  /** @returns {boolean | Promise<boolean>} whether there is another row */
  next () { return this.#at < this.#page.length ? this.#take() : this.#turn() }

  async #turn () {
    const { value, done } = await this.#pages.next()
    if (done) return false
    this.#page = value
    this.#at = 0
    return this.#take()
  }

  #take () {
    this.row = this.#page[this.#at++]
    this.values = valuesOf(this.scan.order, this.row.key)
    return true
  }

  close () { return this.#pages.return(undefined) }
}

/**
 * The rows of several scans in the order of the sort; where that says nothing, in the order of the scans.
 *
 * @param {Array<{ scan: Scan, pages: AsyncGenerator<ScanRow[]> }>} opened
 * @param {boolean} descending
 * @returns {AsyncGenerator<MergedRow[]>}
 */
async function * mergeScans (opened, descending) {
  const cursors = opened.map(({ scan, pages }) => new Cursor(scan, pages))
  try {
    const heap = /** @type {Cursor[]} */ ([])
    for (const cursor of cursors) if (await cursor.next()) heap.push(cursor)
    heap.sort((a, b) => compareCursors(a, b, descending))
    yield * mergeHeap(heap, descending)
  } finally {
    for (const cursor of cursors) await cursor.close()
  }
}

/** @param {Cursor[]} heap @param {boolean} descending @returns {AsyncGenerator<MergedRow[]>} */
async function * mergeHeap (heap, descending) {
  let page = []
  while (heap.length > 0) {
    const [cursor] = heap
    page.push({ ...cursor.row, scan: cursor.scan })
    const more = cursor.next()
    if (!(typeof more === 'boolean' ? more : await more)) {
      const last = /** @type {Cursor} */ (heap.pop())
      if (last !== cursor) heap[0] = last
    }
    sink(heap, descending)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/**
 * Puts the first of a heap where it belongs.
 *
 * @param {Cursor[]} heap
 * @param {boolean} descending
 */
function sink (heap, descending) {
  for (let at = 0; ;) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && compareCursors(heap[child], heap[least], descending) < 0) least = child
    }
    if (least === at) return
    const moved = heap[at]
    heap[at] = heap[least]
    heap[least] = moved
    at = least
  }
}

/** @param {Cursor} a @param {Cursor} b @param {boolean} descending */
function compareCursors (a, b, descending) {
  return compareValues(a.values, b.values, descending) || a.scan.number - b.scan.number
}

/**
 * The order of what rows are sorted by.
 *
 * @param {any[]} a
 * @param {any[]} b
 * @param {boolean} descending
 */
function compareValues (a, b, descending) {
  for (let i = 0; i < a.length; i++) {
    const order = couchCollation.compare(a[i], b[i])
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

module.exports = { compareValues, mergeScans }
