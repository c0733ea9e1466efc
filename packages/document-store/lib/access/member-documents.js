'use strict'

const { isGone } = require('./access-rows')
const { END, MergedRows } = require('./merged-rows')
const { bySequence } = require('./member-changes')
const { encodeNumber, decodeNumber } = require('../media/layout')
const { keyRange } = require('../reading/key-range')
const { compareUtf8 } = require('../json/utf8-order')

/**
 * @import { AllDocsOptions } from '../..'
 * @import { Core } from '../store/core'
 * @import { Member } from './member'
 * @import { FeedState } from './sequence-token'
 * @import { Snapshot } from '../media/keyspace'
 */

const PAGE = 256

const ALL = Object.freeze({ gte: '', lt: END })

/** The records of the documents in a range that a member may see, in the order of their ids. */
class MemberDocuments {
  #core
  #snapshot
  #rows

  /** @param {Core} core @param {AllDocsOptions} options @param {Iterable<string>} principals of the member @param {Snapshot} snapshot */
  constructor (core, options, principals, snapshot) {
    this.#core = core
    this.#snapshot = snapshot
    const { reverse, ...range } = keyRange(ALL, id => id, options)
    const sources = [...principals].map(principal => ({ principal, prefix: core.layout.seenIds(principal), range }))
    this.#rows = new MergedRows(core, sources, { snapshot, reverse, compare: compareUtf8 })
  }

  /**
   * As of the level's iterator: the next ones, none at the end.
   *
   * @param {number} size
   * @returns {Promise<Array<[key: string, text: string]>>}
   */
  async nextv (size) {
    const { keyspace, layout } = this.#core
    const keys = (await this.#rows.next(size)).map(({ key }) => layout.document(key))
    const texts = await keyspace.getMany(keys, this.#snapshot)
    return keys.map((key, i) => [key, /** @type {string} */ (texts[i])])
  }

  close () { return this.#rows.close() }
}

/**
 * Counts the documents that a member may see: it takes reading a row of each. Their position is known then, too, and which of their principals
 * have documents at all.
 *
 * @param {Core} core
 * @param {Member} member
 * @param {Snapshot} snapshot
 * @param {number} end the last sequence
 * @returns {Promise<{ live: number, deleted: number, principals: Set<string>, position: FeedState }>} position: see positionOf
 */
async function surveySeen (core, member, snapshot, end) {
  const counts = { live: 0, deleted: 0 }
  /** @type {Set<string>} */
  const principals = new Set()
  let last = 0
  const range = { gte: '', lte: encodeNumber(end) }
  const sources = [...member.principals].map(principal => ({ principal, prefix: core.layout.seenChanges(principal), range }))
  const rows = new MergedRows(core, sources, { snapshot, compare: bySequence })
  try {
    for (let page = await rows.next(PAGE); page.length > 0; page = await rows.next(PAGE)) {
      for (const { at } of page) {
        for (const { principal } of at) principals.add(principal)
        const shown = at.find(({ value }) => !isGone(value))
        if (shown !== undefined) counts[shown.value === '0' ? 'live' : 'deleted']++
      }
      last = decodeNumber(page[page.length - 1].key)
    }
    return { ...counts, principals, position: { seq: last, roles: member.roles.filter(role => principals.has(role)) } }
  } finally {
    await rows.close()
  }
}

/**
 * Returns what changed after a sequence, of the documents that a member may see.
 *
 * @param {Core} core
 * @param {Member} member
 * @param {number} since
 * @param {number} most
 * @returns {Promise<string[]>} see encodeChange
 */
async function changesSeen (core, member, since, most) {
  const { keyspace, layout } = core
  const snapshot = keyspace.snapshot()
  const range = { gt: encodeNumber(since), lt: END }
  const sources = [...member.principals].map(principal => ({ principal, prefix: layout.seenChanges(principal), range }))
  const rows = new MergedRows(core, sources, { snapshot, compare: bySequence })
  try {
    const seen = (await rows.next(most)).filter(({ at }) => at.some(({ value }) => !isGone(value)))
    return /** @type {string[]} */ (await keyspace.getMany(seen.map(({ key }) => layout.sequences + key), snapshot))
  } finally {
    await rows.close()
    await snapshot.close()
  }
}

module.exports = { MemberDocuments, changesSeen, surveySeen }
