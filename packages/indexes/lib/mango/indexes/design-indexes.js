'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { EVERY, groupOf } = require('../../views/group')
const { Catalogue } = require('../../index/catalogue')
const { fieldsOfView } = require('./field-mapper')
const { describeIndex } = require('./index-descriptor')
const { PrincipalRows } = require('./member-scope')
const { PartitionRows } = require('./partition-scope')
const { isObject } = require('../selector/normalize-selector')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('./index-descriptor').OpenIndex} OpenIndex
 */

/**
 * The indexes in the design documents of databases, read once for each change of one of them.
 */
class DesignIndexes {
  /** @type {WeakMap<object, { version: string, list: any }>} */
  #known = new WeakMap()

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @returns {import('./index-descriptor').IndexDescriptor[] | Promise<import('./index-descriptor').IndexDescriptor[]>}
   *   by design document and name
   */
  indexes (database) {
    const version = `${database.designSeq} ${database.purgeSeq}`
    const known = this.#known.get(database)
    if (known?.version === version) return known.list
    const reading = readIndexes(database)
    /** @type {{ version: string, list: any }} */
    const entry = { version, list: reading }
    this.#known.set(database, entry)
    reading.then(list => { entry.list = list }, () => this.#known.delete(database))
    return reading
  }
}

/** @param {DocumentStore} database @returns {Promise<IndexDescriptor[]>} */
async function readIndexes (database) {
  const indexes = []
  const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of /** @type {AsyncIterable<Array<{ document?: Document }>>} */ (rows)) {
    for (const { document } of page) {
      // Most design documents are none of ours; that is seen without parsing them.
      if (document?.body.includes('"query"')) indexes.push(...await indexesOf(database, await toObjectInTurns(document)))
    }
  }
  return indexes
}

/**
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} ddoc
 */
async function indexesOf (database, ddoc) {
  if (ddoc.language !== 'query' || !isObject(ddoc.views) || isInert(database, ddoc)) return []
  const names = Object.keys(ddoc.views).filter(name => isOrdered(ddoc.views[name])).sort()
  if (names.length === 0) return []
  const group = groupOf(await Catalogue.of(database), database, ddoc)
  return names.flatMap(name => {
    const view = group.names.indexOf(name)
    const opened = (/** @type {OpenIndex['rows']} */ rows) => ({ rows, view, update: () => group.index.update() })
    const ways = group.byPrincipal
      ? { open: () => opened(new PartitionRows(group.rows, EVERY)), openFor: (/** @type {string[]} */ principals) => opened(new PrincipalRows(group.rows, principals)) }
      : { open: () => opened(group.rows) }
    return view === -1 ? [] : describe(ddoc._id, name, ddoc.views[name], group.partitioned, ways)
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
 * @param {Pick<IndexDescriptor, 'open' | 'openFor'>} ways
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

module.exports = { DesignIndexes }
