'use strict'

const { ReplicationError, badAnswer } = require('../replication/failure')
const { readLines } = require('./line-reader')

/** Rows of one request: what is in memory at a time. */
const PAGE = 1000

/**
 * @typedef {object} Change
 * @property {string} id
 * @property {string[]} revs
 * @property {any} seq as its database says it; null where it does not
 *
 * @typedef {object} ChangesPage
 * @property {Change[]} changes
 * @property {any} lastSeq
 * @property {number | null} pending
 */

/** The changes of a database elsewhere, as a replication asks for them. */
class RemoteChanges {
  #peer
  #filter

  /**
   * @param {import('./peer').Peer} peer
   * @param {import('../request/request').ReplicationRequest} request
   */
  constructor (peer, request) {
    this.#peer = peer
    this.#filter = filterOf(request)
  }

  /**
   * All changes until there are none, a page at a time. Changes that are written meanwhile come along: a document that
   * was there from the beginning may be among it, and is nowhere else then.
   * @param {any} since
   * @param {() => number} [limitOf] rows of the next page, at most
   * @returns {AsyncGenerator<ChangesPage>}
   */
  async * untilNow (since, limitOf = () => PAGE) {
    for (let lastSeq = since; ;) {
      const limit = limitOf()
      const page = await this.#page(lastSeq, limit)
      const last = page.changes.length < limit || page.pending === 0
      // A source whose sequences do not go on would have us ask for ever.
      if (!last && sameSequence(page.lastSeq, lastSeq)) throw new ReplicationError('changes_reader_died', 'the sequences of the source do not go on')
      lastSeq = page.lastSeq
      yield page
      if (last) return
    }
  }

  /** @param {any} since @param {number} limit @returns {Promise<ChangesPage>} */
  async #page (since, limit) {
    const query = { ...this.#filter.query, feed: 'normal', since: sequenceText(since), limit, seq_interval: limit }
    const { status, json } = await this.#peer.request(this.#filter.method, '_changes', { query, json: this.#filter.json })
    if (status !== 200) throw refused(status, json)
    if (!Array.isArray(json?.results) || json.last_seq === undefined) throw refused(status, { error: 'invalid_json' })
    return { changes: json.results.map(toChange), lastSeq: json.last_seq, pending: Number.isSafeInteger(json.pending) ? json.pending : null }
  }

  /**
   * Changes as they happen, until the peer ends its feed: one page each time that some came.
   * @param {any} since
   * @returns {AsyncGenerator<ChangesPage>}
   */
  async * asTheyHappen (since) {
    const heartbeat = Math.max(1000, Math.floor(this.#peer.timeout / 3))
    const query = { ...this.#filter.query, feed: 'continuous', since: sequenceText(since), heartbeat }
    const response = await this.#peer.open(this.#filter.method, '_changes', { query, json: this.#filter.json })
    if (response.statusCode !== 200) {
      response.body.destroy()
      throw refused(response.statusCode, null)
    }
    for await (const lines of readLines(response.body)) {
      const rows = lines.map(line => JSON.parse(line))
      const changes = rows.filter(({ id }) => id !== undefined).map(toChange)
      const lastSeq = rows.findLast(({ seq, last_seq: last }) => (seq ?? last ?? null) !== null)
      if (rows.length > 0) yield { changes, lastSeq: lastSeq?.seq ?? lastSeq?.last_seq, pending: null }
    }
  }

  /**
   * How many changes are after a sequence; null where the peer does not say.
   * @param {any} since
   * @returns {Promise<number | null>}
   */
  async pending (since) {
    const { status, json } = await this.#peer.request('GET', '_changes', { query: { since: sequenceText(since), limit: 0 } })
    return status === 200 && Number.isSafeInteger(json?.pending) ? json.pending : null
  }
}

/** @param {import('../request/request').ReplicationRequest} request */
function filterOf ({ filter, query, docIds, selector, winningRevsOnly }) {
  const style = winningRevsOnly ? 'main_only' : 'all_docs'
  if (docIds !== undefined) return { method: 'POST', query: { style, filter: '_doc_ids' }, json: { doc_ids: docIds } }
  if (selector !== undefined) return { method: 'POST', query: { style, filter: '_selector' }, json: { selector } }
  if (filter === undefined) return { method: 'GET', query: { style } }
  return { method: 'GET', query: { ...query, style, filter } }
}

/** @returns {Change} @param {any} row as the peer has it */
function toChange (row) {
  const revs = Array.isArray(row?.changes) ? row.changes.map((/** @type {any} */ change) => change?.rev) : [undefined]
  if (typeof row?.id !== 'string' || revs.some((/** @type {unknown} */ rev) => !isRevision(rev))) throw new ReplicationError('changes_reader_died', 'a row of the changes is malformed')
  return { id: row.id, revs, seq: row.seq ?? null }
}

/**
 * Sequences are the peer's own affair: text, a number, or a list of both.
 * @param {any} seq
 * @returns {string}
 */
function sequenceText (seq) {
  return typeof seq === 'string' ? seq : JSON.stringify(seq)
}

/** @param {any} one @param {any} other */
function sameSequence (one, other) { return sequenceText(one) === sequenceText(other) }

/**
 * CouchDB takes any generation, and hashes of any characters, also none: one such document must not end the replication of all others.
 * @param {unknown} rev
 * @returns {rev is string}
 */
function isRevision (rev) { return typeof rev === 'string' && rev.length < 1024 && /^\d+-\P{Cc}*$/u.test(rev) }

/** @param {number} status @param {any} json */
function refused (status, json) {
  return badAnswer('changes_req_failed', { status }, `${status} ${json?.error ?? ''}: ${json?.reason ?? ''}`.slice(0, 300))
}

module.exports = { RemoteChanges, isRevision }
