'use strict'

const { allDocs } = require('../reading/all-docs')
const { getAttachment } = require('../attachments/attachments')
const { ChangesReader } = require('../feed/changes')
const { bulkGet, get, openRevs } = require('../reading/get')
const { allLocal, getLocal } = require('./local-documents')
const { ReadingCore } = require('./reading-core')
const { revsDiff } = require('../reading/revs-diff')

/**
 * A database that another thread has open and writes: see index.d.ts. What is read is always what
 * is stored at that moment, for nothing of it is kept.
 */
class DocumentReader {
  #core
  #database

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level that answers at once
   * @param {import('../..').StoreOptions} options
   * @param {Record<string, any>} database as stored; nobody changes its instance
   */
  constructor (level, options, database) {
    this.name = options.name ?? ''
    this.#core = new ReadingCore(level, options)
    this.#core.partitioned = database.partitioned === true
    this.#database = database
  }

  get closed () { return this.#core.closed }
  get instanceId () { return this.#database.instanceId }
  get updateSeq () { return this.#core.totals.seq }
  get stateText () { return this.#core.keyspace.getSync(this.#core.layout.state) }
  get partitioned () { return this.#core.partitioned }
  get docCount () { return this.#core.totals.live }

  get (id, options) { return get(this.#core, id, options) }
  openRevs (id, revs, options) { return openRevs(this.#core, id, revs, options) }
  bulkGet (requests, options) { return bulkGet(this.#core, requests, options) }
  allDocs (options) { return allDocs(this.#core, options) }
  changes (options) { return new ChangesReader(this.#core, options) }
  getAttachment (id, name, options) { return getAttachment(this.#core, id, name, options, get) }
  revsDiff (request) { return revsDiff(this.#core, request) }
  getLocal (id) { return getLocal(this.#core, id) }
  allLocal (options) { return allLocal(this.#core, options) }

  /** The text of a meta value, as JSON, so that who keeps it parsed sees whether it is still the same. */
  metaText (key) { return this.#core.keyspace.getSync(this.#core.layout.meta('user:' + key)) }

  /** Lets the same database be opened again; what is being read is read to its end. */
  release () { this.#core.release() }

  close () { return this.#core.close() }
}

module.exports = { DocumentReader }
