'use strict'

const { toJson } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { forDatabase, rangeOptions, readRange } = require('../documents/range-query')
const { limitRows, readViewBody, readViewQuery } = require('../documents/view-query')
const { formatSequence } = require('../databases/sequence')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** UTF-16 units of rows that go to a list function at once, except for a row that is longer. */
const BATCH = 128 * 1024

/**
 * The rows of a view for a list function.
 *
 * @typedef {object} Rows
 * @property {Record<string, any>} head what the function is told before there are rows
 * @property {AsyncGenerator<string[]>} pages rows as JSON
 */

/**
 * @param {DatabaseRequest} req
 * @param {string} ddoc of the view, without `_design/`
 * @param {string} view
 * @returns {Promise<Rows>}
 */
function rowsOf (req, ddoc, view) {
  return view === '_all_docs' ? documentRows(req) : viewRows(req, ddoc, view)
}

/** @param {PotorooRequest} req @param {string} ddoc @param {string} view */
async function viewRows (req, ddoc, view) {
  const { database, service, params: { db }, user } = req
  const args = limitRows(withKeys(readViewQuery(req.search, readViewBody(req.body ?? {})), req), service.config)
  if (args.at !== undefined) throw badRequest('`at` does not go with list functions of views')
  const store = await service.databases.get(db)
  const [query] = await service.views.queries(store, ddoc, view, [args], database?.isOfMember ? store.forMember(user) : undefined)
  const answer = await query()
  return { head: headOf(store, args, answer), pages: answer.texts() }
}

/**
 * A list of one key is a list here, which a reduction takes only in groups; for a view it is the key.
 *
 * @param {import('../documents/view-query').ViewArgs} args
 * @param {{ search: string, body: any }} req
 */
function withKeys (args, { search, body }) {
  const text = new URLSearchParams(search).get('keys')
  const keys = text === null ? body?.keys : JSON.parse(text)
  if (!Array.isArray(keys)) return args
  const { startkey, endkey, ...rest } = args
  return { ...rest, keys, keys_as_list: true }
}

/** @param {DatabaseRequest} req */
async function documentRows (req) {
  const { database } = req
  const args = limitRows(forDatabase(database, readRange(req.search, req.body)), req.service.config)
  const answer = await database.allDocs(rangeOptions(args))
  return { head: headOf(database, args, answer), pages: documentTexts(answer.rows, args.include_docs === true) }
}

/** @param {AsyncIterable<any[]>} pages @param {boolean} withDocuments */
async function * documentTexts (pages, withDocuments) {
  for await (const page of pages) yield page.map(row => documentText(row, withDocuments))
}

/**
 * A missing document has an odd row in CouchDB's lists, where id and value are those of the error.
 *
 * @param {any} row
 * @param {boolean} withDocuments
 */
function documentText ({ id, key, value, error, document }, withDocuments) {
  if (error !== undefined) return `{"id":"error","key":${JSON.stringify(key)},"value":"${error}"}`
  const quoted = JSON.stringify(id)
  const deleted = value.deleted === true ? ',"deleted":true' : ''
  const doc = withDocuments ? `,"doc":${document ? toJson(document) : 'null'}` : ''
  return `{"id":${quoted},"key":${quoted},"value":{"rev":"${value.rev}"${deleted}}${doc}}`
}

/**
 * @param {import('../databases/database-view').AnyDatabase} store
 * @param {import('../documents/view-query').ViewArgs} args
 * @param {{ totalRows?: number | null, offset?: number | null, updateSeq?: number }} answer
 */
function headOf (store, args, { totalRows, offset, updateSeq }) {
  return {
    ...(totalRows !== undefined && { total_rows: totalRows, offset }),
    ...(args.update_seq === true && updateSeq !== undefined && { update_seq: formatSequence(store, updateSeq) })
  }
}

/**
 * Rows in batches, as a list function takes them: `next()` gives the members `rows` and `last` of a JSON
 * object. A page is read ahead, so that a short list goes over at once.
 */
class RowBatches {
  #pages
  /** @type {string[]} */
  #page = []
  #at = 0
  #ended = false

  /** @param {AsyncGenerator<string[]>} pages */
  constructor (pages) {
    this.#pages = pages
  }

  /** @returns {Promise<string>} `"rows":[…],"last":true` */
  async next () {
    const rows = []
    for (let units = 0; units < BATCH && await this.#hasMore(); this.#at++) {
      rows.push(this.#page[this.#at])
      units += this.#page[this.#at].length
    }
    return `"rows":[${rows.join(',')}],"last":${!await this.#hasMore()}`
  }

  async #hasMore () {
    while (this.#at >= this.#page.length && !this.#ended) {
      const { value, done } = await this.#pages.next()
      this.#page = done ? [] : value
      this.#at = 0
      this.#ended = done === true
    }
    return !this.#ended
  }

  /** Whether `next` has given all of them. */
  get ended () { return this.#ended }

  /** Lets go of what rows are read from. */
  async close () {
    this.#ended = true
    await this.#pages.return(undefined)
  }
}

module.exports = { RowBatches, rowsOf }
