'use strict'

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

/** A document store, or a view of one: a reader of a thread has the part that reading takes. @typedef {Pick<DocumentStore, keyof DatabaseView & keyof DocumentStore>} AnyDatabase */

/**
 * A database as requests use it: these verbs of a DocumentStore, and no others. Policies extend it and
 * override the verbs they have something to say about; one stands on top of another. A verb that the
 * document store gains is out of reach until it is named here, and each policy says what it does with it.
 */
class DatabaseView {
  /** The next one to ask: another policy, or the store. @type {AnyDatabase} */
  below

  /** @param {any} below a DocumentStore, a DocumentReader, or another view */
  constructor (below) { this.below = below }

  get name () { return this.below.name }
  get closed () { return this.below.closed }
  get instanceId () { return this.below.instanceId }
  get partitioned () { return this.below.partitioned }
  get updateSeq () { return this.below.updateSeq }
  get purgeSeq () { return this.below.purgeSeq }
  get designSeq () { return this.below.designSeq }
  get docCount () { return this.below.docCount }
  get revsLimit () { return this.below.revsLimit }
  get purgedInfosLimit () { return this.below.purgedInfosLimit }

  info () { return this.below.info() }
  /** @type {DocumentStore['partitionInfo']} */
  partitionInfo (name) { return this.below.partitionInfo(name) }

  /** @type {DocumentStore['get']} */
  get (id, options) { return this.below.get(id, options) }
  /** @type {DocumentStore['openRevs']} */
  openRevs (id, revs, options) { return this.below.openRevs(id, revs, options) }
  /** @type {DocumentStore['bulkGet']} */
  bulkGet (requests, options) { return this.below.bulkGet(requests, options) }
  /** @type {DocumentStore['allDocs']} */
  allDocs (options) { return this.below.allDocs(options) }
  /** @type {DocumentStore['changes']} */
  changes (options) { return this.below.changes(options) }
  /** @type {DocumentStore['follow']} */
  follow (options) { return this.below.follow(options) }
  /** @type {DocumentStore['getRevisionTree']} */
  getRevisionTree (id) { return this.below.getRevisionTree(id) }
  /** @type {DocumentStore['revsDiff']} */
  revsDiff (request, take) { return this.below.revsDiff(request, take) }
  /** @type {DocumentStore['getAttachment']} */
  getAttachment (id, name, options) { return this.below.getAttachment(id, name, options) }
  /** @type {DocumentStore['getLocal']} */
  getLocal (id) { return this.below.getLocal(id) }
  /** @type {DocumentStore['allLocal']} */
  allLocal (options) { return this.below.allLocal(options) }
  /** @type {DocumentStore['purges']} */
  purges (options) { return this.below.purges(options) }

  /** @type {DocumentStore['put']} */
  put (doc, options) { return this.below.put(doc, options) }
  /** @type {DocumentStore['write']} */
  write (docs, options) { return this.below.write(docs, options) }
  /** @type {DocumentStore['putAttachment']} */
  putAttachment (id, name, attachment, options) { return this.below.putAttachment(id, name, attachment, options) }
  /** @type {DocumentStore['removeAttachment']} */
  removeAttachment (id, name, options) { return this.below.removeAttachment(id, name, options) }
  /** @type {DocumentStore['putLocal']} */
  putLocal (doc, options) { return this.below.putLocal(doc, options) }
  /** @type {DocumentStore['removeLocal']} */
  removeLocal (doc, options) { return this.below.removeLocal(doc, options) }

  /** @type {DocumentStore['purge']} */
  purge (request, options) { return this.below.purge(request, options) }
  compact () { return this.below.compact() }
  /** @type {DocumentStore['setRevsLimit']} */
  setRevsLimit (limit) { return this.below.setRevsLimit(limit) }
  /** @type {DocumentStore['setPurgedInfosLimit']} */
  setPurgedInfosLimit (limit) { return this.below.setPurgedInfosLimit(limit) }
}

/**
 * A view for what takes document stores and uses the verbs of views alone: indexes do.
 *
 * @param {DatabaseView} view
 * @returns {DocumentStore}
 */
function asStore (view) { return /** @type {any} */ (view) }

/** The verbs by kinds, for policies to say which they let pass. */
const VERBS = {
  facts: ['name', 'closed', 'instanceId', 'partitioned', 'updateSeq', 'purgeSeq', 'designSeq', 'docCount', 'revsLimit', 'purgedInfosLimit', 'info', 'partitionInfo'],
  reads: ['get', 'openRevs', 'bulkGet', 'allDocs', 'changes', 'follow', 'getRevisionTree', 'revsDiff', 'getAttachment', 'purges'],
  writes: ['put', 'write', 'putAttachment', 'removeAttachment'],
  localReads: ['getLocal', 'allLocal'],
  localWrites: ['putLocal', 'removeLocal'],
  administration: ['purge', 'compact', 'setRevsLimit', 'setPurgedInfosLimit']
}

module.exports = { DatabaseView, VERBS, asStore }
