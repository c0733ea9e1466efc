'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { Dropper } = require('../attachments/drop-content')
const { Feed } = require('../feed/feed')
const { IdRanks } = require('../reading/id-ranks')
const { Keyspace } = require('../media/keyspace')
const { Layout } = require('../media/layout')
const { Ranks } = require('../reading/ranks')
const { Totals } = require('../commit/totals')
const { WriteQueue } = require('../commit/write-queue')

/**
 * @import { Snapshot, Level } from '../media/keyspace'
 * @import { Commit } from '../commit/commit'
 * @import { Retention } from '../history/retention'
 */

/**
 * Prefixes of the databases that are open on a level: two stores on one would not see each other's writes.
 *
 * @type {WeakMap<object, Set<string>>}
 */
const claims = new WeakMap()

/** @param {Level} level @param {string} prefix */
function claim (level, prefix) {
  const open = claims.get(level) ?? new Set()
  if (open.has(prefix)) throw createError('INTERNAL', { reason: 'The database is open already' })
  claims.set(level, open.add(prefix))
}

/** Holds what the verbs of one open database share. */
class Core {
  /** @type {Set<() => Promise<void>>} */
  #holds = new Set()
  /** @type {Set<Promise<void>>} */
  #writing = new Set()
  #session = crypto.randomBytes(9).toString('base64url')
  #contents = 0
  #totals = new Totals()
  #ranks = new Ranks(this)
  #idRanks = new IdRanks(this)
  /** @type {Retention | null} */
  #retention = null
  /** The last commit, unless it is durable: the level may show it. @type {{ totals: Totals, written: Promise<number> } | null} */
  #unsettled = null

  /**
   * @param {import('../media/keyspace').Level} level
   * @param {import('../..').StoreOptions & { shared?: boolean }} options shared: see Keyspace
   * @param {(rows: import('../feed/feed').Row[]) => void} announce called after each commit with what it changed
   */
  constructor (level, options, announce) {
    this.name = options.name ?? ''
    this.keyspace = new Keyspace(level, options)
    this.layout = new Layout(options.prefix ?? '')
    /** Whether a database that is made here has access by document. */
    this.makesAccess = options.access === true
    this.options = {
      revsLimit: options.revsLimit ?? 1000,
      purgedInfosLimit: Infinity, // set when the database is read
      autoCompaction: options.autoCompaction ?? false,
      deterministicRevs: options.deterministicRevs ?? true,
      gather: options.gather ?? 'turn',
      maxPartitionSize: options.maxPartitionSize ?? (() => Infinity),
      compressionLevel: options.compressionLevel,
      now: options.now ?? Date.now,
      /** Writes that do not say who writes. */
      user: null
    }
    this.feed = new Feed()
    this.queue = new WriteQueue(this)
    this.dropper = new Dropper(this)
    this.closed = false
    /** Whether ids are `partition:rest`; set when the database is read. */
    this.partitioned = false
    /** The secret of a database with access by document; '' of another. Set when the database is read. */
    this.accessKey = ''
    /** The update sequence after the last commit that changed a design document; 0 before the first. */
    this.designSeq = 0
    this.announce = announce
    claim(level, this.layout.prefix)
  }

  assertOpen () {
    if (this.closed) throw createError('CLOSED')
  }

  /** The counts after the last commit. */
  get totals () { return this.#totals }

  set totals (totals) { this.#totals = totals }

  /** Says how long versions are kept that others replace; null: not at all. Set when the database is read. @returns {Retention | null} */
  get retention () { return this.#retention }

  set retention (retention) { this.#retention = retention }

  get ranks () { return this.#ranks }

  get idRanks () { return this.#idRanks }

  /** Whether documents say who may see them. */
  get byDocument () { return this.accessKey !== '' }

  /** How long a history is, and is shown. */
  get revsLimit () { return this.options.revsLimit }

  /**
   * Returns the counts at the moment of a snapshot that was just taken.
   *
   * @param {Snapshot} [snapshot]
   * @returns {Totals}
   */
  totalsOf (snapshot) { return this.totals.clone() }

  /** Returns a name for new content that no other has, now or after a crash. */
  nextContent () {
    return `${this.#session}${(this.#contents++).toString(36)}`
  }

  /**
   * Writes beside the queue: content that no commit refers to.
   *
   * @param {import('../media/keyspace').Operation[]} operations
   * @param {{ later?: boolean }} [options] as in Keyspace
   */
  write (operations, options) {
    return this.#beforeClose(() => this.keyspace.write(operations, options))
  }

  /** Makes durable what was written `later`. */
  flush () {
    return this.#beforeClose(() => this.keyspace.flush())
  }

  /**
   * Writes, unless the store is closed: the level may have another one then.
   *
   * @param {() => Promise<void> | undefined} write
   */
  async #beforeClose (write) {
    this.assertOpen()
    const writing = write()
    if (writing === undefined) return
    this.#writing.add(writing)
    try {
      await writing
    } finally {
      this.#writing.delete(writing)
    }
  }

  /**
   * Registers an iterator or snapshot, to be closed with the store.
   *
   * @param {() => Promise<void>} close
   * @returns {() => Promise<void>} closes it, once
   */
  hold (close) {
    const release = async () => {
      if (this.#holds.delete(release)) await close()
    }
    this.#holds.add(release)
    return release
  }

  /**
   * Returns the counts of a snapshot that was just taken, and the number of the commit in `ranks`. If it
   * holds a commit that is being flushed, that one is waited for. Its sequences are not told before,
   * and neither are those of the state before it, as the snapshot lacks the changes that it replaces.
   *
   * @param {Snapshot} snapshot
   * @returns {Promise<{ totals: Totals, commits: number }>}
   * @throws the error of that commit
   */
  async momentOf (snapshot) {
    const moment = { totals: this.totals.clone(), commits: this.ranks.commits }
    const unsettled = this.#unsettled
    if (unsettled === null || !await this.#isBeyond(snapshot, moment.totals.seq)) return moment
    const commits = await unsettled.written
    this.assertOpen()
    return { totals: unsettled.totals.clone(), commits }
  }

  /** @param {Snapshot} snapshot @param {number} seq */
  async #isBeyond (snapshot, seq) {
    const text = await this.keyspace.get(this.layout.state, snapshot)
    this.assertOpen()
    return new Totals(text).seq > seq
  }

  /**
   * Writes a commit and makes it the present once it is durable.
   *
   * @param {import('../commit/commit').Commit} commit
   * @param {'half' | 'all'} [kept] as in Commit
   * @returns {Promise<unknown> | undefined} undefined where it is done already
   */
  commit (commit, kept) {
    const writing = commit.write(kept)
    if (writing === undefined) {
      this.#committed(commit)
      return undefined
    }
    const written = writing.then(() => this.#committed(commit))
    this.#unsettled = { totals: commit.totals, written }
    return written
  }

  /** @param {Commit} commit @returns {number} its number in `ranks` */
  #committed (commit) {
    this.#unsettled = null
    this.totals = commit.totals
    this.retention = commit.retention
    this.idRanks.committed(commit.comings)
    if (commit.removed.length > 0) this.ranks.committed(commit.removed)
    if (commit.rows.length > 0) this.feed.publish(commit.rows)
    for (const { id } of commit.rows) if (id.startsWith('_design/')) this.designSeq = commit.totals.seq
    for (const content of commit.attachments.dropped) this.dropper.drop(content)
    return this.ranks.commits
  }

  /** Lets the database be opened again. */
  release () {
    claims.get(this.keyspace.level)?.delete(this.layout.prefix)
  }

  async close () {
    this.closed = true
    this.feed.close()
    await this.queue.close()
    try {
      await Promise.all([...this.#holds].map((release) => release()))
    } finally {
      await Promise.allSettled(this.#writing)
      this.release()
    }
  }
}

module.exports = { Core }
