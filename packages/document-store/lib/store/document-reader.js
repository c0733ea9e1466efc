'use strict'

const { allDocs } = require('../reading/all-docs')
const { getAttachment } = require('../attachments/attachments')
const { ChangesReader } = require('../feed/changes')
const { bulkGet, get, openRevs } = require('../reading/get')
const { winnersSync } = require('../reading/get-sync')
const { IndexSpace } = require('./index-space')
const { allLocal, getLocal } = require('./local-documents')
const { prepareEdits, resultsOf } = require('../commit/prepared')
const { MemberStore } = require('../access/member-store')
const { ReadingCore } = require('./reading-core')
const { revsDiff } = require('../reading/revs-diff')

/**
 * @import { AllDocsOptions, ChangesOptions, CommitPrepared, Document, DocumentInput, GetOptions, RangeOptions, ReadOptions, WriteOptions } from '../..'
 * @import { DatabaseRecord } from '../media/meta'
 */

/**
 * A database that another thread has open and writes: see index.d.ts. Each read is of what
 * is stored at that moment, for nothing of it is kept. Writes are prepared here, and committed there.
 */
class DocumentReader {
  #core
  #database
  #commit
  #indexSpace
  /** The counts that were read last, and what of them was told. @type {{ text: string, told: { updateSeq: number, purgeSeq: number } } | undefined} */
  #moment

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level that answers at once
   * @param {import('../..').StoreOptions} options
   * @param {DatabaseRecord} database as stored; nobody changes its instance
   * @param {CommitPrepared} [commit] hands a write to the thread that commits it
   */
  constructor (level, options, database, commit = async () => null) {
    this.name = options.name ?? ''
    this.#commit = commit
    this.#core = new ReadingCore(level, options)
    this.#core.partitioned = database.partitioned === true
    this.#core.accessKey = database.accessKey ?? ''
    this.#database = database
    this.#indexSpace = new IndexSpace(this.#core)
  }

  get closed () { return this.#core.closed }
  get instanceId () { return this.#database.instanceId }
  get updateSeq () { return this.#core.totals.seq }
  get stateText () { return this.#core.keyspace.getSync(this.#core.layout.state) }
  get partitioned () { return this.#core.partitioned }
  get byDocument () { return this.#core.byDocument }
  get isOfMember () { return false }
  get preparesWrites () { return true }
  /** @param {import('../access/member').UserContext} user */
  forMember (user) { return new MemberStore(this.#core, this.#database, user) }
  get docCount () { return this.#core.totals.live }

  /** For @potoroo/indexes, to read of a snapshot. */
  get indexSpace () { return this.#indexSpace }

  /** @param {import('../media/keyspace').Snapshot} [snapshot] */
  momentOf (snapshot) {
    const text = this.#core.keyspace.getSync(this.#core.layout.state, snapshot)
    const known = this.#moment
    if (known !== undefined && known.text === text) return known.told
    const { seq, purgeSeq } = this.#core.totalsOf(snapshot)
    const told = Object.freeze({ updateSeq: seq, purgeSeq })
    // A commit between the two reads is told of by the later one alone.
    if (snapshot !== undefined) this.#moment = { text, told }
    return told
  }

  /** @param {string} id @param {import('../media/keyspace').Snapshot} snapshot */
  getOf (id, snapshot) { return get(this.#core, id, undefined, snapshot) }

  /** @param {string[]} ids @param {import('../media/keyspace').Snapshot} snapshot */
  winnersOf (ids, snapshot) { return winnersSync(this.#core, ids, snapshot) }

  /** @param {string} id @param {GetOptions} [options] */
  get (id, options) { return get(this.#core, id, options) }
  /** @param {string} id @param {'all' | string[]} revs @param {ReadOptions & { latest?: boolean }} [options] */
  openRevs (id, revs, options) { return openRevs(this.#core, id, revs, options) }
  /**
   * @param {Array<{ id: string, rev?: string, attsSince?: string[] }>} requests
   * @param {ReadOptions & { latest?: boolean }} [options]
   */
  bulkGet (requests, options) { return bulkGet(this.#core, requests, options) }
  /** @param {AllDocsOptions} [options] */
  allDocs (options) { return allDocs(this.#core, options) }
  /** @param {ChangesOptions} [options] */
  changes (options) { return new ChangesReader(this.#core, options) }
  /** @param {string} id @param {string} name @param {{ rev?: string, document?: Document }} [options] */
  getAttachment (id, name, options) { return getAttachment(this.#core, id, name, options, get) }
  /** @param {Record<string, string[]>} request @param {Parameters<typeof revsDiff>[2]} [take] */
  revsDiff (request, take) { return revsDiff(this.#core, request, take) }
  /** @param {string} id */
  getLocal (id) { return getLocal(this.#core, id) }
  /** @param {RangeOptions & { keys?: string[] }} [options] */
  allLocal (options) { return allLocal(this.#core, options) }

  /** @param {DocumentInput[]} docs @param {WriteOptions} [options] */
  async write (docs, options = {}) {
    const edits = await prepareEdits(this.#core, docs, options)
    if (edits === null) return null
    const results = await this.#commit({ name: this.name, instanceId: this.instanceId, user: options.user?.name ?? null, edits })
    return results === null ? null : resultsOf(edits, results)
  }

  /**
   * Returns the text of a meta value, as JSON. A caller that keeps it parsed sees whether it is still the same.
   *
   * @param {string} key
   */
  metaText (key) { return this.#core.keyspace.getSync(this.#core.layout.meta('user:' + key)) }

  /** Lets the same database be opened again; what is being read is read to its end. */
  release () { this.#core.release() }

  close () { return this.#core.close() }
}

module.exports = { DocumentReader }
