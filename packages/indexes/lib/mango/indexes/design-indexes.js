'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { EVERY, groupOf } = require('../../views/group')
const { Catalogue } = require('../../index/catalogue')
const { fieldsOfView } = require('./field-mapper')
const { describeIndex } = require('./index-descriptor')
const { PrincipalRows } = require('./member-scope')
const { PartitionRows } = require('./partition-scope')
const { isObject } = require('../selector/normalize-selector')
const { mangoTextsOf } = require('../text/indexes')
const { vectorIndexesOf } = require('../vector/indexes')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('./index-descriptor').OpenIndex} OpenIndex
 * @typedef {import('../text/candidate').TextIndexDescriptor} TextIndexDescriptor
 * @typedef {import('../vector/indexes').VectorIndexDescriptor} VectorIndexDescriptor
 * @typedef {{ json: IndexDescriptor[], texts: TextIndexDescriptor[], vectors: VectorIndexDescriptor[] }} Read
 */

/**
 * The indexes in the design documents of databases, read once for each change of one of them.
 */
class DesignIndexes {
  /** @type {WeakMap<object, { version: string, read: any }>} */
  #known = new WeakMap()

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @returns {import('./index-descriptor').IndexDescriptor[] | Promise<import('./index-descriptor').IndexDescriptor[]>}
   *   by design document and name
   */
  indexes (database) {
    const read = this.#read(database)
    return read instanceof Promise ? read.then(({ json }) => json) : read.json
  }

  /** The text indexes. @param {DocumentStore} database @returns {TextIndexDescriptor[] | Promise<TextIndexDescriptor[]>} */
  texts (database) {
    const read = this.#read(database)
    return read instanceof Promise ? read.then(({ texts }) => texts) : read.texts
  }

  /** The vector indexes. @param {DocumentStore} database */
  async vectors (database) { return (await this.#read(database)).vectors }

  /** @param {DocumentStore} database @returns {Read | Promise<Read>} */
  #read (database) {
    const version = `${database.designSeq} ${database.purgeSeq}`
    const known = this.#known.get(database)
    if (known?.version === version) return known.read
    const reading = readIndexes(database)
    /** @type {{ version: string, read: any }} */
    const entry = { version, read: reading }
    this.#known.set(database, entry)
    reading.then(read => { entry.read = read }, () => this.#known.delete(database))
    return reading
  }
}

/** @param {DocumentStore} database @returns {Promise<Read>} */
async function readIndexes (database) {
  /** @type {Read} */
  const read = { json: [], texts: [], vectors: [] }
  const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of /** @type {AsyncIterable<Array<{ document?: Document }>>} */ (rows)) {
    for (const { document } of page) {
      // Most design documents are none of ours; that is seen without parsing them.
      if (!document?.body.includes('"query"')) continue
      const ddoc = await toObjectInTurns(document)
      if (isInert(database, ddoc)) continue
      read.json.push(...await indexesOf(database, ddoc))
      read.texts.push(...await mangoTextsOf(database, ddoc))
      read.vectors.push(...await vectorIndexesOf(database, ddoc))
    }
  }
  return read
}

/**
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} ddoc
 */
async function indexesOf (database, ddoc) {
  if (orderedViews(ddoc).length === 0) return []
  const group = groupOf(await Catalogue.of(database), database, ddoc)
  return describeOrdered(ddoc, group, view => {
    const opened = (/** @type {OpenIndex['rows']} */ rows) => ({ rows, view, update: () => group.index.catchUp() })
    const own = opened(group.byPrincipal ? new PartitionRows(group.rows, EVERY) : group.rows)
    return group.byPrincipal
      ? { open: () => own, openFor: (/** @type {string[]} */ principals) => opened(new PrincipalRows(group.rows, principals)) }
      : { open: () => own }
  })
}

/** The names of the views of a design document that are ordered indexes. @param {any} ddoc @returns {string[]} */
function orderedViews (ddoc) {
  if (ddoc.language !== 'query' || !isObject(ddoc.views)) return []
  return Object.keys(ddoc.views).filter(name => isOrdered(ddoc.views[name])).sort()
}

/**
 * @param {any} ddoc
 * @param {Pick<import('../../views/group').DescribedGroup, 'names' | 'partitioned'>} group its views
 * @param {(view: number) => Pick<IndexDescriptor, 'open' | 'openFor' | 'stored'>} waysOf to read one
 * @returns {IndexDescriptor[]}
 */
function describeOrdered (ddoc, { names, partitioned }, waysOf) {
  return orderedViews(ddoc).flatMap(name => {
    const view = names.indexOf(name)
    return view === -1 ? [] : describe(ddoc._id, name, ddoc.views[name], partitioned, waysOf(view))
  })
}

/** Ranges are of CouchDB's own collation. @param {any} view */
function isOrdered (view) { return isObject(view?.map?.fields) && view.options?.collation !== 'raw' }

/**
 * One that makes no sense is none, as in CouchDB.
 *
 * @param {string} ddoc
 * @param {string} name
 * @param {any} view
 * @param {boolean} partitioned
 * @param {Pick<IndexDescriptor, 'open' | 'openFor' | 'stored'>} ways
 * @returns {IndexDescriptor[]}
 */
function describe (ddoc, name, view, partitioned, ways) {
  const { partial_filter_selector: partial, selector } = view.map
  try {
    return [describeIndex({ ddoc, name, fields: fieldsOfView(view), partial: isObject(partial) && Object.keys(partial).length > 0 ? partial : selector, partitioned, ...ways })]
  } catch (error) {
    if (error.status === 400) return []
    throw error
  }
}

module.exports = { DesignIndexes, describeOrdered }
