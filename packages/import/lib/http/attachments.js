'use strict'

const { pipeline } = require('node:stream/promises')
const { createGunzip } = require('node:zlib')
const { groupsOf } = require('./groups')
const { documentPath, query } = require('./path')
const { verified } = require('../digest')

/** Bytes of all attachments of a revision up to which they are asked for with many others. */
const SMALL = 64 * 1024

/** Bytes of attachments that are asked for at once. */
const TOGETHER = 1024 * 1024

/**
 * Gives documents in CouchDB's form, fetched with stubs, their attachments' content: small ones at
 * once, by `_bulk_get`; big ones when they are written, by a stream each.
 *
 * @param {import('./client').Client} client of the database
 * @param {import('./fetch-revisions').RevisionFetcher} fetcher
 * @param {Record<string, any>[]} documents
 * @param {boolean} content whether small content is fetched at once
 * @returns {Promise<Map<Record<string, any>, import('../source').Attachment[]>>} by document
 */
async function fetchAttachments (client, fetcher, documents, content) {
  const having = documents.filter(doc => doc._attachments !== undefined)
  const data = new Map()
  for (const group of groupsOf(having.filter(doc => content && sizeOf(doc) <= SMALL), sizeOf, TOGETHER)) {
    const { found } = await fetcher.fetch(group.map(({ _id: id, _rev: rev }) => ({ id, rev })), { revs: false, attachments: true })
    for (const doc of found) data.set(JSON.stringify([doc._id, doc._rev]), doc._attachments ?? {})
  }
  return new Map(documents.map(doc => [doc, attachmentsOf(client, doc, data.get(JSON.stringify([doc._id, doc._rev])) ?? {})]))
}

/** @param {Record<string, any>} doc with attachments @returns {number} bytes of them */
function sizeOf (doc) {
  return Object.values(doc._attachments).reduce((sum, { length = 0 }) => sum + length, /** @type {number} */ (0))
}

/**
 * @param {import('./client').Client} client
 * @param {Record<string, any>} doc with stubs
 * @param {Record<string, { data?: string }>} data by name, in base64; what is not there is read when it is written
 * @returns {import('../source').Attachment[]}
 */
function attachmentsOf (client, doc, data) {
  return Object.entries(doc._attachments ?? {}).map(([name, stub]) => {
    const content = Object.hasOwn(data, name) ? data[name].data : undefined
    const attachment = {
      name,
      contentType: stub.content_type,
      digest: stub.digest,
      length: stub.length ?? null,
      revpos: stub.revpos ?? null,
      encoded: stub.encoding ?? null
    }
    return typeof content === 'string'
      ? { ...attachment, data: Buffer.from(content, 'base64'), open: null }
      : { ...attachment, data: null, open: () => readContent(client, doc, attachment) }
  })
}

/**
 * An attachment's content. Content that is stored compressed comes compressed, because its digest is that
 * of the compressed bytes.
 * @param {import('./client').Client} client
 * @param {Record<string, any>} doc
 * @param {{ name: string, digest: string, encoded: string | null }} attachment
 * @returns {AsyncGenerator<Buffer>}
 */
async function * readContent (client, doc, attachment) {
  const path = `${documentPath(doc._id)}/${encodeURIComponent(attachment.name)}${query({ rev: doc._rev })}`
  const headers = { accept: '*/*', 'accept-encoding': attachment.encoded === 'gzip' ? 'gzip' : 'identity' }
  const answer = await client.stream('GET', path, { headers })
  if (answer.headers['content-encoding'] !== 'gzip') yield * client.reading(answer.body)
  else yield * unzip(verified(client.reading(answer.body), { ...attachment, encoded: null, length: null }))
}

/** @param {AsyncIterable<Buffer>} bytes @returns {AsyncGenerator<Buffer>} */
async function * unzip (bytes) {
  const gunzip = createGunzip()
  const piped = pipeline(bytes, gunzip)
  piped.catch(() => {}) // the reader below meets it
  yield * gunzip
  await piped
}

module.exports = { attachmentsOf, fetchAttachments }
