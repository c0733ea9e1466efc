'use strict'

const { stringifyExact } = require('@potoroo/document-store')
const { AttachmentContent, documentPath } = require('@potoroo/replicator')
const { ImportError } = require('../import/import-error')
const { orderedMap } = require('../import/ordered-map')
const { Remote } = require('./remote')
const { RevisionReader, collect } = require('./revisions')

const AT_ONCE = 6

/**
 * A database of a server that speaks CouchDB's protocol, as a place where documents go to.
 *
 * @implements {Target}
 * @typedef {import('../import/store-target').Target} Target
 * @typedef {import('../import/store-target').SentDocument} SentDocument
 */
class CouchTarget {
  #remote
  #reader
  #revsLimit = 0
  /** Its sequences are the server's own. */
  keepsSequences = false
  updateSeq = undefined
  /** A stub there means a revision before, not content that is stored somewhere. */
  sharesContent = false

  /**
   * Use `open`.
   * @param {Remote} remote
   * @param {Record<string, any>} info
   */
  constructor (remote, info) {
    this.#remote = remote
    /** Whether its documents say who may read them. */
    this.byDocument = info.props?.access === true
    this.#reader = new RevisionReader(remote)
    this.label = remote.url
  }

  /**
   * Opens a database, or makes it.
   *
   * @param {{ url: string, authorization?: string }} address of the database
   * @param {import('../..').HttpOptions} [options]
   * @param {{ partitioned?: boolean, access?: boolean, q?: number }} [create]
   */
  static async open (address, options, { partitioned = false, access = false, q } = {}) {
    const remote = new Remote(address, options)
    try {
      const query = { ...(partitioned && { partitioned }), ...(access && { access }), ...(q && { q }) }
      if (await remote.find('') === undefined) await remote.ask('PUT', '', { query })
      return new CouchTarget(remote, await remote.ask('GET', ''))
    } catch (error) {
      await remote.close()
      throw error
    }
  }

  /** @param {number} length of a history that must fit */
  async admitHistory (length) {
    if (length <= this.#revsLimit) return
    this.#revsLimit = await this.#remote.find('_revs_limit') ?? 1000
    if (length > this.#revsLimit) await this.setRevsLimit(length)
  }

  /** @param {number} limit */
  async setRevsLimit (limit) {
    await this.#remote.ask('PUT', '_revs_limit', { json: limit })
    this.#revsLimit = limit
  }

  /** @param {Record<string, any>} security */
  async setSecurity (security) { await this.#remote.ask('PUT', '_security', { json: security }) }

  async getSecurity () { return this.#remote.find('_security') }

  /** @param {Record<string, string[]>} revs */
  missing (revs) { return this.#remote.missing(revs) }

  /**
   * Writes as a store does; the checkpoint follows the documents.
   * @param {SentDocument[]} docs
   * @param {import('../import/checkpoint').Checkpoint} [checkpoint]
   * @returns {Promise<any[]>} aligned with `docs`
   */
  async write (docs, checkpoint) {
    const refusals = await this.#remote.write(docs.filter(doc => !isStreamed(doc)).map(toRemote))
    for (const doc of docs.filter(isStreamed)) refusals.push(...await this.#writeStreamed(doc))
    if (checkpoint !== undefined) checkpoint.written((await this.#putLocal(checkpoint.toDocument())).rev)
    return docs.map(({ _id: id, _rev: rev }) => {
      const refusal = refusals.find(one => one.id === id && (one.rev === undefined || one.rev === rev))
      return refusal === undefined ? { ok: true } : new ImportError('DAMAGED', { why: `${refusal.error}: ${refusal.reason}` })
    })
  }

  /** @param {SentDocument} doc */
  async #writeStreamed (doc) {
    const document = toRemote(doc)
    try {
      return await this.#remote.write([document])
    } catch (error) {
      // The source's error matters more than that the request broke off.
      for (const { data } of Object.values(document.attachments ?? {})) if (data.failure !== null) throw data.failure
      if (error.code !== 'SOURCE_REFUSED' || error.status >= 500) throw Object.assign(error, { rev: doc._rev })
      return [{ id: doc._id, rev: doc._rev, error: 'refused', reason: error.message }]
    }
  }

  /** @param {string} id */
  async getLocal (id) {
    const found = await this.#remote.find(documentPath(id))
    if (found === undefined) return null
    const { _id, _rev: rev, _revisions, ...body } = found
    return { rev, body }
  }

  /** @param {string[]} ids */
  async getLocals (ids) { return collect(orderedMap(ids, AT_ONCE, id => this.getLocal(id))) }

  /** @param {SentDocument[]} docs */
  async writeLocals (docs) {
    return collect(orderedMap(docs, AT_ONCE, doc => this.#putLocal(doc).catch(error => {
      if (error.status === undefined || error.code === 'UNAUTHORIZED') throw error
      return error
    })))
  }

  /** @param {Record<string, any>} doc */
  #putLocal (doc) { return this.#remote.ask('PUT', documentPath(doc._id), { body: stringifyExact(doc) }) }

  /** @param {Array<{ id: string, revs: string[] }>} changes @returns {Promise<import('../import/store-target').StoredRevision[][]>} */
  async leaves (changes) {
    const { documents } = await this.#reader.read(changes, false)
    const found = new Map(documents.map(({ id, revisions }) => [id, revisions]))
    return changes.map(({ id }) => found.get(id) ?? [])
  }

  /** @param {string[]} ids @returns {Promise<any[][]>} */
  async accessLists (ids) {
    const { results } = await this.#remote.ask('POST', '_bulk_get', { json: { docs: ids.map(id => ({ id })) } })
    return results.map((/** @type {any} */ { docs }) => docs.filter((/** @type {any} */ { ok }) => ok).map((/** @type {any} */ { ok }) => ok._access))
  }

  async * changes () {
    for await (const { changes } of this.#remote.changes(0)) yield changes
  }

  close () { return this.#remote.close() }
}

/** @param {SentDocument} doc */
function isStreamed ({ _attachments: attachments = {} }) {
  return Object.values(attachments).some(({ data }) => !Buffer.isBuffer(data))
}

/** @param {SentDocument} doc @returns {import('@potoroo/replicator').RemoteDocument} */
function toRemote ({ _local_seq: seq, _attachments: attachments, ...doc }) {
  const named = Object.entries(attachments ?? {}).map(([name, { data, digest, ...rest }]) =>
    [name, { ...rest, data: new AttachmentContent(rest.length, async () => Buffer.isBuffer(data) ? [data] : data) }])
  return {
    id: doc._id,
    rev: doc._rev,
    bare: () => stringifyExact(doc),
    doc: () => doc,
    attachments: attachments === undefined ? null : Object.fromEntries(named),
    bulkGet: true
  }
}

module.exports = { CouchTarget }
