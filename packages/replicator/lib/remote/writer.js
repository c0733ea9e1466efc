'use strict'

const { AttachmentContent } = require('../replication/attachment-content')
const { badAnswer } = require('../replication/failure')
const { documentPath } = require('../request/paths')
const { relatedOf, withMember } = require('./related')

/** Characters of documents that are sent at once. */
const BATCH = 4 * 1024 * 1024

/** Answers that say of a document that it is not taken; all others end the replication, which tries again. */
const REFUSALS = new Set([400, 401, 403, 413, 415])

/**
 * Writes documents into a database elsewhere, with the revisions that they have.
 *
 * @typedef {import('../replication/side').FetchedDocument} FetchedDocument
 * @typedef {import('../replication/side').Refusal} Refusal
 * @typedef {{ id: string, rev: string, text: string }} Sent
 */
class Writer {
  #peer

  /** @param {import('./peer').Peer} peer */
  constructor (peer) {
    this.#peer = peer
  }

  /**
   * @param {FetchedDocument[]} documents
   * @returns {Promise<Refusal[]>}
   */
  async write (documents) {
    const refused = []
    let batch = /** @type {Sent[]} */ ([])
    let length = 0
    for (const document of documents) {
      const text = await inlineText(document)
      if (text === null) {
        const refusal = await this.#put(document)
        if (refusal !== null) refused.push(refusal)
        continue
      }
      if (length > 0 && length + text.length > BATCH) {
        refused.push(...await this.#bulk(batch))
        batch = []
        length = 0
      }
      batch.push({ id: document.id, rev: document.rev, text })
      length += text.length
    }
    if (batch.length > 0) refused.push(...await this.#bulk(batch))
    return refused
  }

  /** @param {Sent[]} batch @returns {Promise<Refusal[]>} */
  async #bulk (batch) {
    const body = `{"new_edits":false,"docs":[${batch.map(({ text }) => text).join(',')}]}`
    const answer = await this.#peer.request('POST', '_bulk_docs', { body, headers: { 'X-Couch-Full-Commit': 'false' } })
    const { status, json } = answer
    // A target that answers something else has perhaps written nothing.
    if ((status === 201 || status === 202) && Array.isArray(json)) return json.filter(row => row?.error !== undefined).map(toRefusal)
    if (status === 413 && batch.length > 1) {
      const half = batch.length >> 1
      return [...await this.#bulk(batch.slice(0, half)), ...await this.#bulk(batch.slice(half))]
    }
    if (status === 413) return [{ id: batch[0].id, rev: batch[0].rev, error: 'too_large', reason: 'the request entity is too large' }]
    throw badAnswer('bulk_docs_failed', answer)
  }

  /**
   * One document, with its attachments behind it.
   * @param {FetchedDocument} document
   * @returns {Promise<Refusal | null>}
   */
  async #put (document) {
    const body = relatedOf(document)
    const headers = { 'Content-Type': body.contentType, 'Content-Length': String(body.length) }
    const { id, rev } = document
    const answer = await this.#peer.upload('PUT', documentPath(id), { query: { new_edits: false }, headers, body })
    const { status, json } = answer
    if (status >= 200 && status < 300) return null
    if (status === 412 && json?.error === 'missing_stub') return { id, rev, error: 'missing_stub', reason: `${json.reason}`, missingStub: true }
    if (REFUSALS.has(status)) return { id, rev, error: `${json?.error ?? status}`, reason: `${json?.reason}` }
    throw badAnswer('doc_write_failed', answer)
  }
}

/**
 * The JSON of a document that goes with others; null where it has to go by itself.
 * @param {FetchedDocument} document
 */
async function inlineText ({ attachments, bare }) {
  if (attachments === null) return bare()
  if (!Object.values(attachments).every(isInline)) return null
  /** @type {Record<string, any>} */
  const inline = {}
  for (const [name, attachment] of Object.entries(attachments)) {
    const { data } = attachment
    const { stub, length, follows, ...rest } = attachment
    inline[name] = { ...rest, data: data instanceof AttachmentContent ? (await data.read()).toString('base64') : data }
  }
  return withMember(bare(), inline)
}

/** A stub that the target lacks would have it refuse all. @param {Record<string, any>} attachment */
function isInline ({ data, encoding }) {
  return data !== undefined && encoding === undefined && !(data instanceof AttachmentContent && !data.isSmall)
}

/** @param {Record<string, any>} row @returns {Refusal} */
function toRefusal ({ id, rev, error, reason }) {
  return { id: String(id), rev, error: String(error), reason: String(reason), missingStub: error === 'missing_stub' }
}

module.exports = { Writer }
