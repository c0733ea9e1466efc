'use strict'

const { del, put } = require('../media/keyspace')
const { LARGE } = require('../large-json/attachments')
const { partitionOf } = require('../store/partition')
const { attachmentsOf } = require('../media/record')

/**
 * @import { Totals } from './totals'
 */

/** Counts of a partition, at `t partition`: decimal numbers with spaces between; nothing where all are 0. */
class PartitionTotals {
  /** @param {string} [text] as stored */
  constructor (text = '0 0 0 0') {
    const numbers = text.split(' ').map(Number)
    this.live = numbers[0]
    this.deleted = numbers[1]
    /** Bytes of records and of the attachments of winners. */
    this.active = numbers[2]
    /** Bytes of live winners' bodies and attachments. */
    this.external = numbers[3]
  }

  encode () { return `${this.live} ${this.deleted} ${this.active} ${this.external}` }

  get isEmpty () { return this.live === 0 && this.deleted === 0 }

  /**
   * Counts a document, or with `sign` -1 no more.
   *
   * @param {{ deleted: boolean, size: number, payload: string }} document size: bytes of its record
   */
  count ({ deleted, size, payload }, sign = 1) {
    const attachments = attachmentBytes(payload)
    if (deleted) this.deleted += sign
    else this.live += sign
    this.active += sign * (size + attachments)
    if (!deleted) this.external += sign * (Buffer.byteLength(payload) + attachments)
  }
}

/**
 * Bytes of what a payload refers to.
 *
 * @param {string} payload
 */
function attachmentBytes (payload) {
  const text = attachmentsOf(payload)
  if (text === '') return 0
  if (text.length > LARGE) return lengthsIn(text)
  return Object.values(JSON.parse(text)).reduce((sum, { length }) => sum + length, 0)
}

/**
 * The same of very many, which takes much longer with JSON.parse. In a string there would be a backslash before a quote.
 *
 * @param {string} text
 */
function lengthsIn (text) {
  let sum = 0
  for (const [, length] of text.matchAll(/"length":(\d+)/g)) sum += Number(length)
  return sum
}

/** The totals of the partitions that one commit touches. */
class TouchedPartitions {
  #core
  #limit
  /** @type {Map<string, PartitionTotals>} */
  #changes = new Map()
  /** Sizes before this commit. @type {Map<string, number>} */
  #sizes = new Map()

  /** @param {import('../store/core').Core} core */
  constructor (core) {
    this.#core = core
    this.#limit = core.options.maxPartitionSize()
  }

  /** @param {string} id @param {{ deleted: boolean, size: number, payload: string }} document @param {number} sign */
  count (id, document, sign) {
    const name = partitionOf(id)
    if (name === null) return
    let totals = this.#changes.get(name)
    if (totals === undefined) this.#changes.set(name, totals = new PartitionTotals())
    totals.count(document, sign)
  }

  /**
   * Whether the partition of a document was full before this commit.
   *
   * @param {string} id
   * @param {(key: string) => string | undefined} read
   */
  isFull (id, read) {
    const name = partitionOf(id)
    if (name === null || this.#limit === Infinity) return false
    let size = this.#sizes.get(name)
    if (size === undefined) this.#sizes.set(name, size = new PartitionTotals(read(this.#core.layout.partition(name))).external)
    return size >= this.#limit
  }

  /** Returns the operations that write the totals as they will be. */
  async operations () {
    const { keyspace, layout } = this.#core
    const names = [...this.#changes.keys()]
    const texts = names.length === 0 ? [] : await keyspace.getMany(names.map(name => layout.partition(name)))
    return names.map((name, i) => {
      const totals = sum(new PartitionTotals(texts[i]), /** @type {PartitionTotals} */ (this.#changes.get(name)))
      return totals.isEmpty ? del(layout.partition(name)) : put(layout.partition(name), totals.encode())
    })
  }
}

/** @param {PartitionTotals} totals @param {PartitionTotals} changes */
function sum (totals, changes) {
  totals.live += changes.live
  totals.deleted += changes.deleted
  totals.active += changes.active
  totals.external += changes.external
  return totals
}

/**
 * @param {import('../store/core').Core} core
 * @param {string} name
 * @returns {Promise<import('../..').PartitionInfo>}
 */
async function partitionInfo (core, name) {
  core.assertOpen()
  const { live, deleted, active, external } = new PartitionTotals(await core.keyspace.get(core.layout.partition(name)))
  return { partition: name, docCount: live, docDelCount: deleted, sizes: { active, external } }
}

module.exports = { PartitionTotals, TouchedPartitions, partitionInfo }
