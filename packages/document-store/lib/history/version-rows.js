'use strict'

const { after } = require('../media/layout')
const { del, put } = require('../media/keyspace')
const { Turn } = require('../json/turn')
const { readPage } = require('../reading/cursor')
const { Expiry } = require('./retention')
const { decodeVersion, encodeVersion } = require('./version')

/**
 * @import { Core } from '../store/core'
 * @import { AttachmentStore } from '../attachments/attachment-store'
 * @import { Stored } from '../commit/commit'
 * @import { DocumentState } from '../commit/document-state'
 * @import { Operation, Snapshot } from '../media/keyspace'
 * @import { Totals } from '../commit/totals'
 * @import { Retention } from './retention'
 * @import { Version } from './version'
 *
 * @typedef {{ key: string, text: string, version: Version }} VersionRow
 */

/** Rows that are read at a time: each may have a large body. */
const PAGE = 32

/** Stores and drops versions of documents that others replace, for one commit. */
class VersionRows {
  #core
  #totals
  #attachments
  #operations
  /** Keys of versions that are dropped. @type {Set<string>} */
  #dropped = new Set()

  /**
   * @param {Core} core
   * @param {Totals} totals the commit's
   * @param {AttachmentStore} attachments the commit's
   * @param {Operation[]} operations the commit's, to which it adds
   */
  constructor (core, totals, attachments, operations) {
    this.#core = core
    this.#totals = totals
    this.#attachments = attachments
    this.#operations = operations
  }

  /**
   * Keeps what is stored of a document, which changes now.
   *
   * @param {Stored} state
   * @param {number} until the sequence of the change
   */
  keep (state, until) {
    const { stored } = state
    const text = encodeVersion(stored, until, this.#totals.time, state.winner === state.storedWinner)
    this.#operations.push(put(this.#core.layout.version(state.id, stored.seq), text))
    this.#totals.versions++
    this.#totals.history += Buffer.byteLength(text)
  }

  /**
   * Counts the attachments of what `keep` keeps.
   *
   * @param {Stored} state
   */
  async countAttachments ({ stored, storedWinner, winner }) {
    if (winner !== storedWinner) await this.#attachments.count(stored.payload, 1)
  }

  /**
   * Drops versions that need not be kept any more, beside the one that is replaced now.
   *
   * @param {string} id
   * @param {Retention | null} retention
   * @param {number} now
   * @returns {Promise<Version[]>} those that were dropped
   */
  async expire (id, retention, now) {
    const expiry = new Expiry(retention, now)
    return this.#dropThose(id, (version) => expiry.isExpired(id, version, 1))
  }

  /**
   * Drops versions whose revision is purged, and those whose revision is none that is left: what stemming has cut off
   * may have led to what is purged.
   *
   * @param {DocumentState} state
   * @param {string[]} gone
   * @returns {Promise<Version[]>} those that were dropped though their revision was not purged
   */
  async purge (state, gone) {
    const purged = new Set(gone)
    const dropped = await this.#dropThose(state.id, ({ rev }) => !state.has(rev))
    return state.exists ? dropped.filter(({ rev }) => !purged.has(rev)) : []
  }

  /** @param {string} id @param {(version: Version) => boolean} isUnwanted */
  async #dropThose (id, isUnwanted) {
    /** @type {Version[]} */
    const dropped = []
    if (this.#totals.versions === 0) return dropped
    for await (const page of versionPages(this.#core, id)) {
      for (const row of page) {
        if (!isUnwanted(row.version)) continue
        await this.#drop(row.key, row.text, row.version)
        dropped.push(row.version)
      }
    }
    return dropped
  }

  /**
   * Drops versions if they are still there.
   *
   * @param {string[]} keys
   * @returns {Promise<Version[]>} those that were
   */
  async drop (keys) {
    const dropped = []
    for (const key of keys) {
      const text = this.#dropped.has(key) ? undefined : await this.#core.keyspace.get(key)
      if (text === undefined) continue
      const version = decodeVersion(this.#core.layout.versionOf(key).seq, text)
      await this.#drop(key, text, version)
      dropped.push(version)
    }
    return dropped
  }

  /** @param {string} key @param {string} text @param {Version} version */
  async #drop (key, text, { payload }) {
    if (this.#dropped.has(key)) return
    this.#dropped.add(key)
    if (payload !== null) await this.#attachments.count(payload, -1)
    this.#operations.push(del(key))
    this.#totals.versions--
    this.#totals.history -= Buffer.byteLength(text)
  }
}

/**
 * Reads the versions of a document that others have replaced, the latest first.
 *
 * @param {Core} core
 * @param {string} id
 * @param {{ snapshot?: Snapshot, seq?: number }} [options] seq: of the latest one that is wanted
 * @returns {AsyncGenerator<VersionRow[], void>}
 */
async function * versionPages (core, id, { snapshot, seq } = {}) {
  const { keyspace, layout } = core
  const first = layout.versionsOf(id)
  const end = seq === undefined ? { lt: after(first) } : { lte: layout.version(id, seq) }
  const iterator = keyspace.entries({ gte: first, ...end, reverse: true, snapshot })
  const turn = new Turn()
  try {
    for (let size = 1; ; size = PAGE) {
      const entries = await readPage(core, iterator, size)
      if (entries.length === 0) return
      // Between them may be those of a longer id.
      const own = entries.filter(([key]) => layout.versionOf(key).id === id)
      yield own.map(([key, text]) => ({ key, text, version: decodeVersion(layout.versionOf(key).seq, text) }))
      if (turn.isLong) await turn.end()
    }
  } finally {
    await iterator.close()
  }
}

module.exports = { PAGE, VersionRows, versionPages }
