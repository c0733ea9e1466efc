'use strict'

const { Core } = require('./core')
const { getAttachment } = require('../attachments/attachments')
const { MemberStore } = require('../access/member-store')
const { getLocal } = require('./local-documents')
const { decodeChange } = require('../media/record')
const { LAYOUT_VERSION } = require('../media/upgrade')
const { bulkGet, get, openRevs } = require('../reading/get')
const { revsDiff } = require('../reading/revs-diff')
const { Totals } = require('../commit/totals')

/**
 * @import { Level } from '../media/keyspace'
 * @import { DatabaseRecord } from '../media/meta'
 * @import { Document, GetOptions, ReadOptions } from '../..'
 */

/**
 * A database that another server writes, on a level that both read: see index.d.ts. Nothing of its documents is kept, and
 * what it says of itself is as it was last refreshed.
 */
class DistantReader {
  #core
  #number
  #nameKey
  /** @type {{ turn: number, text: string | undefined, record: DatabaseRecord | null, security: string | undefined }} */
  #seen = { turn: 0, text: undefined, record: null, security: undefined }
  #turn = 0

  /** @param {Level} level @param {{ name: string, number: string, nameKey: string, prefix: string }} options nameKey: where its number is stored */
  constructor (level, { name, number, nameKey, prefix }) {
    this.name = name
    this.#number = number
    this.#nameKey = nameKey
    this.#core = new Core(level, { name, prefix }, () => {})
  }

  get closed () { return this.#core.closed }
  get instanceId () { return /** @type {DatabaseRecord} */ (this.#seen.record).instanceId }
  get partitioned () { return this.#core.partitioned }
  get byDocument () { return this.#core.byDocument }
  get isOfMember () { return false }
  /** @param {import('../access/member').UserContext} user */
  forMember (user) { return new MemberStore(this.#core, /** @type {DatabaseRecord} */ (this.#seen.record), user) }

  /**
   * Reads again what the database says of itself, in one go.
   *
   * @returns {Promise<boolean>} false where it is no longer the one of its name, or only its owner can read it
   */
  async refresh () {
    const turn = ++this.#turn
    const { keyspace, layout } = this.#core
    const [number, text, security] = await keyspace.getMany([this.#nameKey, layout.meta('database'), layout.meta('user:security')])
    if (number !== this.#number || text === undefined) return false
    // One that was asked later may have answered before.
    if (turn > this.#seen.turn) this.#see(turn, text, security)
    return this.#seen.record?.version === LAYOUT_VERSION
  }

  /** @param {number} turn @param {string} text @param {string | undefined} security */
  #see (turn, text, security) {
    const record = text === this.#seen.text ? this.#seen.record : JSON.parse(text)
    this.#seen = { turn, text, record, security }
    this.#core.partitioned = record.partitioned === true
    this.#core.accessKey = record.accessKey ?? ''
    this.#core.options.revsLimit = record.revsLimit
  }

  /** Returns the text of a meta value, as JSON. @param {'security'} key */
  metaText (key) { return this.#seen[key] }

  /** @param {string} id @param {GetOptions} [options] */
  get (id, options) { return get(this.#core, id, options) }
  /** @param {string} id @param {'all' | string[]} revs @param {ReadOptions & { latest?: boolean }} [options] */
  openRevs (id, revs, options) { return openRevs(this.#core, id, revs, options) }
  /** @param {Array<{ id: string, rev?: string, attsSince?: string[] }>} requests @param {ReadOptions & { latest?: boolean }} [options] */
  bulkGet (requests, options) { return bulkGet(this.#core, requests, options) }
  /** @param {string} id @param {string} name @param {{ rev?: string, document?: Document }} [options] */
  getAttachment (id, name, options) { return getAttachment(this.#core, id, name, options, get) }
  /** @param {Record<string, string[]>} request @param {Parameters<typeof revsDiff>[2]} [take] */
  revsDiff (request, take) { return revsDiff(this.#core, request, take) }
  /** @param {string} id */
  getLocal (id) { return getLocal(this.#core, id) }

  /**
   * Returns the ids of documents that changed after a sequence, and the last sequence. Without one no ids are read.
   *
   * @param {number} [seq]
   * @returns {Promise<{ ids: string[], seq: number }>}
   */
  async changedSince (seq) {
    const { keyspace, layout } = this.#core
    const last = new Totals(await keyspace.get(layout.state)).seq
    if (seq === undefined || last === seq) return { ids: [], seq: last }
    const { lt } = layout.range(layout.sequences)
    const entries = await keyspace.entries({ gt: layout.sequence(seq), lt }).all()
    const reached = entries.map(([key]) => layout.sequenceOf(key))
    return { ids: entries.map(([, text]) => decodeChange(text).id), seq: Math.max(last, ...reached.slice(-1)) }
  }

  /** Lets the same database be read by another one; what is being read is read to its end. */
  release () { this.#core.release() }
}

module.exports = { DistantReader }
