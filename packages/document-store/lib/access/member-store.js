'use strict'

const { getAttachment } = require('../attachments/attachments')
const { putAttachment, removeAttachment } = require('../commit/edit-attachment')
const { write } = require('../commit/write')
const { historyOf } = require('../history/entries')
const { allDocs } = require('../reading/all-docs')
const { bulkGet, get, openRevs } = require('../reading/get')
const { revsDiff } = require('../reading/revs-diff')
const { allLocal, getLocal, putLocal, removeLocal } = require('../store/local-documents')
const { Member } = require('./member')
const { MemberChanges } = require('./member-changes')
const { surveySeen } = require('./member-documents')
const { MemberFollower } = require('./member-follower')
const { MemberLiveSource } = require('./member-live-source')
const { SequenceTokens, isToken } = require('./sequence-token')

/**
 * @import { AllDocsOptions, ChangesOptions, Document, DocumentInput, GetOptions, RangeOptions, ReadOptions, WriteOptions } from '../..'
 * @import { Core } from '../store/core'
 * @import { DatabaseRecord } from '../media/meta'
 * @import { FeedState } from './sequence-token'
 * @import { UserContext } from './member'
 */

/**
 * A database with access by document as one of its members has it: the verbs of a store, of which each gives and takes what is
 * theirs. Sequences are texts.
 */
class MemberStore {
  #core
  #record
  #member
  #tokens
  #whole
  /** @type {MemberLiveSource | undefined} */
  #live

  /** @param {Core} core @param {DatabaseRecord} record @param {UserContext} user @param {any} [whole] the store, where live queries can follow it */
  constructor (core, record, user, whole) {
    this.#core = core
    this.#record = record
    this.#member = new Member(user)
    this.#whole = whole
    this.#tokens = new SequenceTokens({ accessKey: core.accessKey, instanceId: record.instanceId, space: this.#member.space })
  }

  /** Whether it shows a member's part alone. */
  get isOfMember () { return true }
  get byDocument () { return true }
  /** The object that stands for what this member sees, for live queries. */
  get liveSource () { return (this.#live ??= new MemberLiveSource(this.#core, this.#tokens, this.#member, this, this.#whole)) }
  /** For indexes with rows by principal. */
  get principals () { return [...this.#member.principals] }
  get name () { return this.#core.name }
  get closed () { return this.#core.closed }
  get instanceId () { return this.#record.instanceId }
  get partitioned () { return this.#core.partitioned }
  get designSeq () { return this.#core.designSeq }
  /** For who keeps what design documents say; it is shown to nobody. */
  get purgeSeq () { return this.#core.totals.purgeSeq }
  get revsLimit () { return this.#core.revsLimit }

  /** Nothing that others do changes what is said. */
  async info () {
    this.#core.assertOpen()
    const snapshot = this.#core.keyspace.snapshot()
    const release = this.#core.hold(() => snapshot.close())
    try {
      const { totals } = await this.#core.momentOf(snapshot)
      const { live, deleted, position } = await surveySeen(this.#core, this.#member, snapshot, totals.seq)
      return {
        docCount: live,
        docDelCount: deleted,
        updateSeq: this.#tokens.write(position),
        purgeSeq: this.#tokens.write({ seq: 0, roles: [] }),
        instanceId: this.instanceId,
        createdAt: this.#record.createdAt,
        compactRunning: false,
        sizes: { active: 0, external: 0, file: 0 }
      }
    } finally {
      await release()
    }
  }

  /**
   * The sequence that a text says; of one that it did not write, the start.
   *
   * @param {any} since
   * @returns {FeedState | 'now' | null}
   */
  #sinceOf (since) { return since === 'now' ? since : isToken(since) ? this.#tokens.read(since) : null }

  /**
   * Adds who asks.
   *
   * @template {Record<string, any>} T
   * @param {T} [options]
   */
  #as (options) {
    return { ...(/** @type {T} */ (options)), as: this.#member }
  }

  /** @param {string} id @param {GetOptions} [options] */
  get (id, options) { return get(this.#core, id, this.#as(options)) }
  /** @param {string} id @param {'all' | string[]} revs @param {ReadOptions & { latest?: boolean }} [options] */
  openRevs (id, revs, options) { return openRevs(this.#core, id, revs, this.#as(options)) }
  /**
   * @param {Array<{ id: string, rev?: string, attsSince?: string[] }>} requests
   * @param {ReadOptions & { latest?: boolean }} [options]
   */
  bulkGet (requests, options) { return bulkGet(this.#core, requests, this.#as(options)) }

  /** @param {AllDocsOptions} [options] */
  async allDocs (options) {
    const result = await allDocs(this.#core, this.#as(options))
    return { ...result, updateSeq: this.#tokens.write(/** @type {any} */ (result.updateSeq)) }
  }

  get retention () { return this.#core.retention }
  /** @param {string} id @param {{ limit?: number }} [options] */
  history (id, options) { return historyOf(this.#core, id, this.#as(options)) }

  /** @param {Record<string, string[]>} request @param {Parameters<typeof revsDiff>[2]} [take] */
  revsDiff (request, take) { return revsDiff(this.#core, request, take, this.#member) }

  /** @param {string} id @param {string} name @param {{ rev?: string, document?: Document }} [options] */
  getAttachment (id, name, options) {
    return getAttachment(this.#core, id, name, options, (core, id, options, snapshot) => get(core, id, this.#as(options), snapshot))
  }

  /** @param {Omit<ChangesOptions, 'since'> & { since?: any }} [options] */
  changes ({ since, ...options } = {}) {
    return new MemberChanges(this.#core, this.#tokens, { ...options, since: this.#sinceOf(since), as: this.#member })
  }

  /** @param {Omit<ChangesOptions, 'since'> & { since?: any, signal?: AbortSignal }} [options] */
  follow ({ since, ...options } = {}) {
    return new MemberFollower(this.#core, this.#tokens, { ...options, since: this.#sinceOf(since), as: this.#member })
  }

  /** @param {Array<DocumentInput | Error>} docs @param {WriteOptions} [options] */
  write (docs, options) { return write(this.#core, docs, this.#as({ ...options, keepSequences: false })) }

  /** @param {DocumentInput} doc @param {WriteOptions} [options] */
  async put (doc, options) {
    const [result] = await this.write([doc], options)
    if (result instanceof Error) throw result
    return result
  }

  /** @param {string} id @param {string} name @param {Parameters<typeof putAttachment>[3]} attachment @param {{ rev?: string }} [options] */
  putAttachment (id, name, attachment, options) { return putAttachment(this.#core, id, name, attachment, this.#as(options)) }
  /** @param {string} id @param {string} name @param {{ rev?: string }} [options] */
  removeAttachment (id, name, options) { return removeAttachment(this.#core, id, name, this.#as(options)) }

  /** @param {string} id */
  async getLocal (id) {
    this.#core.assertOpen()
    return getLocal(this.#core, id, this.#member)
  }

  /** @param {RangeOptions & { keys?: string[] }} [options] */
  async allLocal (options) {
    this.#core.assertOpen()
    return allLocal(this.#core, options, this.#member)
  }

  /** @param {DocumentInput} doc @param {Pick<WriteOptions, 'keepLocal' | 'checkLocal'>} [options] */
  putLocal (doc, options) { return putLocal(this.#core, doc, this.#as(options)) }
  /** @param {{ _id: string, _rev?: string }} doc @param {Pick<WriteOptions, 'checkLocal'>} [options] */
  removeLocal (doc, options) { return removeLocal(this.#core, doc, this.#as(options)) }
}

module.exports = { MemberStore }
