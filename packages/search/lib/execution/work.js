'use strict'

const { Turn } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')

/** Postings that a query may read: what takes longer to read counts for several. */
const MOST = 20_000_000

/** How many postings take as long as a term that is gone through, a number, an id, or a document. */
const ENTRY = 10

/** Counts what a query costs: one that costs too much ends, and others have their turn meanwhile. */
class Work {
  #turn = new Turn()
  #left
  #deadline
  #isWanted

  /** @param {{ most?: number, deadline?: number, isWanted?: () => boolean }} [options] deadline: of `performance.now`; isWanted: whether somebody still waits */
  constructor ({ most = MOST, deadline = Infinity, isWanted = () => true } = {}) {
    this.#left = most
    this.#deadline = deadline
    this.#isWanted = isWanted
  }

  /**
   * @param {number} count of postings that were read, or their worth
   * @returns {void | Promise<void>} a promise where others are to have their turn
   * @throws bad_request, also where nobody waits any more; timeout
   */
  spend (count) {
    this.#left -= count
    if (this.#left < 0) throw badRequest('The query is too costly: it would read too many terms or postings.')
    if (this.#turn.isLong) return this.#pause()
  }

  async #pause () {
    if (performance.now() > this.#deadline) throw createError('TIMEOUT')
    await this.#turn.end()
    if (!this.#isWanted()) throw badRequest('Nobody waits for the answer')
  }
}

module.exports = { ENTRY, Work }
