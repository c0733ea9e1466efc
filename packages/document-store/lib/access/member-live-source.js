'use strict'

const { MemberChanges } = require('./member-changes')
const { MemberFollower } = require('./member-follower')
const { isToken } = require('./sequence-token')

/**
 * @import { ChangesOptions } from '../..'
 * @import { Core } from '../store/core'
 * @import { DocumentStore } from '../store/document-store'
 * @import { MemberStore } from './member-store'
 * @import { SequenceTokens } from './sequence-token'
 * @import { Member } from './member'
 */

/**
 * A member's part of a database as the live queries of @potoroo/indexes follow it. Its sequences and purges are the database's, so
 * nothing of them may be told: a bookmark of a member is a constant.
 */
class MemberLiveSource {
  #core
  #tokens
  #member
  #part
  #whole

  /** @param {Core} core @param {SequenceTokens} tokens @param {Member} member @param {MemberStore} part @param {DocumentStore} whole */
  constructor (core, tokens, member, part, whole) {
    this.#core = core
    this.#tokens = tokens
    this.#member = member
    this.#part = part
    this.#whole = whole
  }

  get isOfMember () { return true }
  get closed () { return this.#core.closed }
  get instanceId () { return this.#part.instanceId }
  get updateSeq () { return this.#core.totals.seq }
  get purgeSeq () { return this.#core.totals.purgeSeq }
  /** Whether a text has the form of a member's bookmark. @param {string} text */
  isBookmark (text) { return isToken(text) }
  /** The one bookmark of this member. */
  get bookmark () { return this.#tokens.write({ seq: 0, roles: [] }) }

  /** Also tells of each document that went, whoever had it. @param {ChangesOptions} [options] */
  changes (options) { return new MemberChanges(this.#core, this.#tokens, { ...options, as: this.#member, inside: true }) }
  /** @param {ChangesOptions & { signal?: AbortSignal }} [options] */
  follow (options) { return new MemberFollower(this.#core, this.#tokens, { ...options, as: this.#member, inside: true }) }
  /** @param {{ since?: number }} [options] */
  purges (options) { return this.#whole.purges(options) }
  /** @param {Array<{ id: string }>} requests */
  bulkGet (requests) { return this.#part.bulkGet(requests) }

  /** @param {'purge'} event @param {() => void} listener */
  on (event, listener) { this.#whole.on(event, listener) }
  /** @param {'purge'} event @param {() => void} listener */
  off (event, listener) { this.#whole.off(event, listener) }
}

module.exports = { MemberLiveSource }
