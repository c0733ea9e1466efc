'use strict'

const { allDocs } = require('../reading/all-docs')
const { getAttachment } = require('../attachments/attachments')
const { ChangesReader } = require('../feed/changes')
const { bulkGet, get, openRevs } = require('../reading/get')
const { allLocal, getLocal } = require('./local-documents')
const { MemberStore } = require('../access/member-store')
const { ReadingCore } = require('./reading-core')
const { revsDiff } = require('../reading/revs-diff')

/**
 * @import { AllDocsOptions, ChangesOptions, Document, GetOptions, RangeOptions, ReadOptions } from '../..'
 * @import { DatabaseRecord } from '../media/meta'
 */

/**
 * A database that another thread has open and writes: see index.d.ts. Each read is of what
 * is stored at that moment, for nothing of it is kept.
 */
class DocumentReader {
  #core
  #database

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level that answers at once
   * @param {import('../..').StoreOptions} options
   * @param {DatabaseRecord} database as stored; nobody changes its instance
   */
  constructor (level, options, database) {
    this.name = options.name ?? ''
    this.#core = new ReadingCore(level, options)
    this.#core.partitioned = database.partitioned === true
    this.#core.accessKey = database.accessKey ?? ''
    this.#database = database
  }

  get closed () { return this.#core.closed }
  get instanceId () { return this.#database.instanceId }
  get updateSeq () { return this.#core.totals.seq }
  get stateText () { return this.#core.keyspace.getSync(this.#core.layout.state) }
  get partitioned () { return this.#core.partitioned }
  get byDocument () { return this.#core.byDocument }
  get isOfMember () { return false }
  /** @param {import('../access/member').UserContext} user */
  forMember (user) { return new MemberStore(this.#core, this.#database, user) }
  get docCount () { return this.#core.totals.live }

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
