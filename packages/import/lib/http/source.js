'use strict'

const { ImportError } = require('../import-error')
const { fetchAttachments } = require('./attachments')
const { Client } = require('./client')
const { RevisionFetcher } = require('./fetch-revisions')
const { missingRevisions } = require('./missing-revisions')
const { documentPath, query } = require('./path')

/** Rows of `_changes` that are asked for at once. */
const PAGE = 1000

/** Documents that are asked for at once: as many as make an answer of this length, up to the most. */
const ANSWER = 2 * 1024 * 1024
const MOST = 500

/** Local documents that are asked for at once. */
const LOCALS = 500

/**
 * A database of a server that speaks CouchDB's protocol.
 *
 * @implements {Source}
 * @typedef {import('../source').Source} Source
 * @typedef {import('../source').Change} Change
 * @typedef {import('../source').Revision} Revision
 * @typedef {import('../source').Attachment} Attachment
 */
class CouchSource {
  #client
  #fetcher
  #info
  /** Characters of JSON that a document takes; a guess at first. */
  #average = 16 * 1024

  /**
   * Use `open`.
   * @param {string} name
   * @param {Client} client
   * @param {Record<string, any>} info
   * @param {string | undefined} uuid of the server
   */
  constructor (name, client, info, uuid) {
    this.name = name
    this.label = client.url
    this.identity = `couchdb:${uuid ?? client.url}/${name}/${info.instance_start_time ?? 0}`
    this.partitioned = info.props?.partitioned === true
    this.numbered = typeof info.update_seq === 'number'
    this.#client = client
    this.#fetcher = new RevisionFetcher(client)
    this.#info = info
  }

  /**
   * @param {{ url: string, authorization?: string, name: string, uuid?: string }} address of the database;
   *   `uuid` of its server
   * @param {ConstructorParameters<typeof Client>[1]} [options]
   */
  static async open (address, options) {
    const client = new Client(address, options)
    try {
      const info = await client.get('')
      if (info.update_seq === undefined) throw new ImportError('NOT_COUCHDB', { source: client.url })
      return new CouchSource(address.name, client, info, address.uuid)
    } catch (error) {
      await client.close()
      throw error.status === 404 ? new ImportError('SOURCE_NOT_FOUND', { source: client.url, cause: error }) : error
    }
  }

  async updateSeq () { return this.#info.update_seq }

  /** @param {any} since */
  async * changes (since) {
    let done = 0
    for (let more = true; more;) {
      const page = await this.#client.get(`/_changes${query({ style: 'all_docs', limit: PAGE, since })}`)
      const { results } = page
      more = results.length === PAGE
      for (let at = 0; at < results.length;) {
        const rows = results.slice(at, at + this.#together)
        at += rows.length
        done += rows.length
        since = rows[rows.length - 1].seq
        yield { changes: rows.map(toChange), failures: [], since, done: rows.length, left: this.#left(page, results.length - at, done) }
      }
      since = page.last_seq
    }
    yield { changes: [], failures: [], since, done: 0, left: 0 }
  }

  get #together () { return Math.max(1, Math.min(MOST, Math.floor(ANSWER / this.#average))) }

  /**
   * Only newer servers count what is pending.
   * @param {{ pending?: number }} page
   * @param {number} inPage
   * @param {number} done
   */
  #left ({ pending }, inPage, done) {
    if (Number.isInteger(pending)) return /** @type {number} */ (pending) + inPage
    return Math.max(inPage, this.#info.doc_count + (this.#info.doc_del_count ?? 0) - done)
  }

  /** @param {string[]} ids */
  async leaves (ids) {
    const changes = /** @type {Change[]} */ ([])
    const failures = /** @type {import('../source').Failure[]} */ ([])
    for (const id of ids) {
      try {
        const leaves = await this.#client.get(documentPath(id) + query({ open_revs: 'all' }))
        changes.push({ id, seq: null, revs: leaves.filter((/** @type {any} */ { ok }) => ok).map((/** @type {any} */ { ok }) => ok._rev) })
      } catch (error) {
        if (error.status === undefined || error.code === 'UNAUTHORIZED') throw error
        failures.push({ id, reason: error.message })
      }
    }
    return { changes, failures }
  }

  /** @param {Change[]} changes @param {{ content?: boolean }} [options] */
  async read (changes, { content = true } = {}) {
    const { found, failures, length } = await this.#fetcher.fetch(changes.flatMap(({ id, revs }) => revs.map(rev => ({ id, rev }))))
    if (found.length > 0) this.#average += (length / found.length - this.#average) / 4
    const attachments = await fetchAttachments(this.#client, this.#fetcher, found, content)
    /** @type {Map<string, Revision[]>} */
    const revisions = new Map(found.map(({ _id: id }) => [id, []]))
    for (const doc of found) /** @type {Revision[]} */ (revisions.get(doc._id)).push(toRevision(doc, /** @type {Attachment[]} */ (attachments.get(doc))))
    const documents = changes.filter(({ id }) => revisions.has(id)).map(({ id, seq }) => ({ id, seq, revisions: /** @type {Revision[]} */ (revisions.get(id)) }))
    return { documents, failures }
  }

  /** PouchDB Server and CouchDB 1.x do not. */
  async listsLocals () {
    return (await this.#client.find(`/_local_docs${query({ limit: 1 })}`))?.rows !== undefined
  }

  async * locals () {
    if (!await this.listsLocals()) return
    /** @type {string | undefined} */
    let startkey
    while (true) {
      /** @type {Record<string, any>} */
      const paging = startkey === undefined ? {} : { startkey: JSON.stringify(startkey), skip: 1 }
      const { rows } = await this.#client.get(`/_local_docs${query({ include_docs: true, limit: LOCALS, ...paging })}`, value => value.rows?.map((/** @type {any} */ { doc }) => doc))
      if (rows.length > 0) yield rows.map((/** @type {any} */ { id, doc }) => toLocal(id, doc))
      if (rows.length < LOCALS) return
      startkey = rows[rows.length - 1].id
    }
  }

  async security () { return this.#client.find('/_security') }

  async revsLimit () {
    const limit = await this.#client.find('/_revs_limit')
    return Number.isSafeInteger(limit) ? limit : undefined
  }

  /** @param {Record<string, string[]>} revs */
  missing (revs) { return missingRevisions(this.#client, revs) }

  async close () { await this.#client.close() }
}

/** @param {{ id: string, seq: any, changes: Array<{ rev: string }> }} row @returns {Change} */
function toChange ({ id, seq, changes }) {
  return { id, seq, revs: changes.map(({ rev }) => rev) }
}

/**
 * Makes a revision: of underscore members only those of the replicator belong to it.
 * @param {Record<string, any>} doc
 * @param {Attachment[]} attachments
 * @returns {Revision}
 */
function toRevision (doc, attachments) {
  const { _id, _rev, _deleted, _attachments, _revisions, ...members } = doc
  return { rev: _rev, revisions: _revisions ?? historyOf(_rev), deleted: _deleted === true, members, attachments }
}

/** @param {string} rev */
function historyOf (rev) {
  const dash = rev.indexOf('-')
  return { start: Number(rev.slice(0, dash)), ids: [rev.slice(dash + 1)] }
}

/** @param {string} id @param {Record<string, any> | undefined} doc */
function toLocal (id, doc) {
  const { _id, _rev, _revisions, ...body } = doc ?? {}
  return { id, body }
}

module.exports = { CouchSource }
