'use strict'

const { checkChange } = require('./check-change')
const { readLines, within } = require('./read-lines')

/**
 * A change as the server tells it; `docs` are its revisions, where the stream has them.
 * @typedef {{ seq: any, id: string, changes: Array<{ rev: string }>, deleted?: boolean, docs?: any[] }} StreamedChange
 * @typedef {{ changes: StreamedChange[], bytes: number[], lastSeq: any, pending?: number }} Page bytes: about how long each is
 */

/** Reads the changes of a database with their revisions out of one answer, as they are wanted. */
class ChangeStream {
  #lines
  #controller
  #since

  /** Whether the last page has been read. */
  ended = false

  /**
   * @param {AsyncGenerator<string>} lines
   * @param {AbortController} controller
   * @param {any} since
   */
  constructor (lines, controller, since) {
    this.#lines = lines
    this.#controller = controller
    this.#since = since
  }

  /**
   * @param {any} source a PouchDB of the adapter `http`
   * @param {{ query: Record<string, any>, body?: any }} asked
   * @param {any} since
   * @param {number} timeout milliseconds that the server may be silent
   * @returns {Promise<ChangeStream | undefined>} undefined: the server has none of this database, or not for this user
   */
  static async open (source, { query, body }, since, timeout) {
    const controller = new AbortController()
    const search = new URLSearchParams({ feed: 'replication', style: 'all_docs', ...query, since: typeof since === 'object' ? JSON.stringify(since) : since })
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: new Headers({ 'Content-Type': 'application/json' }) }
    try {
      const response = await within(source.fetch(`_changes?${search}`, { ...how, signal: controller.signal }), timeout)
      if (response.ok) return new ChangeStream(readLines(response.body, timeout), controller, since)
    } catch (error) {
      controller.abort()
      throw error
    }
    controller.abort()
    return undefined
  }

  /** Whether it goes on behind a sequence. @param {any} since */
  isAt (since) { return !this.ended && JSON.stringify(since) === JSON.stringify(this.#since) }

  /**
   * @param {number} most
   * @returns {Promise<Page | undefined>} undefined: there are no more
   * @throws if the answer breaks off, stalls or is not what it should be
   */
  async read (most) {
    /** @type {Page} */
    const page = { changes: [], bytes: [], lastSeq: this.#since }
    while (page.changes.length < most) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error('The stream was broken off')
      const told = JSON.parse(value)
      if (told.id === undefined) return this.#end(page, told)
      checkChange(told)
      page.changes.push(told)
      page.bytes.push(value.length)
      page.lastSeq = told.seq
    }
    this.#since = page.lastSeq
    return page
  }

  /** @param {Page} page @param {any} told the last line */
  #end (page, { last_seq: lastSeq, pending, error }) {
    if (lastSeq === undefined) throw new Error(error)
    this.ended = true
    return page.changes.length === 0 ? undefined : { ...page, lastSeq, pending }
  }

  close () { this.#controller.abort() }
}

/**
 * How PouchDB asks for the changes of a replication, as what the server reads.
 *
 * @param {any} options
 * @returns {{ query: Record<string, any>, body?: any }}
 */
function queryOf ({ filter, view, query_params: parameters, doc_ids: docIds, selector }) {
  if (docIds) return { query: { ...parameters, filter: '_doc_ids' }, body: { doc_ids: docIds } }
  if (selector) return { query: { ...parameters, filter: '_selector' }, body: { selector } }
  if (view) return { query: { filter: '_view', view, ...parameters } }
  return { query: { ...filter && { filter }, ...parameters } }
}

module.exports = { ChangeStream, queryOf }
