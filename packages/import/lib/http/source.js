'use strict'

const { documentPath } = require('@potoroo/replicator')
const { ImportError } = require('../import/import-error')
const { Remote } = require('./remote')
const { RevisionReader } = require('./revisions')

/** Documents that are asked for at once: as many as make an answer of this length, up to the most. */
const ANSWER = 2 * 1024 * 1024
const MOST = 500

/** Local documents that are asked for at once. */
const LOCALS = 500

/**
 * A database of a server that speaks CouchDB's protocol.
 *
 * @implements {Source}
 * @typedef {import('../import/source').Source} Source
 * @typedef {import('../import/source').Change} Change
 */
class CouchSource {
  #remote
  #reader
  #info

  /**
   * Use `open`.
   * @param {string} name
   * @param {Remote} remote
   * @param {Record<string, any>} info
   * @param {string | undefined} uuid of the server
   */
  constructor (name, remote, info, uuid) {
    this.name = name
    this.label = remote.url
    this.identity = `couchdb:${uuid ?? remote.url}/${name}/${info.instance_start_time ?? 0}`
    this.partitioned = info.props?.partitioned === true
    this.numbered = typeof info.update_seq === 'number'
    this.#remote = remote
    this.#reader = new RevisionReader(remote)
    this.#info = info
  }

  /**
   * @param {{ url: string, authorization?: string, name: string, uuid?: string }} address of the database;
   *   `uuid` of its server
   * @param {import('../..').HttpOptions} [options]
   */
  static async open (address, options) {
    const remote = new Remote(address, options)
    try {
      const info = await remote.ask('GET', '')
      if (info.update_seq === undefined) throw new ImportError('NOT_COUCHDB', { source: remote.url })
      return new CouchSource(address.name, remote, info, address.uuid)
    } catch (error) {
      await remote.close()
      throw error.status === 404 ? new ImportError('SOURCE_NOT_FOUND', { source: remote.url, cause: error }) : error
    }
  }

  async updateSeq () { return this.#info.update_seq }

  /** @param {any} since */
  async * changes (since) {
    let after = this.#info.doc_count + (this.#info.doc_del_count ?? 0)
    for await (const { changes, lastSeq, pending } of this.#remote.changes(since, () => this.#together)) {
      after = Math.max(0, after - changes.length)
      // Only newer servers count what is pending.
      yield { changes, failures: [], since: lastSeq, done: changes.length, left: pending ?? after }
    }
  }

  get #together () { return Math.max(1, Math.min(MOST, Math.floor(ANSWER / this.#reader.average))) }

  /** @param {string[]} ids */
  async leaves (ids) {
    const changes = /** @type {Change[]} */ ([])
    const failures = /** @type {import('../import/source').Failure[]} */ ([])
    for (const id of ids) {
      try {
        const leaves = await this.#remote.ask('GET', documentPath(id), { query: { open_revs: 'all' } })
        changes.push({ id, seq: null, revs: leaves.filter((/** @type {any} */ { ok }) => ok).map((/** @type {any} */ { ok }) => ok._rev) })
      } catch (error) {
        if (error.status === undefined || error.code === 'UNAUTHORIZED') throw error
        failures.push({ id, reason: error.message })
      }
    }
    return { changes, failures }
  }

  /** @param {Change[]} changes @param {{ content?: boolean }} [options] */
  read (changes, { content = true } = {}) { return this.#reader.read(changes, content) }

  /** PouchDB Server and CouchDB 1.x do not. */
  async listsLocals () {
    return (await this.#remote.find('_local_docs', { limit: 1 }))?.rows !== undefined
  }

  async * locals () {
    if (!await this.listsLocals()) return
    /** @type {string | undefined} */
    let startkey
    while (true) {
      /** @type {Record<string, any>} */
      const paging = startkey === undefined ? {} : { startkey: JSON.stringify(startkey), skip: 1 }
      const query = { include_docs: true, limit: LOCALS, ...paging }
      const { rows } = await this.#remote.ask('GET', '_local_docs', { query }, value => value.rows?.map((/** @type {any} */ { doc }) => doc))
      if (rows.length > 0) yield rows.map((/** @type {any} */ { id, doc }) => toLocal(id, doc))
      if (rows.length < LOCALS) return
      startkey = rows[rows.length - 1].id
    }
  }

  async security () { return this.#remote.find('_security') }

  async revsLimit () {
    const limit = await this.#remote.find('_revs_limit')
    return Number.isSafeInteger(limit) ? limit : undefined
  }

  /** @param {Record<string, string[]>} revs */
  missing (revs) { return this.#remote.missing(revs) }

  close () { return this.#remote.close() }
}

/** @param {string} id @param {Record<string, any> | undefined} doc */
function toLocal (id, doc) {
  const { _id, _rev, _revisions, ...body } = doc ?? {}
  return { id, body }
}

module.exports = { CouchSource }
