'use strict'

const { StoredViews } = require('@potoroo/indexes')
const { reduceLimits } = require('../indexes/reduce-limits')
const { NotUpdatedError, withoutOwners } = require('./owner-only-error')

/** The members of Views that only the owner has. */
const OWNERS = /** @type {const} */ (['cleanup', 'inBackground', 'info', 'merged', 'query', 'tasks'])

/**
 * Views as a thread answers them: those of which nothing has to be updated before, and no function called.
 *
 * @implements {Pick<import('@potoroo/indexes').Views, 'queries'>}
 */
class ThreadViews extends withoutOwners(OWNERS) {
  #stored

  /** @param {{ config: import('../config/config').Config, log: import('../log/log').Log, queryServer: import('@potoroo/query-server').QueryServer }} service */
  constructor ({ config, log, queryServer }) {
    super()
    this.#stored = new StoredViews({ queryServer, reduceLimits: () => reduceLimits(config), log: message => log.quote('info', `reduce_overflow_error: ${message}`) })
  }

  /**
   * One query: several of them are the owner's.
   *
   * @param {any} database a DocumentReader
   * @param {string} design
   * @param {string} view
   * @param {import('@potoroo/indexes').ViewOptions[]} several
   * @throws NotUpdatedError
   */
  async queries (database, design, view, several) {
    const answer = several.length === 1 ? await this.#stored.query(database, design, view, several[0]) : null
    if (answer === null) throw new NotUpdatedError()
    return [async () => answer]
  }
}

module.exports = { ThreadViews }
