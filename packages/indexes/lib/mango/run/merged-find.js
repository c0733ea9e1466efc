'use strict'

const { couchCollation } = require('@potoroo/collation')
const { compareUtf8 } = require('@potoroo/document-store')
const { comparator } = require('@potoroo/search')
const { writeBookmark } = require('../request/bookmark')
const { designOfIndex } = require('../indexes/index-editor')
const { assertObject, invalidBookmark, parseFind } = require('../request/find-request')
const { highProportion } = require('./find-result')
const { compareValues } = require('./merge-scans')
const { isTextSearch } = require('../plan/planner')
const { mixDatabases } = require('../vector/mixed-ranks')
const { takeVector } = require('../vector/candidate')

/** A document that one of several databases found: see `FindAnswer.placedTexts`. @typedef {{ at: [number, any, string], order: any[] }} PlacedRow */

/** A find in several databases, which are the shards of one. */
class MergedFind {
  #request
  #databases
  #near

  /**
   * @param {any} body of `POST /{db}/_find`
   * @param {{ databases: number, defaultLimit: number }} options
   * @throws bad_request and Mango's own errors
   */
  constructor (body, { databases, defaultLimit }) {
    assertObject(body)
    const { near, rest } = takeVector(body)
    const request = parseFind(rest, defaultLimit)
    this.#request = near === null ? request : { ...request, limit: Math.min(near.k, rest.limit ?? Infinity) }
    this.#near = near
    this.#databases = databases
  }

  get limit () { return this.#request.limit }
  get skip () { return this.#request.skip }
  get stats () { return this.#request.stats }
  get partition () { return this.#request.options.partition }
  /** Whether ranks by vectors and by text are mixed: each database would mix its own. */
  get mixes () { return this.#near !== null && isTextSearch(this.#request.node) }
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

  /**
   * Mixes the ranks of all databases, where `mixes`.
   *
   * @param {import('../vector/mixed-ranks').RankList[][]} answers of `Mango.ranks`
   * @returns {import('../vector/mixed-ranks').RankedPart[]} the member `ranked` of what each is asked
   */
  mix (answers) {
    const { k } = /** @type {NonNullable<ReturnType<typeof takeVector>['near']>} */ (this.#near)
    return mixDatabases(answers, k, compareValuesBy)
  }

  /** The bookmark of one of the databases. @param {string} print @param {PlacedRow['at']} at */
  bookmarkOf (print, [scan, key, id]) { return writeBookmark({ print, scan, key, id }) }

  /** @param {string} print @param {Array<PlacedRow['at'] | null>} places @returns {string} */
  nextBookmark (print, places) {
    if (places.every(place => place === null)) return this.#request.bookmark ?? 'nil'
    return Buffer.from(JSON.stringify([print, places])).toString('base64url')
  }

  /** The order in which one database would find them. @param {{ merges: boolean, descending?: boolean[] }} plan @returns {(a: PlacedRow, b: PlacedRow) => number} */
  comparison ({ merges, descending: directions }) {
    if (directions !== undefined) return byRank(directions)
    const { descending } = this.#request
    const direction = descending ? -1 : 1
    return ({ at: [scan, key, id], order }, { at: [otherScan, otherKey, otherId], order: otherOrder }) =>
      (merges ? compareValues(order, otherOrder, descending) : 0) || scan - otherScan ||
      direction * ((Array.isArray(key) ? couchCollation.compare(key, otherKey) : 0) || compareUtf8(id, otherId))
  }
}

/** @param {boolean[]} directions of the values, true where they fall @returns {(a: PlacedRow, b: PlacedRow) => number} */
function byRank (directions) {
  const compare = compareValuesBy(directions)
  return ({ order }, { order: other }) => compare(order, other)
}

/** Rows that are alike come in the order of their databases. @param {boolean[]} directions @returns {(a: any[], b: any[]) => number} */
function compareValuesBy (directions) {
  const compare = comparator(directions.map(descending => ({ by: 'doc', descending })))
  return (a, b) => compare([...a, 0], [...b, 0])
}

module.exports = { MergedFind, designOfIndex, highProportion }
