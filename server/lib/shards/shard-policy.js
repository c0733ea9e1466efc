'use strict'

const { isInShard, isShard } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { DatabaseView, VERBS } = require('../databases/database-view')

/** Keeps documents of other shards out of a shard: nobody would find them there. Copies of design documents are in all. */
class ShardPolicy extends DatabaseView {
  static { this.letPass([...VERBS.facts, ...VERBS.live, ...VERBS.reads, ...VERBS.localReads, 'removeAttachment', 'removeLocal', ...VERBS.administration]) }

  /** @type {DatabaseView['put']} */
  async put (doc, options) { return this.below.put(required(this.#own(doc)), options) }
  /** @type {DatabaseView['write']} */
  async write (docs, options) { return this.below.write(docs.map(doc => this.#own(doc)), options) }
  /** @type {DatabaseView['putLocal']} */
  async putLocal (doc, options) { return this.below.putLocal(required(this.#own(doc)), options) }
  /** @type {DatabaseView['putAttachment']} */
  async putAttachment (id, name, attachment, options) {
    required(this.#own({ _id: id }))
    return this.below.putAttachment(id, name, attachment, options)
  }

  /** @param {any} doc @returns {any} the same, or why it cannot be here; what is no id is refused below */
  #own (doc) {
    const id = doc?._id
    if (doc instanceof Error || (id !== undefined && typeof id !== 'string') || id?.startsWith('_design/') || (id !== undefined && isInShard(id, this.below))) return doc
    return createError('NOT_IMPLEMENTED', { id, reason: 'The document belongs to another shard of this database: a function may write the document that the path names' })
  }
}

/** @param {any} doc @returns {any} */
function required (doc) {
  if (doc instanceof Error) throw doc
  return doc
}

/** @param {any} store @returns {any} the same, unless it is a shard */
function ofShard (store) { return isShard(store.name) ? new ShardPolicy(store) : store }

module.exports = { ShardPolicy, ofShard }
