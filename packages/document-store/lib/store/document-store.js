'use strict'

const { EventEmitter } = require('node:events')
const { allDocs } = require('../reading/all-docs')
const { getAttachment } = require('../attachments/attachments')
const { ChangesReader, selectChanges } = require('../feed/changes')
const { Compaction, compactDocument } = require('../commit/compact')
const { Core } = require('./core')
const { removeOrphans } = require('../attachments/drop-content')
const { putAttachment, removeAttachment } = require('../commit/edit-attachment')
const { Follower } = require('../feed/follow')
const { bulkGet, get, getRevisionTree, openRevs } = require('../reading/get')
const { IndexSpace } = require('./index-space')
const { info } = require('./info')
const { fromLevel } = require('../media/level-errors')
const { validLimit } = require('../reading/limit')
const { allLocal, getLocal, putLocal, removeLocal } = require('./local-documents')
const { getMeta, openMeta, removeAll, setMeta, storeDatabase } = require('../media/meta')
const { partitionInfo } = require('../commit/partition-totals')
const { purge, purges } = require('../commit/purge')
const { revsDiff } = require('../reading/revs-diff')
const { write } = require('../commit/write')

/** Purges that are remembered, for indexes that are behind: CouchDB's number. */
const PURGED_INFOS_LIMIT = 1000

/** One database: see index.d.ts. This class only wires the verbs together. */
class DocumentStore extends EventEmitter {
  #core
  #database
  #settings = Promise.resolve()
  #indexSpace
  #compaction = null
  #closing = null
  #destroyer

  /** Use `open`. */
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

  async #open (options) {
    this.#database = await openMeta(this.#core)
    this.#core.options.revsLimit = options.revsLimit ?? this.#database.revsLimit
    this.#core.partitioned = this.#database.partitioned === true
    this.#core.options.purgedInfosLimit = this.#database.purgedInfosLimit ?? PURGED_INFOS_LIMIT
    await removeOrphans(this.#core)
  }

  get closed () { return this.#core.closed }
  get updateSeq () { return this.#core.totals.seq }
  get purgeSeq () { return this.#core.totals.purgeSeq }
  get designSeq () { return this.#core.designSeq }
  get docCount () { return this.#core.totals.live }
  get partitioned () { return this.#core.partitioned }
  get instanceId () { return this.#database.instanceId }

  /** For @potoroo/indexes. */
  get indexSpace () { return this.#indexSpace }

  get revsLimit () { return this.#core.options.revsLimit }
  set revsLimit (limit) { this.#core.options.revsLimit = validLimit(limit, 'rev_limit') }

  get autoCompaction () { return this.#core.options.autoCompaction }
  set autoCompaction (on) { this.#core.options.autoCompaction = on }

  async setRevsLimit (limit) {
    await this.#setDatabase({ revsLimit: validLimit(limit, 'rev_limit') })
    this.#core.options.revsLimit = limit
  }

  get purgedInfosLimit () { return this.#core.options.purgedInfosLimit }

  async setPurgedInfosLimit (limit) {
    await this.#setDatabase({ purgedInfosLimit: validLimit(limit, 'purged_infos_limit') })
    this.#core.options.purgedInfosLimit = limit
  }

  /** One after another; what could not be stored does not hold. */
  #setDatabase (values) {
    const result = this.#settings.then(async () => {
      const database = { ...this.#database, ...values }
      await storeDatabase(this.#core, database)
      this.#database = database
    })
    this.#settings = result.catch(() => {})
    return result
  }

  info () { return info(this.#core, this.#database, this.#compaction !== null) }

  get (id, options) { return get(this.#core, id, options) }
  openRevs (id, revs, options) { return openRevs(this.#core, id, revs, options) }
  bulkGet (requests, options) { return bulkGet(this.#core, requests, options) }
  allDocs (options) { return allDocs(this.#core, options) }

  write (docs, options) { return write(this.#core, docs, options) }

  async put (doc, options) {
    const [result] = await write(this.#core, [doc], options)
    if (result instanceof Error) throw result
    return result
  }

  changes (options) { return new ChangesReader(this.#core, options) }
  follow (options) { return new Follower(this.#core, options) }

  partitionInfo (name) { return partitionInfo(this.#core, name) }

  revsDiff (request, take) { return revsDiff(this.#core, request, take) }
  getRevisionTree (id) { return getRevisionTree(this.#core, id) }

  async getLocal (id) {
    this.#core.assertOpen()
    return getLocal(this.#core, id)
  }

  putLocal (doc, options) { return putLocal(this.#core, doc, options) }
  removeLocal (doc, options) { return removeLocal(this.#core, doc, options) }

  async allLocal (options) {
    this.#core.assertOpen()
    return allLocal(this.#core, options)
  }

  getAttachment (id, name, options) { return getAttachment(this.#core, id, name, options, get) }
  putAttachment (id, name, attachment, options) { return putAttachment(this.#core, id, name, attachment, options) }
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

  async compactDocument (id, revs) {
    this.#core.assertOpen()
    return compactDocument(this.#core, id, revs)
  }

  purge (request, options) { return purge(this.#core, request, options) }
  purges (options) { return purges(this.#core, options) }

  getMeta (key) { return getMeta(this.#core, key) }
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

  #announce (rows) {
    this.emit('commit', this.#core.totals.seq)
    if (this.listenerCount('changes') > 0) this.#emitChanges(rows)
  }

  async #emitChanges (rows) {
    const copies = rows.map((row) => ({ ...row })) // shared with followers
    this.emit('changes', await selectChanges(this.#core, copies, { style: 'all_docs', includeDocs: true }))
  }
}

module.exports = { DocumentStore }
