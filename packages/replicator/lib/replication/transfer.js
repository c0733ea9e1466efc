'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { contentsOf } = require('./attachment-content')
const { ReplicationError } = require('./failure')

/** Milliseconds before a document is asked for again, the first time. */
const WAIT = 250

/** @typedef {import('./side').FetchedDocument} FetchedDocument */

/** Copies the revisions of some changes that the target lacks, and counts. */
class Transfer {
  #source
  #target
  #statistics
  #options

  /**
   * @param {import('./side').Side} source
   * @param {import('./side').Side} target
   * @param {import('./statistics').Statistics} statistics
   * @param {{ retries: number, missingWait: number, longestId: number, signal: AbortSignal, log: (message: string) => void }} options
   *   `missingWait`: milliseconds that a source may take until it has what it said it has
   */
  constructor (source, target, statistics, options) {
    this.#source = source
    this.#target = target
    this.#statistics = statistics
    this.#options = options
  }

  /** @param {import('../remote/remote-changes').Change[]} changes */
  async copy (changes) {
    const revs = this.#revisionsOf(changes)
    if (revs.size === 0) return
    const wanted = await this.#target.revsDiff(revs)
    for (const each of revs.values()) this.#statistics.missing_checked += each.length
    this.#statistics.missing_found += wanted.length
    if (wanted.length > 0) await this.#copyAll(wanted)
  }

  /**
   * @param {import('../remote/remote-changes').Change[]} changes
   * @returns {Map<string, string[]>} a document that changed twice is there once
   */
  #revisionsOf (changes) {
    /** @type {Map<string, string[]>} */
    const revs = new Map()
    for (const { id, revs: leaves } of changes) {
      if (this.#isIgnored(id)) continue
      const known = revs.get(id)
      revs.set(id, known === undefined ? leaves : [...new Set([...known, ...leaves])])
    }
    return revs
  }

  /** @param {string} id */
  #isIgnored (id) {
    if (id === '') return true
    if (Buffer.byteLength(id) <= this.#options.longestId) return false
    this.#statistics.doc_write_failures++
    this.#options.log(`document id ${JSON.stringify(id.slice(0, 64))}… from ${this.#source.shown} is too long, ignoring`)
    return true
  }

  /** @param {import('./side').Wanted[]} wanted */
  async #copyAll (wanted) {
    const missing = await this.#fetchAndWrite(wanted)
    if (missing.length === 0) return
    await sleep(this.#options.missingWait, undefined, { signal: this.#options.signal })
    const [still] = await this.#fetchAndWrite(missing.map(({ id, rev }) => ({ id, rev, attsSince: [] })))
    if (still !== undefined) throw new ReplicationError('missing_doc', `${still.rev} of ${JSON.stringify(still.id)}: ${still.reason}`)
  }

  /**
   * @param {import('./side').Wanted[]} wanted
   * @returns {Promise<import('./side').Missing[]>} what the source has not
   */
  async #fetchAndWrite (wanted) {
    /** @type {import('./side').Missing[]} */
    const missing = []
    for await (const found of this.#source.fetch(wanted)) {
      /** @type {FetchedDocument[]} */
      const documents = []
      for (const each of found) {
        if ('missing' in each) missing.push(each)
        else documents.push(each)
      }
      this.#countRead(documents, found.length)
      await this.#writeAll(documents)
      this.#options.signal.throwIfAborted()
    }
    return missing
  }

  /** @param {FetchedDocument[]} documents @param {number} asked */
  #countRead (documents, asked) {
    const bulk = documents.filter(({ bulkGet }) => bulkGet).length
    this.#statistics.docs_read += documents.length
    this.#statistics.bulk_get_docs += bulk
    if (bulk > 0) this.#statistics.bulk_get_attempts += asked
  }

  /** @param {FetchedDocument[]} documents */
  async #writeAll (documents) {
    // A document that is read while it is written goes by itself, so that it is alone in what it meets with.
    const long = documents.filter(isLong)
    const short = long.length === 0 ? documents : documents.filter(document => !isLong(document))
    if (short.length > 0) await this.#write(short)
    for (const document of long) await this.#writeLong(document)
  }

  /** @param {FetchedDocument[]} documents */
  async #write (documents) {
    const ids = new Set(documents.map(({ id }) => id))
    // A target can neither refuse nor ask for what was not sent to it.
    const refused = (await this.#target.write(documents)).filter(({ id }) => ids.has(id))
    for (const refusal of refused) {
      if (refusal.missingStub) await this.#writeWhole(refusal)
      else this.#refuse(refusal)
    }
    this.#statistics.docs_written += Math.max(0, documents.length - refused.length)
  }

  /** @param {import('./side').Refusal} refusal */
  #refuse ({ id, rev, error, reason }) {
    this.#statistics.doc_write_failures++
    this.#options.log(`couldn't write document ${JSON.stringify(id)}, revision ${rev}, to ${this.#target.shown}: ${error}: ${reason}`)
  }

  /**
   * Its content was read to the middle, or not at all: it is asked for again.
   *
   * @param {FetchedDocument} document
   */
  async #writeLong (document) {
    let wait = WAIT
    for (let left = this.#options.retries; ; left--) {
      const error = await this.#write([document]).then(() => null, error => error)
      const failure = contentsOf(document).find(content => content.failure !== null)?.failure
      if (error === null && failure === undefined) return
      this.#options.signal.throwIfAborted()
      const fault = failure ?? error
      if (left <= 0 || fault.code === 'CLOSED') throw fault
      await sleep(wait, undefined, { signal: this.#options.signal })
      wait *= 2
      for (const content of contentsOf(document)) content.failure = null
    }
  }

  /**
   * The target has no such attachment after all: all of them come along.
   * @param {any} refusal
   */
  async #writeWhole ({ id, rev, error, reason }) {
    for await (const found of this.#source.fetch([{ id, rev, attsSince: [] }])) {
      for (const document of found) {
        if ('missing' in document) throw new ReplicationError('missing_doc', `${rev} of ${JSON.stringify(id)}`)
        const refused = await this.#target.write([document])
        if (refused.length > 0) this.#refuse({ error: refused[0].error, reason: refused[0].reason, id, rev: document.rev })
        else this.#statistics.docs_written++
      }
    }
  }
}

/** @param {FetchedDocument} document */
function isLong (document) {
  return document.attachments !== null && contentsOf(document).some(({ isSmall }) => !isSmall)
}

module.exports = { Transfer }
