'use strict'

const { ChangesReader, sequenceFrom, selectChanges } = require('./changes')
const { Mailbox } = require('./feed')

/**
 * @import { Row } from './feed'
 */

/**
 * Follows the changes of a database: reads the store until it has caught up, then is told by
 * commits. A reader that is too slow goes back to the store, so memory stays bounded.
 */
class Follower {
  #core
  #options
  #wanted

  /**
   * @param {import('../store/core').Core} core
   * @param {import('../..').ChangesOptions & { signal?: AbortSignal }} [options]
   */
  constructor (core, { signal, ...options } = {}) {
    this.#core = core
    this.signal = signal
    this.#options = options
    this.#wanted = options.docIds === undefined ? null : new Set(options.docIds)
    this.lastSeq = sequenceFrom(options.since)
    this.pending = 0
  }

  /** Content and old bodies may be gone when a follower comes to read them, except with a snapshot. */
  get #needsStore () {
    return this.#options.attachments === true || this.#options.revsInfo === true
  }

  async * [Symbol.asyncIterator] () {
    this.#core.assertOpen()
    const mailbox = new Mailbox(this.#needsStore)
    const end = () => mailbox.end()
    if (this.signal?.aborted) return
    this.signal?.addEventListener('abort', end, { once: true })
    this.#core.feed.add(mailbox)
    // A follower who knows all that there is has nothing to read.
    if (this.lastSeq >= this.#core.totals.seq) mailbox.catchUp()
    try {
      let left = this.#options.limit ?? Infinity
      while (left > 0 && !mailbox.ended) {
        for await (const page of mailbox.behind ? this.#catchUp(mailbox, left) : this.#hear(mailbox)) {
          const part = page.length > left ? page.slice(0, left) : page
          left -= part.length
          if (left === 0) this.lastSeq = part[part.length - 1].seq
          yield part
          if (left === 0 || mailbox.ended) break
        }
      }
    } catch (error) {
      // A database that closes takes along what was about to be read.
      if (!mailbox.ended) throw error
    } finally {
      this.#core.feed.remove(mailbox)
      this.signal?.removeEventListener('abort', end)
    }
  }

  /** @param {Mailbox} mailbox @param {number} limit */
  async * #catchUp (mailbox, limit) {
    // Deliveries from here on may repeat what the snapshot holds: `#hear` drops those.
    mailbox.catchUp()
    const reader = new ChangesReader(this.#core, { ...this.#options, since: this.lastSeq, limit })
    const before = this.lastSeq
    for await (const page of reader) {
      this.#advance(reader)
      yield page
      if (mailbox.ended) return
    }
    const silent = this.lastSeq
    this.#advance(reader)
    if (this.lastSeq > silent && this.lastSeq > before) yield []
  }

  /** @param {ChangesReader} reader */
  #advance (reader) {
    this.lastSeq = reader.lastSeq
    this.pending = reader.pending
  }

  /** @param {Mailbox} mailbox */
  async * #hear (mailbox) {
    if (mailbox.empty) await mailbox.wait()
    if (mailbox.ended || mailbox.behind) return
    const rows = mailbox.take().filter((row) => row.seq > this.lastSeq)
    if (rows.length === 0) return
    const chosen = this.#wanted === null ? rows : rows.filter((row) => /** @type {Set<string>} */ (this.#wanted).has(row.id))
    const changes = await selectChanges(this.#core, chosen.map(copy), this.#options)
    this.lastSeq = rows[rows.length - 1].seq
    this.pending = 0
    yield changes
  }
}

/** Rows are shared by all followers. @param {Row} row */
function copy (row) {
  return { ...row }
}

module.exports = { Follower }
