'use strict'

const { del, put } = require('../media/keyspace')
const { after } = require('../media/layout')
const { decodeHash, encodeRevision } = require('../revision-tree/revision')

/**
 * @import { Core } from '../store/core'
 * @import { AttachmentStore } from '../attachments/attachment-store'
 * @import { DocumentState } from './document-state'
 * @import { Operation } from '../media/keyspace'
 * @import { Totals } from './totals'
 */

/** Stores and drops the bodies beside documents' records, those of revisions that do not win, for one commit. */
class StoredBodies {
  #core
  #totals
  #attachments
  #operations
  /** Keys of bodies that are dropped. @type {Set<string>} */
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

  /** @param {string} id @param {string} rev */
  #key (id, rev) {
    return this.#core.layout.revision(id, encodeRevision(rev))
  }

  /** @param {string} id @param {string} rev */
  get (id, rev) {
    return this.#core.keyspace.get(this.#key(id, rev))
  }

  /** @param {string} id @param {string} rev @param {string} payload */
  store (id, rev, payload) {
    this.#operations.push(put(this.#key(id, rev), payload))
    this.#totals.revisions += Buffer.byteLength(payload)
    this.#totals.bodies++
  }

  /**
   * Removes a body that moves into its document's record.
   *
   * @param {string} id
   * @param {string} rev
   * @param {string} payload
   */
  take (id, rev, payload) {
    this.#remove(this.#key(id, rev), payload)
  }

  /**
   * Drops a body, if it is stored.
   *
   * @param {string} id
   * @param {string} rev
   */
  async drop (id, rev) {
    const key = this.#key(id, rev)
    if (this.#dropped.has(key)) return
    this.#dropped.add(key)
    const payload = await this.#core.keyspace.get(key)
    if (payload === undefined) return
    await this.#attachments.count(payload, -1)
    this.#remove(key, payload)
  }

  /** @param {string} key @param {string} payload */
  #remove (key, payload) {
    this.#operations.push(del(key))
    this.#totals.revisions -= Buffer.byteLength(payload)
    this.#totals.bodies--
  }

  /**
   * Returns all revisions whose bodies are stored and that are no longer leaves.
   *
   * @param {DocumentState} state
   */
  async superseded (state) {
    if (this.#totals.bodies === 0) return []
    const { keyspace, layout } = this.#core
    const keys = await keyspace.keys({ gte: layout.revision(state.id, ''), lt: after(layout.revision(state.id, '')) }).all()
    // Between them may be those of a longer id.
    const own = keys.map((key) => layout.revisionOf(key)).filter(({ id }) => id === state.id)
    return own.map(({ rev }) => decodeHash(rev)).filter((rev) => !state.isLeaf(rev))
  }
}

module.exports = { StoredBodies }
