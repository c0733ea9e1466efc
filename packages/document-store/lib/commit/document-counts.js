'use strict'

/**
 * @import { DocumentState } from './document-state'
 * @import { Stored } from './commit'
 * @import { Totals } from './totals'
 * @import { TouchedPartitions } from './partition-totals'
 */

/** Counts documents in and out of the totals that one commit changes. */
class DocumentCounts {
  #totals
  #partitions
  #comings

  /**
   * @param {Totals} totals
   * @param {TouchedPartitions | null} partitions
   * @param {Array<[string, number]> | null} comings ids that come and go; null where nobody asks
   */
  constructor (totals, partitions, comings) {
    this.#totals = totals
    this.#partitions = partitions
    this.#comings = comings
  }

  /**
   * Counts a document as it is written, in the place of what was stored of it.
   *
   * @param {DocumentState} state
   * @param {string} record
   * @param {string} payload
   */
  add (state, record, payload) {
    // A payload that was just put together would be put together once more to be measured, and the rest of a record is ASCII.
    const size = Buffer.byteLength(record)
    this.#count(state.id, state.deleted, size, size - record.length + payload.length, payload, 1)
    if (state.stored !== null) this.remove(/** @type {Stored} */ (state))
  }

  /**
   * Takes what was stored of a document out of the counts.
   *
   * @param {Stored} state
   */
  remove (state) {
    const { deleted, size: units, payload } = state.stored
    const bytes = Buffer.byteLength(payload)
    this.#count(state.id, deleted, units - payload.length + bytes, bytes, payload, -1)
  }

  /**
   * @param {string} id
   * @param {boolean} deleted
   * @param {number} size of the record, in bytes
   * @param {number} bytes of the payload
   * @param {string} payload
   * @param {1 | -1} sign
   */
  #count (id, deleted, size, bytes, payload, sign) {
    const totals = this.#totals
    totals.records += sign * size
    if (deleted) totals.deleted += sign
    else {
      totals.live += sign
      totals.external += sign * bytes
      this.#comings?.push([id, sign])
    }
    this.#partitions?.count(id, { deleted, size, payload }, sign)
  }
}

module.exports = { DocumentCounts }
