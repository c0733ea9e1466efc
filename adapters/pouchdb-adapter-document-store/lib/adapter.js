'use strict'

const { upsert } = require('pouchdb-utils')

const { allDocs } = require('./all-docs')
const { getAttachment } = require('./attachment')
const { answer } = require('./call-back')
const { bulkDocs, putLocal, removeLocal } = require('./bulk-docs')
const { ChangesFeed } = require('./changes')
const { getLocal } = require('./get')
const { toPouchDocument } = require('./outgoing-document')

/** @typedef {Record<string, any>} Options of a call, as PouchDB gives them */

/** Does the work of one PouchDB instance on its document store. */
class Adapter {
  /** @type {Set<{ cancel: () => void }>} */
  #feeds = new Set()
  /** Settings of the writes of this instance: others have their own. */
  #settings

  /**
   * @param {any} db the PouchDB instance
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {Record<string, any>} options the ones given to PouchDB: `revs_limit`,
   *   `deterministic_revs`, `purged_infos_limit`
   */
  constructor (db, store, options) {
    this.db = db
    this.store = store
    this.#settings = {
      keepLocal: true,
      revsLimit: options.revs_limit || undefined,
      deterministicRevs: options.deterministic_revs !== false
    }
    this.purgedInfosLimit = options.purged_infos_limit || undefined
  }

  /**
   * Writes documents. PouchDB lets an instance ask for compaction at any time, and its views do.
   *
   * @param {Array<import('@potoroo/document-store').DocumentInput>} docs
   * @param {import('@potoroo/document-store').WriteOptions} options
   */
  write (docs, options) { return this.store.write(docs, this.#settingsOf(options)) }

  /** @param {import('@potoroo/document-store').Transaction} transaction */
  transact (transaction) { return this.store.transact(transaction, this.#settingsOf({})) }

  /** @param {import('@potoroo/document-store').WriteOptions} options */
  #settingsOf (options) { return { ...this.#settings, ...options, autoCompaction: this.db.auto_compaction ? true : undefined } }

  async info () {
    const { docCount, updateSeq } = await this.store.info()
    return { doc_count: docCount, update_seq: updateSeq }
  }

  /**
   * A document and its tree, in the form that pouchdb-core and its plugins read.
   *
   * @param {string} id
   * @param {Options} options
   */
  async read (id, options) {
    const { at, rev, latest, meta } = options
    const [document, tree] = await Promise.all([
      this.store.get(id, { at, meta: Boolean(meta), rev: rev || undefined, latest: Boolean(rev && latest) }),
      this.store.getRevisionTree(id)
    ])
    return { doc: toPouchDocument(document), metadata: { id, rev: document.rev, rev_tree: tree, at } }
  }

  /** @param {string} id @param {string} name @param {Options} options */
  async attachment (id, name, { at, binary, metadata, rev, stream }) {
    return getAttachment(this.store, id, name, { rev: rev ?? metadata?.rev, at: at ?? metadata?.at, stream, base64: !binary })
  }

  /** @param {Options} options */
  changes (options) {
    const feed = new ChangesFeed(this.store, { ...options })
    this.during(feed, () => feed.run())
    return { cancel: () => feed.cancel() }
  }

  /**
   * A feed that ends with this instance.
   *
   * @template T
   * @param {{ cancel: () => void }} feed
   * @param {() => Promise<T>} run
   */
  async during (feed, run) {
    this.#feeds.add(feed)
    try {
      return await run()
    } finally {
      this.#feeds.delete(feed)
    }
  }

  async compact () {
    const { activeTasks } = this.db
    const { updateSeq } = this.store
    const finished = this.store.compact()
    const { compaction } = this.store // none where it is closed
    const task = activeTasks.add({ name: 'database_compaction', total_items: compaction?.total })
    const report = () => activeTasks.update(task, { completed_items: compaction?.done, total_items: compaction?.total })
    this.store.on('compaction', report)
    try {
      await finished
      await upsert(this.db, '_local/compaction', (doc) => !(doc.last_seq >= updateSeq) && { ...doc, last_seq: updateSeq })
      activeTasks.remove(task)
    } catch (error) {
      activeTasks.remove(task, error)
      throw error
    } finally {
      this.store.off('compaction', report)
    }
    return { ok: true }
  }

  /** Listeners of this instance hear nothing more; the store may live on for others. */
  stop () {
    for (const feed of this.#feeds) feed.cancel()
    this.#feeds.clear()
  }
}

/**
 * @typedef {import('./call-back').Callback} Callback
 *
 * @typedef {object} Contract The methods that pouchdb-core calls; some without their options.
 * @property {(callback: Callback) => void} _id
 * @property {(callback: Callback) => void} _info
 * @property {(id: string, options: Options, callback: Callback) => void} _get
 * @property {(id: string, name: string, attachment: unknown, options: Options, callback: Callback) => void} _getAttachment
 * @property {(request: any, options: Options, callback: Callback) => void} _bulkDocs
 * @property {(options: Options, callback: Callback) => void} _allDocs
 * @property {(options: Options) => { cancel: () => void }} _changes
 * @property {(id: string, callback: Callback) => void} _getRevisionTree
 * @property {(id: string, revs: string[], options: Options | Callback, callback?: Callback) => void} _doCompaction
 * @property {(options: Options, callback: Callback) => void} _compact
 * @property {(id: string, callback: Callback) => void} _getLocal
 * @property {(doc: any, options: Options | Callback, callback?: Callback) => void} _putLocal
 * @property {(doc: any, options: Options | Callback, callback?: Callback) => void} _removeLocal
 */

/**
 * Gives the instance the methods that pouchdb-core asks of an adapter.
 *
 * @param {Adapter} adapter
 */
function installContract (adapter) {
  const { db, store } = adapter
  /** @type {Contract & { _remote: boolean, use_prefix: boolean }} */
  const contract = {
    _remote: false,
    use_prefix: false,
    _id: (callback) => answer(Promise.resolve(store.instanceId), callback),
    _info: (callback) => answer(adapter.info(), callback),
    _get: (id, options, callback) => answer(adapter.read(id, options), callback),
    _getAttachment: (id, name, attachment, options, callback) =>
      answer(adapter.attachment(id, name, options), callback),
    _bulkDocs: (request, options, callback) => answer(bulkDocs(adapter, request, options), callback),
    _allDocs: (options, callback) => answer(allDocs(store, options), callback),
    _changes: (options) => adapter.changes(options),
    _getRevisionTree: (id, callback) => answer(store.getRevisionTree(id), callback),
    _doCompaction: (id, revs, options, callback = /** @type {Callback} */ (options)) =>
      answer(store.compactDocument(id, revs), callback),
    _compact: (options, callback) => answer(adapter.compact(), callback),
    _getLocal: (id, callback) => answer(getLocal(store, id), callback),
    _putLocal: (doc, options, callback = /** @type {Callback} */ (options)) => answer(putLocal(adapter, doc), callback),
    _removeLocal: (doc, options, callback = /** @type {Callback} */ (options)) => answer(removeLocal(adapter, doc), callback)
  }
  Object.assign(db, contract)
}

module.exports = { Adapter, installContract }
