'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')

/**
 * @typedef {import('@potoroo/document-store').DocumentReader} DocumentReader
 * @typedef {{ updateSeq: number, purgeSeq: number }} Moment
 *
 * Something made of a design document, for as long as its revision is `rev` and nothing is purged. In the database as it was at
 * `updateSeq` it was so.
 * @typedef {{ rev: string, purgeSeq: number, updateSeq: number, made: any }} Known
 */

/** Things of a database that are known at a time. */
const MOST = 100

/**
 * Keeps what is made of the design documents of databases that another thread writes, until one of them has changed.
 *
 * @template T
 */
class StoredDesigns {
  /** @type {WeakMap<DocumentReader, Map<string, Known>>} */
  #known = new WeakMap()

  /**
   * @param {DocumentReader} database
   * @param {any} snapshot
   * @param {Moment} moment of the snapshot
   * @param {string} design name of the design document, without `_design/`
   * @param {(ddoc: any) => T} make
   * @param {string} [place] of what is made, where a document gives several
   * @returns {Promise<T>}
   * @throws not_found
   */
  async get (database, snapshot, { updateSeq, purgeSeq }, design, make, place = design) {
    let all = this.#known.get(database)
    if (all === undefined) this.#known.set(database, all = new Map())
    const known = all.get(place)
    const isOfNow = known?.purgeSeq === purgeSeq
    if (isOfNow && known.updateSeq === updateSeq) return known.made
    const document = await database.getOf(`_design/${design}`, snapshot)
    if (isOfNow && known.rev === document.rev) return Object.assign(known, { updateSeq }).made
    const ddoc = await toObjectInTurns(document)
    if (isInert(database, ddoc)) throw createError('MISSING')
    const made = make(ddoc)
    if (all.size >= MOST) all.clear()
    all.set(place, { rev: document.rev, purgeSeq, updateSeq, made })
    return made
  }
}

module.exports = { StoredDesigns }
