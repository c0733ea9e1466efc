'use strict'

const { upsert } = require('pouchdb-utils')

const { allDocs } = require('./all-docs')
const { getAttachment } = require('./attachment')
const { answer } = require('./call-back')
const { bulkDocs, putLocal, removeLocal } = require('./bulk-docs')
const { ChangesFeed } = require('./changes')
const { getLocal } = require('./get')
const { toPouchDocument } = require('./outgoing-document')

/** Does the work of one PouchDB instance on its document store. */
class Adapter {
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

  /** Writes documents. PouchDB lets an instance ask for compaction at any time, and its views do. */
  write (docs, options) {
    const autoCompaction = this.db.auto_compaction ? true : undefined
    return this.store.write(docs, { ...this.#settings, ...options, autoCompaction })
  }

  async info () {
    const { docCount, updateSeq } = await this.store.info()
    return { doc_count: docCount, update_seq: updateSeq }
  }

  /** A document and its tree, in the form that pouchdb-core and its plugins read. */
  async read (id, options) {
    const { rev, latest } = options
    const [document, tree] = await Promise.all([
      this.store.get(id, { rev: rev || undefined, latest: Boolean(rev && latest) }),
      this.store.getRevisionTree(id)
    ])
    return { doc: toPouchDocument(document), metadata: { id, rev: document.rev, rev_tree: tree } }
  }

  async attachment (id, name, { binary, metadata, rev, stream }) {
    const content = await getAttachment(this.store, id, name, { rev: rev ?? metadata?.rev, stream })
    return binary ? content : content.toString('base64')
  }

  changes (options) {
    const feed = new ChangesFeed(this.store, { ...options })
    this.#feeds.add(feed)
    feed.run().finally(() => this.#feeds.delete(feed))
    return { cancel: () => feed.cancel() }
  }

  async compact () {
    const { activeTasks } = this.db
    const { updateSeq } = this.store
    const finished = this.store.compact()
    const { compaction } = this.store // none where it is closed
    const task = activeTasks.add({ name: 'database_compaction', total_items: compaction?.total })
    const report = () => activeTasks.update(task, { completed_items: compaction.done, total_items: compaction.total })
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
 * Gives the instance the methods that pouchdb-core asks of an adapter.
 *
 * @param {Adapter} adapter
 */
function installContract (adapter) {
  const { db, store } = adapter
  Object.assign(db, {
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
    _doCompaction: (id, revs, options, callback = options) =>
      answer(store.compactDocument(id, revs), callback),
    _compact: (options, callback) => answer(adapter.compact(), callback),
    _getLocal: (id, callback) => answer(getLocal(store, id), callback),
    _putLocal: (doc, options, callback = options) => answer(putLocal(adapter, doc), callback),
    _removeLocal: (doc, options, callback = options) => answer(removeLocal(adapter, doc), callback)
  })
}

module.exports = { Adapter, installContract }
