'use strict'

const { BackwardRuns } = require('./backward-runs')
const { MergedCursor } = require('./merged-cursor')
const { readRowText } = require('../rows/row')

/**
 * @typedef {import('./index-snapshot').IndexSnapshot} IndexSnapshot
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 */

/** Records that are read at once: few at first, for those who soon have enough. */
const FIRST_PAGE = 32
const MOST = 1024

/** The rows of several principals in an index at one moment, each once. */
class PrincipalSnapshot {
  #parts

  /** @param {IndexSnapshot} snapshot @param {IndexSnapshot[]} parts of each principal */
  constructor (snapshot, parts) {
    this.#parts = parts
    this.state = snapshot.state
    this.collations = snapshot.collations
    this.close = snapshot.close
  }

  /** @param {number} view @param {KeyRange} range */
  cursor (view, range) { return new MergedCursor(this.#parts.map(part => part.cursor(view, range)), range.descending) }

  /** Principals may share a document, so their sums cannot be added. */
  sums () { return undefined }
  wantSums () {}
  /** Nor can their rows be counted without reading. */
  tellCount () { return undefined }

  /**
   * Rows as of an IndexSnapshot.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} [limit]
   * @returns {AsyncGenerator<Array<{ id: string, key: string, value: string }>>}
   */
  async * texts (view, range, limit = Infinity) {
    const { accepts } = range
    const runs = range.descending ? new BackwardRuns() : undefined
    const cursor = this.cursor(view, range)
    try {
      for (let size = FIRST_PAGE; limit > 0; size = Math.min(size * 4, MOST)) {
        const records = await cursor.page(size)
        if (records.length === 0) return
        const complete = runs === undefined ? records : runs.take(records)
        const rows = complete.map(([key, text]) => readRowText(this.collations[view], key, text, cursor.keyStart))
        const accepted = (accepts === undefined ? rows : rows.filter(({ key }) => accepts(JSON.parse(key)))).slice(0, limit)
        limit -= accepted.length
        if (accepted.length > 0) yield accepted
      }
    } finally {
      await cursor.close()
    }
  }

  /** Counts rows, which takes reading them. @param {number} view @param {{ low?: string, high?: string }} [range] */
  async count (view, range = {}) {
    const cursor = this.cursor(view, { ...range, descending: false })
    try {
      let count = 0
      for (let page = await cursor.page(MOST); page.length > 0; page = await cursor.page(MOST)) count += page.length
      return count
    } finally {
      await cursor.close()
    }
  }
}

/**
 * An index with rows by principal at one moment, as somebody sees it who is several of them.
 *
 * @param {IndexSnapshot} snapshot
 * @param {number} view
 * @param {string[]} principals
 */
async function seenBy (snapshot, view, principals) {
  const parts = []
  for (const principal of principals) {
    const part = snapshot.within(`${principal}:`)
    const cursor = part.cursor(view, { descending: false })
    if ((await cursor.page(1)).length > 0) parts.push(part)
    await cursor.close()
  }
  return parts.length === 1 ? parts[0] : new PrincipalSnapshot(snapshot, parts)
}

module.exports = { seenBy }
