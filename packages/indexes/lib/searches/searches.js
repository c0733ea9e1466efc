'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Catalogue } = require('../index/catalogue')
const { textDefinition } = require('./definition')
const { textSnapshot } = require('../index/text-index')
const { cleanUp } = require('./clean-up')
const { checkPartition, inTime, isPartitioned, searchIn } = require('./one-search')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./dialects').Dialect} Dialect
 * @typedef {import('./definition').TextDefinition} TextDefinition
 * @typedef {import('./run-search').SearchArgs} SearchArgs
 * @typedef {{ definition: TextDefinition, index: import('../index/view-index').ViewIndex, rows: import('../index/text-index').TextIndex, partitioned: boolean }} OpenText
 */

/** The text indexes of databases, whose functions run in the query server. */
class Searches {
  #queryServer
  /** The indexes of each database, as long as no design document changes. @type {WeakMap<object, { version: string, open: Map<string, OpenText> }>} */
  #known = new WeakMap()

  /** @param {{ queryServer: import('@potoroo/query-server').QueryServer }} options */
  constructor ({ queryServer }) { this.#queryServer = queryServer }

  /**
   * @param {DocumentStore} database
   * @param {Dialect} dialect
   * @param {string} design name of the design document, without `_design/`
   * @param {string} name of the index
   * @param {SearchArgs} args
   * @returns {Promise<import('./run-search').SearchResult & { latency: number }>}
   * @throws not_found; bad_request, also of a query that costs too much
   */
  async search (database, dialect, design, name, args) {
    const open = await this.#open(database, dialect, design, name)
    checkPartition(open, args)
    return inTime(args.timeout, deadline => searchUpdated(database, open, args, deadline))
  }

  /**
   * Tells of an index what `_search_info` and `_nouveau_info` say.
   *
   * @param {DocumentStore} database
   * @param {Dialect} dialect
   * @param {string} design
   * @param {string} name
   */
  async info (database, dialect, design, name) {
    const { index, rows, definition } = await this.#open(database, dialect, design, name)
    const { file } = await rows.sizes()
    const signature = definition.signature.slice(dialect.length + 1)
    return { signature, documents: rows.documents, bytes: file, seq: rows.seq, purgeSeq: rows.purgeSeq, pending: index.pending }
  }

  /**
   * Drops the indexes that no design document asks for.
   *
   * @param {DocumentStore} database
   * @param {Dialect} dialect
   */
  cleanup (database, dialect) { return cleanUp(database, dialect, this.#queryServer) }

  /** @param {DocumentStore} database @param {Dialect} dialect @param {string} design @param {string} name @returns {Promise<OpenText>} */
  async #open (database, dialect, design, name) {
    const version = `${database.designSeq} ${database.purgeSeq}`
    let known = this.#known.get(database)
    if (known?.version !== version) this.#known.set(database, known = { version, open: new Map() })
    const place = JSON.stringify([dialect, design, name])
    let open = known.open.get(place)
    if (open !== undefined) return open
    const ddoc = await toObjectInTurns(await database.get(`_design/${design}`))
    if (isInert(database, ddoc)) throw createError('MISSING')
    const definition = textDefinition(database, ddoc, dialect, name, this.#queryServer)
    const index = (await Catalogue.of(database)).open(definition.definition)
    open = { definition, index, rows: /** @type {any} */ (index.rows), partitioned: isPartitioned(database, ddoc) }
    known.open.set(place, open)
    return open
  }
}

/**
 * @param {DocumentStore} database
 * @param {OpenText} open
 * @param {SearchArgs} args
 * @param {number} deadline
 */
async function searchUpdated (database, open, args, deadline) {
  const begun = performance.now()
  if (args.update !== false) await open.index.update()
  // Nouveau has no index before it is asked for the first time.
  else if (open.definition.dialect === 'nouveau' && open.rows.seq === 0) throw createError('MISSING', { reason: 'Index does not exist' })
  const latency = Math.ceil(performance.now() - begun)
  const snapshot = await textSnapshot(open.index, args.update !== false)
  return { ...await searchIn(database, open.definition, snapshot, args, deadline), latency }
}

module.exports = { Searches }
