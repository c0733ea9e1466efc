'use strict'

const crypto = require('node:crypto')

const PREFIX = '_local/potoroo-import-'

/** Failures that are remembered, to be tried again by the next run. */
const REMEMBERED = 1000

/**
 * How far an import has come: a local document of the target, one for each source. It is written
 * in the same commit as the documents up to it, so that whatever ends an import, it goes on there.
 *
 *   since          the source's sequence
 *   complete       whether it ever came to the end
 *   sequencesKept  whether every document has the source's sequence or a later one
 *   skipped        [{ id, rev?, reason }]
 */
class Checkpoint {
  #id
  #rev
  #label
  #startedAt = new Date().toISOString()

  /**
   * Use `open`.
   * @param {string} id
   * @param {string} label
   * @param {import('./store-target').LocalBody | null} stored
   */
  constructor (id, label, stored) {
    this.#id = id
    this.#label = label
    this.isNew = stored === null
    this.#rev = stored?.rev
    this.since = stored?.body.since ?? 0
    this.complete = stored?.body.complete ?? false
    this.sequencesKept = stored?.body.sequencesKept ?? false
    /** @type {import('./source').Failure[]} */
    this.skipped = stored?.body.skipped ?? []
  }

  /**
   * @param {import('./store-target').Target} target
   * @param {import('./source').Source} source
   */
  static async open (target, { identity, label }) {
    const id = PREFIX + crypto.createHash('md5').update(identity).digest('hex')
    return new Checkpoint(id, label, await target.getLocal(id))
  }

  /** @param {import('./source').Failure} failure */
  skip (failure) {
    if (this.skipped.length < REMEMBERED) this.skipped.push(failure)
  }

  /** As a document to write. */
  toDocument () {
    const { since, complete, sequencesKept, skipped } = this
    const body = { version: 1, source: this.#label, since, complete, sequencesKept, skipped, startedAt: this.#startedAt, updatedAt: new Date().toISOString() }
    return this.#rev === undefined ? { _id: this.#id, ...body } : { _id: this.#id, _rev: this.#rev, ...body }
  }

  /** @param {string} rev that it has now */
  written (rev) { this.#rev = rev }
}

module.exports = { Checkpoint, PREFIX }
