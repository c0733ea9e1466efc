'use strict'

const { createError } = require('@potoroo/errors')
const { decodeHash } = require('../revision-tree/revision')
const { expireVersions } = require('../history/expire')
const { normaliseRevision } = require('./validate')

/**
 * @import { Core } from '../store/core'
 * @import { Commit } from './commit'
 */

/** Bodies that one commit looks at: others write between two of them. */
const STEP = 500

/**
 * A compaction under way: drops the bodies of all superseded revisions, the versions that need not be kept any more,
 * and the attachments that only they used, in small commits. It can be interrupted at any point and leaves no trace.
 */
class Compaction {
  #core
  #onStep
  #stopped = false

  /**
   * @param {import('../store/core').Core} core
   * @param {() => void} onStep called after each commit
   */
  constructor (core, onStep) {
    this.#core = core
    this.#onStep = onStep
    /** Bodies beside the winners', and versions, that were looked at. */
    this.done = 0
    /** How many there were to begin with. */
    this.total = core.totals.bodies + core.totals.versions
    this.startedAt = Date.now()
    this.updatedAt = this.startedAt
    /** Settles with the end of it. */
    this.finished = this.#run()
  }

  /** Ends it after the step that is under way. */
  stop () { this.#stopped = true }

  async #run () {
    const { layout, keyspace } = this.#core
    const range = layout.range(layout.revisions)
    for (let from = range.gte, more = true; more && !this.#stopped;) {
      this.#core.assertOpen()
      const keys = await keyspace.keys({ gte: from, lt: range.lt, limit: STEP }).all()
      if (keys.length > 0) await drop(this.#core, keys.map((key) => named(layout.revisionOf(key))))
      this.#advance(keys.length)
      more = keys.length === STEP
      await keyspace.turn()
      if (more) from = keys[keys.length - 1] + '\0'
    }
    await expireVersions(this.#core, () => this.#stopped, (count) => this.#advance(count))
    if (this.#stopped) throw createError('CLOSED')
    await this.#core.dropper.settled()
  }

  /** @param {number} count */
  #advance (count) {
    this.done += count
    this.total = Math.max(this.total, this.done) // others write meanwhile
    this.updatedAt = Date.now()
    this.#onStep()
  }
}

/** @param {{ id: string, rev: string }} options */
function named ({ id, rev }) {
  return { id, rev: decodeHash(rev) }
}

/**
 * Drops the bodies of these revisions of one document.
 *
 * @param {import('../store/core').Core} core
 * @param {string} id
 * @param {string[]} revs
 */
async function compactDocument (core, id, revs) {
  const unique = [...new Set(revs.map(normaliseRevision))]
  if (unique.length > 0) await drop(core, unique.map((rev) => ({ id, rev })))
}

/** @param {Core} core @param {Array<{ id: string, rev: string }>} revisions */
function drop (core, revisions) {
  const ids = [...new Set(revisions.map(({ id }) => id))]
  return core.queue.push({
    keys: ids.map((id) => core.layout.document(id)),
    kept: 'all',
    /** @param {Commit} commit */
    async apply (commit) {
      for (const { id, rev } of revisions) {
        const state = commit.document(id)
        if (state.has(rev) && !state.isLeaf(rev)) await commit.dropRevision(id, rev)
      }
    }
  })
}

module.exports = { Compaction, compactDocument }
