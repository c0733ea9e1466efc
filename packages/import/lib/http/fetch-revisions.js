'use strict'

const { orderedMap } = require('../ordered-map')
const { isPassing } = require('./client')
const { documentPath, query } = require('./path')

/** Tries of a request that asks for many: one bad document spoils it, so it is soon cut in two. */
const FEW_TRIES = 3

/** Documents asked for one by one, at once, where there is no `_bulk_get`. */
const AT_ONCE = 6

/**
 * @typedef {{ id: string, rev: string }} Wanted
 * @typedef {{ found: Record<string, any>[], failures: import('../source').Failure[], length: number }} Fetched
 *   `found`: documents in CouchDB's form; `length` of the JSON that held them
 * @typedef {{ ok?: Record<string, any>, error?: any }} Answered a revision, or why there is none
 */

/** Fetches revisions of a database, with `_bulk_get` where the server has it. */
class RevisionFetcher {
  #client
  #hasBulkGet = true

  /** @param {import('./client').Client} client of the database */
  constructor (client) {
    this.#client = client
  }

  /**
   * @param {Wanted[]} wanted a revision that is no leaf any more gives way to its descendants
   * @param {Record<string, any>} [options] of the query
   * @returns {Promise<Fetched>}
   */
  async fetch (wanted, options = { revs: true, latest: true, att_encoding_info: true }) {
    // PouchDB Server never answers where nothing is asked for.
    if (wanted.length === 0) return { found: [], failures: [], length: 0 }
    if (!this.#hasBulkGet) return this.#oneByOne(wanted, options)
    try {
      const { value, length } = await this.#client.exchange('POST', `/_bulk_get${query(options)}`, { docs: wanted }, { tries: FEW_TRIES, documentsOf: inBulk, documentsAt: IN_BULK })
      return sort(wanted, value.results.flatMap((/** @type {{ docs: Answered[] }} */ { docs }) => docs), length)
    } catch (error) {
      if ([404, 405, 501].includes(error.status)) {
        this.#hasBulkGet = false
        return this.#oneByOne(wanted, options)
      }
      return this.#halves(wanted, options, error)
    }
  }

  /**
   * Finds by halves what spoils a request; the rest comes over.
   * @param {Wanted[]} wanted
   * @param {Record<string, any>} options
   * @param {any} error
   * @returns {Promise<Fetched>}
   */
  async #halves (wanted, options, error) {
    if (error.status === undefined || error.code === 'UNAUTHORIZED') throw error
    if (wanted.length === 1) {
      if (isPassing(error)) await this.#client.get('')
      return { found: [], failures: [{ ...wanted[0], reason: error.message }], length: 0 }
    }
    const middle = Math.ceil(wanted.length / 2)
    const first = await this.fetch(wanted.slice(0, middle), options)
    const second = await this.fetch(wanted.slice(middle), options)
    return { found: [...first.found, ...second.found], failures: [...first.failures, ...second.failures], length: first.length + second.length }
  }

  /** @param {Wanted[]} wanted @param {Record<string, any>} options @returns {Promise<Fetched>} */
  async #oneByOne (wanted, options) {
    const all = /** @type {Fetched} */ ({ found: [], failures: [], length: 0 })
    for await (const { found, failures, length } of orderedMap(wanted, AT_ONCE, one => this.#openRevision(one, options))) {
      all.found.push(...found)
      all.failures.push(...failures)
      all.length += length
    }
    return all
  }

  /** @param {Wanted} one @param {Record<string, any>} options @returns {Promise<Fetched>} */
  async #openRevision (one, options) {
    const path = documentPath(one.id) + query({ ...options, open_revs: [one.rev] })
    try {
      const { value, length } = await this.#client.exchange('GET', path, undefined, { documentsOf: inRows, documentsAt: IN_ROWS })
      return sort([one], value, length)
    } catch (error) {
      if (error.status === undefined || error.code === 'UNAUTHORIZED' || isPassing(error)) throw error
      return { found: [], failures: [{ ...one, reason: error.message }], length: 0 }
    }
  }
}

/** @param {{ results?: Array<{ docs: Answered[] }> }} answer */
function inBulk ({ results }) { return results?.flatMap(({ docs }) => inRows(docs)) }

/** Paths of documents: see `carrySentAt`. */
const IN_ROWS = ['*', 'ok']
const IN_BULK = ['results', '*', 'docs', ...IN_ROWS]

/**
 * Takes the documents of `_bulk_get`, and of `open_revs`.
 * @param {Answered[]} rows
 */
function inRows (rows) { return Array.isArray(rows) ? rows.map(({ ok }) => ok) : undefined }

/**
 * Leaves that several of the wanted revisions lead to come once.
 * @param {Wanted[]} wanted
 * @param {Answered[]} answers
 * @param {number} length
 * @returns {Fetched}
 */
function sort (wanted, answers, length) {
  const found = new Map()
  for (const { ok } of answers) {
    if (ok !== undefined) found.set(JSON.stringify([ok._id, ok._rev]), ok)
  }
  const documents = [...found.values()]
  const failures = wanted.filter(({ id, rev }) => !documents.some(doc => doc._id === id && reaches(doc, rev)))
    .map(one => ({ ...one, reason: reasonFor(one, answers) }))
  return { found: documents, failures, length }
}

/** @param {Record<string, any>} doc @param {string} rev @returns {boolean} */
function reaches ({ _rev, _revisions }, rev) {
  return _rev === rev || (_revisions?.ids ?? []).some((/** @type {string} */ hash, /** @type {number} */ i) => `${_revisions.start - i}-${hash}` === rev)
}

/**
 * CouchDB says `{ error: { id, rev, error, reason } }`, PouchDB's server `{ error, reason }`.
 * @param {Wanted} wanted
 * @param {Answered[]} answers
 */
function reasonFor ({ id, rev }, answers) {
  const own = answers.map(({ error }) => error).find(error => error?.id === id && error.rev === rev)
  return `the source has no such revision${own ? ` (${own.error}: ${own.reason})` : ''}`
}

module.exports = { RevisionFetcher }
