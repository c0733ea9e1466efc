'use strict'

const { nextPage } = require('./cursor')
const { isLive } = require('../media/record')
const { Totals } = require('../commit/totals')
const { compareUtf8 } = require('../json/utf8-order')

/**
 * @import { Snapshot } from '../media/keyspace'
 */

/** Entries that are read at most to find a place, once it is known what is around it. */
const BLOCK = 64

/**
 * How many live documents come before an id, for `offset`. That needs a scan if some are deleted, or the level
 * does not count, and then what was counted once is remembered: ids a block apart, with how many documents are between them. Commits keep these
 * counts right, and who counts later reads one block. Before anybody asks there is nothing to keep.
 */
class IdRanks {
  #core
  /** The first ids of the blocks, sorted; that of the first block is ''. @type {string[]} */
  #firsts = []
  /** Live documents by block. @type {number[]} */
  #counts = []
  #total = 0
  /** Changes when blocks do. */
  #version = 0
  /** @type {Set<{ block: number, version: number, changes: Array<[string, number]> }>} */
  #scans = new Set()

  /** @param {import('../store/core').Core} core */
  constructor (core) {
    this.#core = core
  }

  /** Whether commits have to say which documents come and go. */
  get active () { return this.#firsts.length > 0 }

  #reset () {
    this.#firsts = ['']
    this.#counts = [this.#total = this.#core.totals.live]
    this.#version++
  }

  /**
   * @param {Array<[string, number]> | null} changes ids with 1 for what came and -1 for what went; null
   *   from a commit that began before anybody had asked
   */
  committed (changes) {
    if (!this.active) return
    if (changes === null) return this.#reset()
    for (const [id, step] of changes) {
      const block = this.#blockOf(id)
      this.#counts[block] += step
      this.#total += step
      for (const scan of this.#scans) if (scan.block === block) scan.changes.push([id, step])
    }
    if (this.#total !== this.#core.totals.live) this.#reset()
  }

  /** @param {string} id */
  #blockOf (id) {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (compareUtf8(this.#firsts[middle], id) <= 0) low = middle
      else high = middle
    }
    return low
  }

  /**
   * @param {string} id
   * @param {boolean} inclusive whether the document of this id counts
   * @param {Snapshot} [snapshot] what to count in; by default the present
   * @returns {Promise<number>}
   */
  async before (id, inclusive, snapshot = undefined) {
    const known = await this.#known(id, inclusive, snapshot)
    if (known !== undefined) return known
    if (!this.active) this.#reset()
    const block = this.#blockOf(id)
    let rank = 0
    for (let i = 0; i < block; i++) rank += this.#counts[i]
    return rank + await this.#countIn(block, id, inclusive, snapshot)
  }

  /**
   * Finds the block of ids that holds the live document of a rank, which is the number of live ones before it. A caller who
   * asks again reads one block.
   *
   * The block begins with the id `first`, before which there are `before`, and ends where there are `until`.
   *
   * @param {number} rank
   * @param {Snapshot} snapshot that was taken just now: nothing was awaited since
   * @returns {Promise<{ first: string, before: number, next?: string, until: number } | undefined>} next: the first id of the next
   *   block; undefined where the counts may be of another moment
   */
  async place (rank, snapshot) {
    if (!this.active) this.#reset()
    const { keyspace, layout, totals: { seq } } = this.#core
    const place = this.#placeOf(rank)
    const scan = { block: place.block, version: this.#version, changes: [] }
    this.#scans.add(scan)
    try {
      if (new Totals(await keyspace.get(layout.state, snapshot)).seq !== seq) return undefined
      if (place.next !== undefined && place.count <= 4 * BLOCK) return place
      return await this.#narrow(place, rank, scan, snapshot)
    } finally {
      this.#scans.delete(scan)
    }
  }

  /** @param {number} rank */
  #placeOf (rank) {
    let [block, before] = [0, 0]
    while (block < this.#counts.length - 1 && before + this.#counts[block] <= rank) before += this.#counts[block++]
    const count = this.#counts[block]
    return { block, count, first: this.#firsts[block], before, next: /** @type {string | undefined} */ (this.#firsts[block + 1]), until: before + count }
  }

  /**
   * Reads a long block up to a rank, and cuts it.
   *
   * @param {{ count: number, first: string, before: number, next?: string, until: number }} place
   * @param {number} rank
   * @param {{ block: number, version: number, changes: Array<[string, number]> }} scan
   * @param {Snapshot} snapshot
   */
  async #narrow ({ count, first, before, next, until }, rank, scan, snapshot) {
    const { keyspace, layout } = this.#core
    const iterator = keyspace.entries({ gte: layout.document(first), lt: next === undefined ? layout.range(layout.documents).lt : layout.document(next), snapshot })
    const release = this.#core.hold(() => iterator.close())
    try {
      const parts = await this.#partsOf(iterator, first, rank - before + 1)
      if (parts.length > 1 && scan.version === this.#version) this.#split(scan, parts, count)
      let at = 0
      while (at < parts.length - 1 && before + parts[at].count <= rank) before += parts[at++].count
      const isLast = at === parts.length - 1
      return { first: parts[at].first, before, next: isLast ? next : parts[at + 1].first, until: isLast ? until : before + parts[at].count }
    } finally {
      await release()
    }
  }

  /**
   * The same where the level counts, and there are no deleted documents among the others.
   *
   * @param {string} id
   * @param {boolean} inclusive
   * @param {Snapshot | undefined} given
   */
  async #known (id, inclusive, given) {
    const { keyspace, layout } = this.#core
    const snapshot = given ?? keyspace.snapshot()
    try {
      if (!canCount(this.#core, snapshot)) return undefined
      return keyspace.count({ gte: layout.documents, [inclusive ? 'lte' : 'lt']: layout.document(id), snapshot })
    } finally {
      if (given === undefined) await snapshot.close()
    }
  }

  /** @param {string} id @param {number} block @param {boolean} inclusive @param {Snapshot | undefined} given */
  async #countIn (block, id, inclusive, given) {
    const { keyspace, layout } = this.#core
    const scan = { block, version: this.#version, changes: [] }
    const [first, count, { seq }] = [this.#firsts[block], this.#counts[block], this.#core.totals]
    const snapshot = given ?? keyspace.snapshot()
    const iterator = keyspace.entries({ gte: layout.document(first), [inclusive ? 'lte' : 'lt']: layout.document(id), snapshot })
    const release = this.#core.hold(async () => {
      await iterator.close()
      if (given === undefined) await snapshot.close()
    })
    this.#scans.add(scan)
    try {
      const parts = await this.#partsOf(iterator, first)
      // A commit that is stored and not yet told of would be counted twice.
      const isNow = parts.length > 1 && new Totals(await keyspace.get(layout.state, snapshot)).seq === seq
      if (isNow && scan.version === this.#version) this.#split(scan, parts, count)
      return parts.reduce((sum, part) => sum + part.count, 0)
    } finally {
      this.#scans.delete(scan)
      await release()
    }
  }

  /**
   * Cuts what an iterator gives into blocks.
   *
   * @param {any} iterator
   * @param {string} first
   * @param {number} [wanted] live documents, behind whose block no other is counted
   */
  async #partsOf (iterator, first, wanted = Infinity) {
    const parts = [{ first, count: 0 }]
    let inPart = 0
    let live = 0
    for (let page = await nextPage(this.#core, iterator, BLOCK); page.length > 0; page = await nextPage(this.#core, iterator, BLOCK)) {
      for (const [key, text] of page) {
        if (inPart++ === BLOCK) {
          parts.push({ first: this.#core.layout.idOf(key), count: 0 })
          if (live >= wanted) return parts
          inPart = 1
        }
        if (!isLive(text)) continue
        parts[parts.length - 1].count++
        live++
      }
    }
    return parts
  }

  /**
   * Puts several blocks in the place of one. Changes during the scan are not in it.
   *
   * @param {{ block: number, changes: Array<[string, number]> }} scan
   * @param {Array<{ first: string, count: number }>} parts
   * @param {number} count
   */
  #split ({ block, changes }, parts, count) {
    const counts = parts.map(part => part.count)
    counts[counts.length - 1] += count - counts.reduce((sum, each) => sum + each, 0)
    this.#firsts = replaced(this.#firsts, block, parts.map(part => part.first))
    this.#counts = replaced(this.#counts, block, counts)
    for (const [id, step] of changes) this.#counts[this.#blockOf(id)] += step
    this.#version++
    // Purged documents leave blocks without entries.
    const { live, deleted } = this.#core.totals
    if (this.#firsts.length > 16 + 4 * (live + deleted) / BLOCK) this.#reset()
  }
}

/**
 * Whether live documents are all that there are at a moment, and the level counts them.
 *
 * @param {import('../store/core').Core} core
 * @param {Snapshot} snapshot
 */
function canCount ({ keyspace, layout }, snapshot) {
  if (!keyspace.counts) return false
  return new Totals(keyspace.getSync(layout.state, snapshot)).deleted === 0
}

/**
 * With others in the place of one: there may be more than a call takes arguments.
 *
 * @template T
 * @param {T[]} list
 * @param {number} at
 * @param {T[]} others
 */
function replaced (list, at, others) { return [...list.slice(0, at), ...others, ...list.slice(at + 1)] }

module.exports = { IdRanks, canCount }
