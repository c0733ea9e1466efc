'use strict'

const { nextPage } = require('./cursor')

/**
 * @import { Core } from '../store/core'
 * @import { ChangesOptions } from '../..'
 */

const MAX_ANCHORS = 32
const PAGE = 1000

/**
 * How many changes lie at or before a sequence, for `pending`. Most levels count by a scan, so the
 * sequences where readers stopped are remembered, with their counts kept right as commits
 * remove older changes: one who goes on from there needs no scan.
 */
class Ranks {
  #core
  #anchors = new Map()
  #commits = 0

  /** @param {Core} core */
  constructor (core) {
    this.#core = core
  }

  /** How many commits there were that removed changes. */
  get commits () { return this.#commits }

  /**
   * A commit removed the changes at these sequences.
   *
   * @param {number[]} removed
   */
  committed (removed) {
    this.#commits++
    for (const [anchor, rank] of this.#anchors) {
      let below = 0
      for (const seq of removed) if (seq <= anchor) below++
      if (below > 0) this.#anchors.set(anchor, rank - below)
    }
  }

  /**
   * Counts along with a reader that scans a snapshot; only counts of its moment are remembered.
   *
   * @param {any} scan
   * @param {ChangesOptions} options
   */
  async start (options, scan) {
    const total = scan.totals.live + scan.totals.deleted
    if (options.descending) return new Counter(this, 0, total, -1)
    const { commits } = scan
    const since = options.since ?? 0
    const known = commits === this.#commits ? this.#anchors.get(since) : undefined
    const rank = known ?? await this.#count(since, scan)
    return new Counter(this, rank, total, commits)
  }

  /** @param {number} since @param {any} scan */
  async #count (since, scan) {
    if (since <= 0) return 0
    if (since >= scan.totals.seq) return scan.totals.live + scan.totals.deleted
    const { keyspace, layout } = this.#core
    const range = { gte: layout.sequences, lte: layout.sequence(since), snapshot: scan.snapshot }
    const known = keyspace.count(range)
    if (known !== undefined) return known
    const iterator = keyspace.keys(range)
    let count = 0
    try {
      for (let page = await nextPage(this.#core, iterator, PAGE); page.length > 0;) {
        count += page.length
        page = await nextPage(this.#core, iterator, PAGE)
      }
    } finally {
      await iterator.close()
    }
    return count
  }

  /** @param {number} seq @param {number} rank @param {number} commits */
  remember (seq, rank, commits) {
    if (commits !== this.#commits) return
    this.#anchors.delete(seq)
    this.#anchors.set(seq, rank)
    if (this.#anchors.size > MAX_ANCHORS) this.#anchors.delete(this.#anchors.keys().next().value)
  }
}

/** Counts what one reader passes. */
class Counter {
  #ranks
  #rank
  #total
  #commits

  /** @param {Ranks} ranks @param {number} rank @param {number} total @param {number} commits */
  constructor (ranks, rank, total, commits) {
    this.#ranks = ranks
    this.#rank = rank
    this.#total = total
    this.#commits = commits
  }

  /**
   * @param {Array<{ seq: number }>} rows a page, of which those after `lastSeq` do not count
   * @param {number} lastSeq
   */
  pendingAfter (rows, lastSeq) {
    let passed = rows.length
    while (passed > 0 && rows[passed - 1].seq !== lastSeq) passed--
    this.#rank += passed
    this.#ranks.remember(lastSeq, this.#rank, this.#commits)
    return Math.max(0, this.#total - this.#rank)
  }
}

module.exports = { Ranks }
