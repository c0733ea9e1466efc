'use strict'

const { EventEmitter } = require('node:events')
const { allDocs } = require('../reading/all-docs')
const { getAttachment } = require('../attachments/attachments')
const { ChangesReader } = require('../feed/changes')
const { Compaction, compactDocument } = require('../commit/compact')
const { Core } = require('./core')
const { removeOrphans } = require('../attachments/drop-content')
const { putAttachment, removeAttachment } = require('../commit/edit-attachment')
const { Follower } = require('../feed/follow')
const { bulkGet, get, getRevisionTree, openRevs } = require('../reading/get')
const { conflictsSync, getSync, pageSync, winnersSync } = require('../reading/get-sync')
const { historyOf } = require('../history/entries')
const { IndexSpace } = require('./index-space')
const { info } = require('./info')
const { fromLevel } = require('../media/level-errors')
const { validLimit } = require('../reading/limit')
const { setRetention } = require('../history/retention')
const { allLocal, getLocal, putLocal, removeLocal } = require('./local-documents')
const { getMeta, openMeta, removeAll, setMeta, storeDatabase } = require('../media/meta')
const { MemberStore } = require('../access/member-store')
const { partitionInfo } = require('../commit/partition-totals')
const { purge, purges } = require('../commit/purge')
const { revsDiff } = require('../reading/revs-diff')
const { decodeHash } = require('../revision-tree/revision')
const { transact } = require('../commit/transact')
const { write } = require('../commit/write')
const { writePrepared } = require('../commit/prepared')

/**
 * @import { Level } from '../media/keyspace'
 * @import { Row } from '../feed/feed'
 * @import { DatabaseRecord } from '../media/meta'
 * @import {
 *   AllDocsOptions, ChangesOptions, Document, DocumentInput, GetOptions, PreparedWrite, PurgeOptions, RangeOptions, ReadOptions, StoreOptions,
 *   Transaction, WriteOptions
 * } from '../..'
 */

/** Purges that are remembered, for indexes that are behind: CouchDB's number. */
const PURGED_INFOS_LIMIT = 1000

/** One database: see index.d.ts. This class only wires the verbs together. */
class DocumentStore extends EventEmitter {
  #core
  /** As it is stored: set when the database is read. */
  #database = /** @type {DatabaseRecord} */ ({})
  #settings = Promise.resolve()
  #indexSpace
  /** @type {Compaction | null} */
  #compaction = null
  /** @type {Promise<void> | null} */
  #closing = null
  #destroyer

  /**
   * Use `open`.
   *
   * @param {Level} level
   * @param {StoreOptions} options
   * @param {() => Promise<void>} [destroyer]
   */
  constructor (level, options, destroyer) {
    super()
    this.setMaxListeners(0)
    this.name = options.name ?? ''
    this.#destroyer = destroyer
    this.#core = new Core(level, options, (rows) => this.#announce(rows))
    this.#indexSpace = new IndexSpace(this.#core)
  }

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level
   * @param {import('../..').StoreOptions} [options]
   * @param {() => Promise<void>} [destroyer] what `destroy` must do instead, for a catalogue
   */
  static async open (level, options = {}, destroyer = undefined) {
    const store = new DocumentStore(level, options, destroyer)
    try {
      if (level.status === 'opening') await level.open()
      await store.#open(options)
    } catch (error) {
      store.#core.release()
      throw fromLevel(error)
    }
    return store
  }

  /** @param {StoreOptions} options */
  async #open (options) {
    this.#database = await openMeta(this.#core)
    this.#core.options.revsLimit = options.revsLimit ?? this.#database.revsLimit
    this.#core.partitioned = this.#database.partitioned === true
    this.#core.accessKey = this.#database.accessKey ?? ''
    this.#core.options.purgedInfosLimit = this.#database.purgedInfosLimit ?? PURGED_INFOS_LIMIT
    await removeOrphans(this.#core)
  }

  get closed () { return this.#core.closed }
  get updateSeq () { return this.#core.totals.seq }
  get purgeSeq () { return this.#core.totals.purgeSeq }
  get designSeq () { return this.#core.designSeq }
  get docCount () { return this.#core.totals.live }

  get deletedCount () { return this.#core.totals.deleted }
  get partitioned () { return this.#core.partitioned }
  get byDocument () { return this.#core.byDocument }
  get isOfMember () { return false }
  get instanceId () { return this.#database.instanceId }

  /** The object that stands for all who see the same of this database: the live queries of `@potoroo/indexes` follow it together. */
  get liveSource () { return this }

  /** For @potoroo/indexes. */
  get indexSpace () { return this.#indexSpace }

  get revsLimit () { return this.#core.options.revsLimit }
  set revsLimit (limit) { this.#core.options.revsLimit = validLimit(limit, 'rev_limit') }

  get autoCompaction () { return this.#core.options.autoCompaction }
  set autoCompaction (on) { this.#core.options.autoCompaction = on }

  /** @param {number} limit */
  async setRevsLimit (limit) {
    await this.#setDatabase({ revsLimit: validLimit(limit, 'rev_limit') })
    this.#core.options.revsLimit = limit
  }

  get purgedInfosLimit () { return this.#core.options.purgedInfosLimit }

  /** @param {number} limit */
  async setPurgedInfosLimit (limit) {
    await this.#setDatabase({ purgedInfosLimit: validLimit(limit, 'purged_infos_limit') })
    this.#core.options.purgedInfosLimit = limit
  }

  /**
   * Stores settings, one after another; those that could not be stored do not hold.
   *
   * @param {Partial<DatabaseRecord>} values
   */
  #setDatabase (values) {
    const result = this.#settings.then(async () => {
      const database = { ...this.#database, ...values }
      await storeDatabase(this.#core, database)
      this.#database = database
    })
    this.#settings = result.catch(() => {})
    return result
  }

  get retention () { return this.#core.retention }
  /** @param {{ retain?: string | null, versions?: number | null }} limits */
  setRetention (limits) { return setRetention(this.#core, limits) }
  /** @param {string} id @param {{ limit?: number }} [options] */
  history (id, options) { return historyOf(this.#core, id, options) }
  /** @param {import('../access/member').UserContext} user */
  forMember (user) { return new MemberStore(this.#core, this.#database, user, this) }

  info () { return info(this.#core, this.#database, this.#compaction !== null) }

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

  get readsAtOnce () { return this.#core.keyspace.reads }
  /** @param {string} id */
  getSync (id) { return getSync(this.#core, id) }
  /** @param {string} id */
  conflictsSync (id) { return conflictsSync(this.#core, id) }
  /** @param {string[]} ids */
  winnersSync (ids) { return winnersSync(this.#core, ids) }
  /** @param {{ after?: string, limit: number }} options */
  pageSync (options) { return pageSync(this.#core, options) }

  /** @param {Array<DocumentInput | Error>} docs @param {WriteOptions} [options] */
  write (docs, options) { return write(this.#core, docs, options) }

  /** @param {PreparedWrite} prepared */
  async writePrepared ({ instanceId, user, edits }) {
    if (instanceId !== this.instanceId || this.#core.byDocument) return null
    return writePrepared(this.#core, edits, { user: { name: user, roles: [] } })
  }

  /** @param {DocumentInput} doc @param {WriteOptions} [options] */
  async put (doc, options) {
    const [result] = await write(this.#core, [doc], options)
    if (result instanceof Error) throw result
    return result
  }

  /** @param {Transaction} transaction @param {WriteOptions} [options] */
  transact (transaction, options) { return transact(this, transaction, options) }

  /** @param {ChangesOptions} [options] */
  changes (options) { return new ChangesReader(this.#core, options) }
  /** @param {ChangesOptions & { signal?: AbortSignal }} [options] */
  follow (options) { return new Follower(this.#core, options) }

  /** @param {string} name */
  partitionInfo (name) { return partitionInfo(this.#core, name) }

  /** @param {Record<string, string[]>} request @param {Parameters<typeof revsDiff>[2]} [take] */
  revsDiff (request, take) { return revsDiff(this.#core, request, take) }
  /** @param {string} id */
  getRevisionTree (id) { return getRevisionTree(this.#core, id) }

  /** @param {string} id */
  async getLocal (id) {
    this.#core.assertOpen()
    return getLocal(this.#core, id)
  }

  /** @param {DocumentInput} doc @param {Pick<WriteOptions, 'keepLocal' | 'checkLocal'>} [options] */
  putLocal (doc, options) { return putLocal(this.#core, doc, options) }
  /** @param {{ _id: string, _rev?: string }} doc @param {Pick<WriteOptions, 'checkLocal'>} [options] */
  removeLocal (doc, options) { return removeLocal(this.#core, doc, options) }

  /** @param {RangeOptions & { keys?: string[] }} [options] */
  async allLocal (options) {
    this.#core.assertOpen()
    return allLocal(this.#core, options)
  }

  /** @param {string} id @param {string} name @param {{ rev?: string, document?: Document }} [options] */
  getAttachment (id, name, options) { return getAttachment(this.#core, id, name, options, get) }
  /**
   * @param {string} id
   * @param {string} name
   * @param {Parameters<typeof putAttachment>[3]} attachment
   * @param {Parameters<typeof putAttachment>[4]} [options]
   */
  putAttachment (id, name, attachment, options) { return putAttachment(this.#core, id, name, attachment, options) }
  /** @param {string} id @param {string} name @param {Parameters<typeof removeAttachment>[3]} [options] */
  removeAttachment (id, name, options) { return removeAttachment(this.#core, id, name, options) }

  get compaction () { return this.#compaction }

  async compact () {
    this.#core.assertOpen()
    this.#compaction ??= this.#compact()
    return this.#compaction.finished
  }

  #compact () {
    const compaction = new Compaction(this.#core, () => this.emit('compaction'))
    const forget = () => { this.#compaction = null }
    compaction.finished.then(forget, forget)
    return compaction
  }

  /** @param {string} id @param {string[]} revs */
  async compactDocument (id, revs) {
    this.#core.assertOpen()
    return compactDocument(this.#core, id, revs)
  }

  /** @param {Record<string, string[]>} request @param {PurgeOptions} [options] */
  async purge (request, options) {
    const result = await purge(this.#core, request, options)
    this.emit('purge')
    return result
  }

  /** @param {{ since?: number }} [options] */
  purges (options) { return purges(this.#core, options) }

  /** @param {string} key */
  getMeta (key) { return getMeta(this.#core, key) }
  /** @param {string} key @param {unknown} value */
  setMeta (key, value) { return setMeta(this.#core, key, value) }

  async close () {
    if (this.#closing !== null) return this.#closing
    this.#closing = this.#end()
    try {
      await this.#closing
    } finally {
      this.emit('close')
    }
  }

  async #end () {
    this.#compaction?.stop()
    await this.#core.close()
    await this.#compaction?.finished.catch(() => {}) // its own caller is told
  }

  async destroy () {
    if (this.#destroyer !== undefined) return this.#destroyer()
    this.#core.assertOpen()
    await this.close()
    await removeAll(this.#core)
    this.emit('destroy')
  }

  /** @param {Row[]} rows */
  #announce (rows) {
    // First, as objects that stand for documents hear of a commit by it: others may look at them.
    if (this.listenerCount('written') > 0) this.emit('written', rows.map(winnerOf))
    this.emit('commit', this.#core.totals.seq)
  }
}

/** @param {Row} row */
function winnerOf ({ id, seq, deleted, leaves: [winner] }) { return { id, seq, deleted, rev: decodeHash(winner) } }

module.exports = { DocumentStore }
