'use strict'

/**
 * A database as requests use it: these verbs of a DocumentStore, and no others. Policies extend it and
 * override the verbs they have something to say about; one stands on top of another. A verb that the
 * document store gains is out of reach until it is named here, and each policy says what it does with it.
 */
class DatabaseView {
  /** The next one to ask: another policy, or the store. */
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
  partitionInfo (name) { return this.below.partitionInfo(name) }

  get (id, options) { return this.below.get(id, options) }
  openRevs (id, revs, options) { return this.below.openRevs(id, revs, options) }
  bulkGet (requests, options) { return this.below.bulkGet(requests, options) }
  allDocs (options) { return this.below.allDocs(options) }
  changes (options) { return this.below.changes(options) }
  follow (options) { return this.below.follow(options) }
  getRevisionTree (id) { return this.below.getRevisionTree(id) }
  revsDiff (request, take) { return this.below.revsDiff(request, take) }
  getAttachment (id, name, options) { return this.below.getAttachment(id, name, options) }
  getLocal (id) { return this.below.getLocal(id) }
  allLocal (options) { return this.below.allLocal(options) }
  purges (options) { return this.below.purges(options) }

  put (doc, options) { return this.below.put(doc, options) }
  write (docs, options) { return this.below.write(docs, options) }
  putAttachment (id, name, attachment, options) { return this.below.putAttachment(id, name, attachment, options) }
  removeAttachment (id, name, options) { return this.below.removeAttachment(id, name, options) }
  putLocal (doc, options) { return this.below.putLocal(doc, options) }
  removeLocal (doc, options) { return this.below.removeLocal(doc, options) }

  purge (request, options) { return this.below.purge(request, options) }
  compact () { return this.below.compact() }
  setRevsLimit (limit) { return this.below.setRevsLimit(limit) }
  setPurgedInfosLimit (limit) { return this.below.setPurgedInfosLimit(limit) }
}

/** The verbs by kinds, for policies to say which they let pass. */
const VERBS = {
  facts: ['name', 'closed', 'instanceId', 'partitioned', 'updateSeq', 'purgeSeq', 'designSeq', 'docCount', 'revsLimit', 'purgedInfosLimit', 'info', 'partitionInfo'],
  reads: ['get', 'openRevs', 'bulkGet', 'allDocs', 'changes', 'follow', 'getRevisionTree', 'revsDiff', 'getAttachment', 'purges'],
  writes: ['put', 'write', 'putAttachment', 'removeAttachment'],
  localReads: ['getLocal', 'allLocal'],
  localWrites: ['putLocal', 'removeLocal'],
  administration: ['purge', 'compact', 'setRevsLimit', 'setPurgedInfosLimit']
}

module.exports = { DatabaseView, VERBS }
