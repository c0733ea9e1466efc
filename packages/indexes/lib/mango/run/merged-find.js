'use strict'

const { couchCollation } = require('@potoroo/collation')
const { compareUtf8 } = require('@potoroo/document-store')
const { writeBookmark } = require('../request/bookmark')
const { designOfIndex } = require('../indexes/index-editor')
const { assertObject, invalidBookmark, parseFind } = require('../request/find-request')
const { highProportion } = require('./find-result')
const { compareValues } = require('./merge-scans')

/** A document that one of several databases found: see `FindAnswer.placedTexts`. @typedef {{ at: [number, any, string], order: any[] }} PlacedRow */

/** A find in several databases, which are the shards of one. */
class MergedFind {
  #request
  #databases

  /** @param {any} body of `POST /{db}/_find` @param {{ databases: number, defaultLimit: number }} options */
  constructor (body, { databases, defaultLimit }) {
    assertObject(body)
    this.#request = parseFind(body, defaultLimit)
    this.#databases = databases
  }

  get limit () { return this.#request.limit }
  get skip () { return this.#request.skip }
  get stats () { return this.#request.stats }
  get partition () { return this.#request.options.partition }
  get isQuorum () { return this.#request.options.r > 1 }

  /** The place of each database at which the last page ended. @returns {{ print: string, places: Array<PlacedRow['at'] | null> } | null} */
  get bookmark () {
    const { bookmark } = this.#request
    if (bookmark === null) return null
    try {
      const [print, places] = JSON.parse(Buffer.from(bookmark, 'base64url').toString())
      if (typeof print === 'string' && Array.isArray(places) && places.length === this.#databases) return { print, places }
    } catch {}
    throw invalidBookmark(bookmark)
  }

  /** The bookmark of one of the databases. @param {string} print @param {PlacedRow['at']} at */
  bookmarkOf (print, [scan, key, id]) { return writeBookmark({ print, scan, key, id }) }

  /** @param {string} print @param {Array<PlacedRow['at'] | null>} places @returns {string} */
  nextBookmark (print, places) {
    if (places.every(place => place === null)) return this.#request.bookmark ?? 'nil'
    return Buffer.from(JSON.stringify([print, places])).toString('base64url')
  }

  /** The order in which one database would find them. @param {{ merges: boolean }} way @returns {(a: PlacedRow, b: PlacedRow) => number} */
  comparison ({ merges }) {
    const { descending } = this.#request
    const direction = descending ? -1 : 1
    return ({ at: [scan, key, id], order }, { at: [otherScan, otherKey, otherId], order: otherOrder }) =>
      (merges ? compareValues(order, otherOrder, descending) : 0) || scan - otherScan ||
      direction * ((Array.isArray(key) ? couchCollation.compare(key, otherKey) : 0) || compareUtf8(id, otherId))
  }
}

module.exports = { MergedFind, designOfIndex, highProportion }
