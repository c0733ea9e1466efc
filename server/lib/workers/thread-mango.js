'use strict'

const { StoredMango } = require('@potoroo/indexes')
const { mangoSettings } = require('../indexes/mango-settings')
const { NotUpdatedError, withoutOwners } = require('./owner-only-error')

/** The members of Mango that only the owner has. */
const OWNERS = /** @type {const} */ (['bulkDelete', 'create', 'delete', 'explain', 'find', 'list', 'ranks'])

/**
 * Finds as a thread answers them: those by one index of which nothing has to be updated before, and which teach nothing.
 *
 * @implements {Pick<import('@potoroo/indexes').Mango, 'search'>}
 */
class ThreadMango extends withoutOwners(OWNERS) {
  #stored

  /** @param {{ config: import('../config/config').Config }} service */
  constructor ({ config }) {
    super()
    this.#stored = new StoredMango(mangoSettings(config))
  }

  /**
   * @param {any} database a DocumentReader
   * @param {any} body
   * @param {string} [plan] is of shards, which are the owner's
   * @param {any} [reader] a member, whom the owner answers
   * @param {() => boolean} [isWanted]
   * @throws NotUpdatedError
   */
  async search (database, body, plan, reader, isWanted) {
    const answer = plan === undefined && reader === undefined ? await this.#stored.search(database, body, isWanted) : null
    if (answer === null) throw new NotUpdatedError()
    return answer
  }
}

module.exports = { ThreadMango }
