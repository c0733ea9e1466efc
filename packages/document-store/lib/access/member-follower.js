'use strict'

const { MemberChanges } = require('./member-changes')
const { Mailbox } = require('../feed/feed')

/**
 * @import { Core } from '../store/core'
 * @import { MemberChangesOptions } from './member-changes'
 * @import { FeedState, SequenceTokens } from './sequence-token'
 */

/** Follows what a member may see: it is woken by commits that concern one of their principals, and reads the store. */
class MemberFollower {
  #core
  #tokens
  #options
  /** @type {FeedState | 'now' | number | null} */
  #since
  #lastSeq
  /** @type {number | undefined} */
  pending = 0

  /** @param {Core} core @param {SequenceTokens} tokens @param {MemberChangesOptions & { signal?: AbortSignal }} options */
  constructor (core, tokens, { signal, since = null, ...options }) {
    this.#core = core
    this.#tokens = tokens
    this.#options = options
    this.#since = since
    this.signal = signal
    /** @type {string | number} */
    this.#lastSeq = typeof since === 'number' ? since : tokens.write(since === null || since === 'now' ? { seq: 0, roles: [] } : since)
  }

  get lastSeq () { return this.#lastSeq }

  async * [Symbol.asyncIterator] () {
    this.#core.assertOpen()
    if (this.signal?.aborted) return
    const mailbox = new Mailbox(true)
    const end = () => mailbox.end()
    const { principals } = this.#options.as
    this.signal?.addEventListener('abort', end, { once: true })
    this.#core.feed.addFor(mailbox, principals)
    try {
      let left = this.#options.limit ?? Infinity
      while (left > 0 && !mailbox.ended) {
        if (!mailbox.behind) {
          await mailbox.wait()
          continue
        }
        mailbox.catchUp()
        for await (const page of this.#catchUp(left)) {
          left -= page.length
          yield page
          if (mailbox.ended) break
        }
      }
    } catch (error) {
      if (!mailbox.ended) throw error
    } finally {
      this.#core.feed.removeFor(mailbox, principals)
      this.signal?.removeEventListener('abort', end)
    }
  }

  /** @param {number} limit */
  async * #catchUp (limit) {
    const reader = new MemberChanges(this.#core, this.#tokens, { ...this.#options, since: this.#since, limit })
    for await (const page of reader) {
      this.#advance(reader)
      yield page
    }
    this.#advance(reader)
  }

  /** @param {MemberChanges} reader */
  #advance (reader) {
    this.#since = { ...reader.state }
    this.#lastSeq = reader.lastSeq
    this.pending = reader.pending
  }
}

module.exports = { MemberFollower }
