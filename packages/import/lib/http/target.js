'use strict'

const { stringifyExact } = require('@potoroo/document-store')
const { ImportError } = require('../import-error')
const { orderedMap } = require('../ordered-map')
const { attachmentsOf } = require('./attachments')
const { Client } = require('./client')
const { groupsOf } = require('./groups')
const { missingRevisions } = require('./missing-revisions')
const { toMultipart } = require('./multipart')
const { documentPath, query } = require('./path')

/** Characters of JSON that are sent at once, as far as documents are no bigger. */
const TOGETHER = 4 * 1024 * 1024

const PAGE = 1000
const AT_ONCE = 6

/**
 * A database of a server that speaks CouchDB's protocol, as a place where documents go to.
 *
 * @implements {Target}
 * @typedef {import('../store-target').Target} Target
 * @typedef {import('../store-target').SentDocument} SentDocument
 * @typedef {[SentDocument, Error]} Refused
 */
class CouchTarget {
  #client
  #revsLimit = 0
  /** Its sequences are the server's own. */
  keepsSequences = false
  updateSeq = undefined
  /** A stub there means a revision before, not content that is stored somewhere. */
  sharesContent = false

  /**
   * Use `open`.
   * @param {Client} client
   */
  constructor (client) {
    this.#client = client
    this.label = client.url
  }

  /**
   * Opens a database, or makes it.
   *
   * @param {{ url: string, authorization?: string }} address of the database
   * @param {ConstructorParameters<typeof Client>[1]} [options]
   * @param {{ partitioned?: boolean }} [create]
   */
  static async open (address, options, { partitioned = false } = {}) {
    const client = new Client(address, options)
    try {
      if (await client.find('') === undefined) await client.put(partitioned ? query({ partitioned }) : '')
      return new CouchTarget(client)
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /** @param {number} length of a history that must fit */
  async admitHistory (length) {
    if (length <= this.#revsLimit) return
    this.#revsLimit = await this.#client.find('/_revs_limit') ?? 1000
    if (length > this.#revsLimit) await this.setRevsLimit(length)
  }

  /** @param {number} limit */
  async setRevsLimit (limit) {
    await this.#client.put('/_revs_limit', limit)
    this.#revsLimit = limit
  }

  /** @param {Record<string, any>} security */
  async setSecurity (security) { await this.#client.put('/_security', security) }

  async getSecurity () { return this.#client.find('/_security') }

  /** @param {Record<string, string[]>} revs */
  missing (revs) { return missingRevisions(this.#client, revs) }

  /**
   * Writes as a store does; the checkpoint follows the documents.
   * @param {SentDocument[]} docs
   * @param {import('../checkpoint').Checkpoint} [checkpoint]
   * @returns {Promise<any[]>} aligned with `docs`
   */
  async write (docs, checkpoint) {
    /** @type {Map<SentDocument, any>} */
    const results = new Map(docs.map(doc => [doc, { ok: true }]))
    const note = (/** @type {Refused[]} */ refusals) => { for (const [doc, error] of refusals) results.set(doc, error) }
    for (const group of groupsOf(plain(docs), ({ text }) => text.length, TOGETHER)) note(await this.#writeTogether(group))
    for (const doc of docs.filter(isStreamed)) note(await this.#writeStreamed(doc))
    if (checkpoint !== undefined) checkpoint.written((await this.#putLocal(checkpoint.toDocument())).rev)
    return docs.map(doc => results.get(doc))
  }

  /** @param {Array<{ doc: SentDocument, text: string }>} group @returns {Promise<Refused[]>} */
  async #writeTogether (group) {
    const rows = await this.#client.post('/_bulk_docs', `{"new_edits":false,"docs":[${group.map(({ text }) => text).join()}]}`)
    return rows.filter((/** @type {any} */ { error }) => error !== undefined)
      .flatMap((/** @type {any} */ row) => group.filter(({ doc }) => doc._id === row.id && (row.rev === undefined || row.rev === doc._rev)).map(({ doc }) => [doc, refusal(row)]))
  }

  /** @param {SentDocument} doc @returns {Promise<Refused[]>} */
  async #writeStreamed (doc) {
    const { _local_seq: seq, ...own } = doc
    const body = toMultipart(own)
    let failure
    const content = watch(body, error => { failure = error })
    try {
      const answer = await this.#client.stream('PUT', documentPath(doc._id) + query({ new_edits: false }), { headers: { 'content-type': body.contentType, 'content-length': String(body.length) }, body: content })
      await answer.body.dump()
      return []
    } catch (error) {
      // The source's error matters more than that the request broke off.
      if (failure !== undefined) throw failure
      if (error.code === 'SOURCE_REFUSED' && error.status < 500) return [[doc, error]]
      throw Object.assign(error, { rev: doc._rev })
    }
  }

  /** @param {string} id */
  async getLocal (id) {
    const found = await this.#client.find(documentPath(id))
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
  async #putLocal (doc) { return this.#client.put(documentPath(doc._id), stringifyExact(doc)) }

  /** @param {string[]} ids */
  async leaves (ids) {
    return collect(orderedMap(ids, AT_ONCE, async id => {
      const found = await this.#client.find(documentPath(id) + query({ open_revs: 'all', revs: true, att_encoding_info: true }), rows => rows.map((/** @type {any} */ { ok }) => ok))
      return (found ?? []).filter((/** @type {any} */ { ok }) => ok !== undefined).map((/** @type {any} */ { ok }) => toRevision(this.#client, ok))
    }))
  }

  async * changes () {
    let since = 0
    while (true) {
      const { results, last_seq: last } = await this.#client.get(`/_changes${query({ style: 'all_docs', limit: PAGE, since })}`)
      if (results.length === 0) return
      yield results.map((/** @type {{ id: string, changes: Array<{ rev: string }> }} */ { id, changes }) => ({ id, revs: changes.map(({ rev }) => rev) }))
      since = last
    }
  }

  async close () { await this.#client.close() }
}

/**
 * Gives the documents whose content is at hand, and what is sent of them.
 * @param {SentDocument[]} docs
 */
function * plain (docs) {
  for (const doc of docs) if (!isStreamed(doc)) yield { doc, text: stringifyExact(toPlain(doc)) }
}

/** @param {SentDocument} doc */
function isStreamed ({ _attachments: attachments = {} }) {
  return Object.values(attachments).some(({ data }) => !Buffer.isBuffer(data))
}

/** @param {SentDocument} doc */
function toPlain ({ _local_seq: seq, ...doc }) {
  if (doc._attachments === undefined) return doc
  const plain = Object.entries(doc._attachments).map(([name, { content_type: type, revpos, data }]) => [name, { content_type: type, revpos, data: data.toString('base64') }])
  return { ...doc, _attachments: Object.fromEntries(plain) }
}

/** @param {{ error: string, reason: string }} row */
function refusal ({ error, reason }) {
  return new ImportError('DAMAGED', { why: `${error}: ${reason}` })
}

/** @param {AsyncIterable<Uint8Array>} body @param {(error: any) => void} onError */
async function * watch (body, onError) {
  try {
    yield * body
  } catch (error) {
    onError(error)
    throw error
  }
}

/** @param {Client} client @param {Record<string, any>} doc @returns {import('../source').Revision} */
function toRevision (client, doc) {
  const { _id, _rev: rev, _revisions: revisions, _deleted: deleted = false, _attachments, ...members } = doc
  return { rev, revisions, deleted, members, attachments: attachmentsOf(client, doc, {}) }
}

/** @template T @param {AsyncIterable<T>} iterable @returns {Promise<T[]>} */
async function collect (iterable) {
  const all = []
  for await (const item of iterable) all.push(item)
  return all
}

module.exports = { CouchTarget }
