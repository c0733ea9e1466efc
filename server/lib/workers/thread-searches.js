'use strict'

const { StoredSearches } = require('@potoroo/indexes')
const { NotUpdatedError, withoutOwners } = require('./owner-only-error')

/** The members of Searches that only the owner has. */
const OWNERS = /** @type {const} */ (['cleanup', 'info'])

/**
 * Searches of text indexes as a thread answers them: those of which nothing has to be updated before.
 *
 * @implements {Pick<import('@potoroo/indexes').Searches, 'search'>}
 */
class ThreadSearches extends withoutOwners(OWNERS) {
  #stored

  /** @param {{ queryServer: import('@potoroo/query-server').QueryServer }} service */
  constructor ({ queryServer }) {
    super()
    this.#stored = new StoredSearches({ queryServer })
  }

  /**
   * @param {any} database a DocumentReader
   * @param {import('@potoroo/indexes').Dialect} dialect
   * @param {string} design
   * @param {string} name
   * @param {import('@potoroo/indexes').SearchArgs} args
   * @throws NotUpdatedError
   */
  async search (database, dialect, design, name, args) {
    const result = await this.#stored.search(database, dialect, design, name, args)
    if (result === null) throw new NotUpdatedError()
    return result
  }
}

module.exports = { ThreadSearches }
