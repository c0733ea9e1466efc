'use strict'

const { StoredDesigns } = require('../index/stored-designs')
const { StoredState } = require('../index/stored-state')
const { takeSnapshot } = require('../index/take-snapshot')
const { RowLayout } = require('../rows/row-layout')
const { textDefinition } = require('./definition')
const { readerOf } = require('../index/text-index')
const { checkPartition, inTime, isPartitioned, searchIn } = require('./one-search')

/**
 * @typedef {import('@potoroo/document-store').DocumentReader} DocumentReader
 * @typedef {import('./dialects').Dialect} Dialect
 * @typedef {import('./run-search').SearchArgs} SearchArgs
 *
 * An index as a design document defines it.
 * @typedef {{ definition: import('./definition').TextDefinition, partitioned: boolean, stored: StoredState }} StoredText
 */

/**
 * The text indexes of databases that another thread writes, as they are stored: it updates nothing. All that a search reads, the design
 * document, the index and how far it has come, is of one snapshot.
 */
class StoredSearches {
  #queryServer
  /** @type {StoredDesigns<StoredText>} */
  #designs = new StoredDesigns()

  /** @param {{ queryServer: import('@potoroo/query-server').QueryServer }} options it is never asked */
  constructor ({ queryServer }) { this.#queryServer = queryServer }

  /**
   * Searches as `Searches.search` does.
   *
   * @param {DocumentReader} database
   * @param {Dialect} dialect
   * @param {string} design name of the design document, without `_design/`
   * @param {string} name of the index
   * @param {SearchArgs} args
   * @returns {Promise<import('./run-search').SearchResult & { latency: number } | null>} null where the index has to be made or updated before
   * @throws not_found; bad_request, also of a query that costs too much; timeout
   */
  async search (database, dialect, design, name, args) {
    const begun = performance.now()
    const { snapshot, close } = takeSnapshot(database.indexSpace)
    let isSearching = false
    try {
      const moment = database.momentOf(snapshot)
      const open = await this.#designs.get(database, snapshot, moment, design, ddoc => this.#read(database, ddoc, dialect, name), JSON.stringify([dialect, design, name]))
      checkPartition(open, args)
      const state = await open.stored.at(database.indexSpace, snapshot, args.update === false ? undefined : moment)
      if (state === null) return null
      const reader = readerOf(database.indexSpace, new RowLayout(database.indexSpace.prefix), state, snapshot)
      const latency = Math.ceil(performance.now() - begun)
      return await inTime(args.timeout, async deadline => {
        isSearching = true
        return { ...await searchIn(database, open.definition, { state, reader, close }, args, deadline), latency }
      })
    } finally {
      // A search that is too late goes on until it sees that.
      if (!isSearching) await close()
    }
  }

  /** @param {DocumentReader} database @param {any} ddoc @param {Dialect} dialect @param {string} name @returns {StoredText} */
  #read (database, ddoc, dialect, name) {
    const definition = textDefinition(database, ddoc, dialect, name, this.#queryServer)
    return { definition, partitioned: isPartitioned(database, ddoc), stored: new StoredState(definition.signature) }
  }
}

module.exports = { StoredSearches }
