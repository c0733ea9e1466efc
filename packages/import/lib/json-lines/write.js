'use strict'

const crypto = require('node:crypto')
const { shardOf } = require('@potoroo/document-store')

/**
 * A database as lines of JSON, UTF-8, each ended by a line feed:
 *
 *   {"potoroo_export":1,"name":…,"instance_id":…,"update_seq":…,"partitioned":…,"q":…,"revs_limit":…,"security":…}
 *   {"_id":…,"_rev":…,"_local_seq":…,"_revisions":…,"_attachments":…,…}   each leaf, in the order of changes
 *   {"attachment":name,"at":0,"data":base64}                              content that follows its leaf
 *   {"_id":"_local/…","_rev":…,…}                                         each local document
 *   {"end":true,"documents":…,"revisions":…,"attachments":…,"locals":…,"lines":…,"sha256":…}
 *
 * The leaves of a document stand together. A short attachment has its content as `data`, in base64;
 * another says `"follows":true`, and its content is in the lines after the leaf's, in the order of
 * its attachments. The last line counts those before it, and has the SHA-256 of their bytes.
 *
 * A database of several shards is written shard after shard, each with its sequences after those of the one before.
 * Copies of design documents are left out. `q` is the number of its shards; other databases have none.
 */
const VERSION = 1

/** Bytes of an attachment, and of all of a leaf, that stand in the leaf's line. */
const INLINE = 64 * 1024
const INLINE_TOGETHER = 1024 * 1024

/** Bytes in a line of content: thirds, so that base64 of each is whole. */
const CHUNK = 768 * 1024

const LOCALS = 100

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').ShardedDatabase} ShardedDatabase
 * @typedef {import('@potoroo/document-store').AttachmentInfo} AttachmentInfo
 * @typedef {Awaited<ReturnType<DocumentStore['getAttachment']>>} Attachment
 *
 * @typedef {{ documents: number, revisions: number, attachments: number, locals: number, lines: number }} Counts
 */

/**
 * The lines of a database, of which nobody writes meanwhile.
 *
 * @param {DocumentStore | DocumentStore[]} store open; several: those of the shards
 * @param {ShardedDatabase} [database] of which the shards are
 * @returns {AsyncGenerator<{ line: Buffer, counts: Counts }, void>} with its line feed
 */
async function * writeLines (store, database) {
  const counts = { documents: 0, revisions: 0, attachments: 0, locals: 0, lines: 0 }
  const hash = crypto.createHash('sha256')
  for await (const text of textsOf([store].flat(), database, counts)) {
    const line = Buffer.from(`${text}\n`)
    hash.update(line)
    counts.lines++
    yield { line, counts }
  }
  yield { line: Buffer.from(`${JSON.stringify({ end: true, ...counts, sha256: hash.digest('hex') })}\n`), counts }
}

/** @param {DocumentStore[]} stores @param {ShardedDatabase | undefined} database @param {Counts} counts */
async function * textsOf (stores, database, counts) {
  yield JSON.stringify(await headerOf(stores, database))
  let sequencesBefore = 0
  for (const [index, store] of stores.entries()) {
    const isCopy = (/** @type {string} */ id) => database !== undefined && id.startsWith('_design/') && shardOf(id, database) !== index
    yield * documentsOf(store, isCopy, sequencesBefore, counts)
    sequencesBefore += store.updateSeq
  }
  for (const store of stores) {
    for await (const { id, rev, body } of localsOf(store)) {
      counts.locals++
      yield join({ _id: id, _rev: rev }, body)
    }
  }
}

/** @param {DocumentStore} store @param {(id: string) => boolean} isCopy @param {number} sequencesBefore @param {Counts} counts */
async function * documentsOf (store, isCopy, sequencesBefore, counts) {
  for await (const page of store.changes({ style: 'all_docs', pending: false })) {
    for (const { id, changes } of page) {
      if (isCopy(id)) continue
      counts.documents++
      const leaves = await store.openRevs(id, changes.map(({ rev }) => rev), { revs: true, localSeq: true })
      for (const leaf of leaves) {
        if (!('ok' in leaf)) throw new Error(`${store.name}: ${JSON.stringify(id)} has no ${leaf.missing}; potoroo check says what is wrong`)
        counts.revisions++
        yield * leafOf(store, leaf.ok, sequencesBefore, counts)
      }
    }
  }
}

/** @param {DocumentStore[]} stores @param {ShardedDatabase | undefined} database */
async function headerOf (stores, database) {
  const { partitioned, revsLimit } = stores[0]
  const { name, instanceId } = database ?? stores[0]
  const updateSeq = stores.reduce((sum, store) => sum + store.updateSeq, 0)
  const security = await stores[0].getMeta('security') ?? {}
  return { potoroo_export: VERSION, name, instance_id: instanceId, update_seq: updateSeq, partitioned, q: database?.q, revs_limit: revsLimit, security }
}

/** @param {DocumentStore} store @param {Document} document @param {number} sequencesBefore @param {Counts} counts */
async function * leafOf (store, document, sequencesBefore, counts) {
  const { id, rev, deleted, localSeq, revisions, attachments, body } = document
  /** @type {Record<string, any>} */
  const head = { _id: id, _rev: rev, ...(deleted && { _deleted: true }), _local_seq: sequencesBefore + /** @type {number} */ (localSeq), _revisions: revisions }
  /** @type {Array<[string, Attachment]>} */
  const following = []
  if (attachments !== null) {
    let room = INLINE_TOGETHER
    const entries = []
    for (const [name, info] of Object.entries(attachments)) {
      const attachment = await store.getAttachment(id, name, { document })
      const entry = await entryOf(attachment, info, room)
      if (entry.follows) following.push([name, attachment])
      else room -= entry.length
      entries.push([name, entry])
      counts.attachments++
    }
    head._attachments = Object.fromEntries(entries)
  }
  yield join(head, body)
  for (const [name, attachment] of following) yield * contentOf(attachment, name)
}

/**
 * @param {Attachment} attachment
 * @param {AttachmentInfo} info
 * @param {number} room bytes that the leaf's line has left
 * @returns {Promise<Record<string, any>>} what its leaf's line says of an attachment
 */
async function entryOf (attachment, { contentType, digest, length, encoding, encodedLength, revpos }, room) {
  // Content that came compressed did not always say how long it is.
  const bytes = encoding !== undefined && length === encodedLength ? await lengthOf(attachment.stream()) : length
  const entry = { content_type: contentType, revpos, digest, length: bytes, ...(encoding && { encoding }) }
  return bytes > Math.min(INLINE, room) ? { ...entry, follows: true } : { ...entry, data: (await attachment.read()).toString('base64') }
}

/** @param {AsyncIterable<Buffer>} content */
async function lengthOf (content) {
  let length = 0
  for await (const part of content) length += part.length
  return length
}

/** @param {Attachment} attachment @param {string} name */
async function * contentOf (attachment, name) {
  /** @type {Buffer[]} */
  let held = []
  let bytes = 0
  let at = 0
  const lineOf = (/** @type {Buffer} */ chunk) => JSON.stringify({ attachment: name, at, data: chunk.toString('base64') })
  for await (const part of attachment.stream()) {
    held.push(part)
    bytes += part.length
    if (bytes < CHUNK) continue
    const all = Buffer.concat(held)
    const whole = bytes - bytes % CHUNK
    for (let from = 0; from < whole; from += CHUNK, at += CHUNK) yield lineOf(all.subarray(from, from + CHUNK))
    held = [all.subarray(whole)]
    bytes -= whole
  }
  if (bytes > 0) yield lineOf(Buffer.concat(held))
}

/** @param {DocumentStore} store */
async function * localsOf (store) {
  for (let startkey; ;) {
    const page = await store.allLocal({ limit: LOCALS, ...(startkey !== undefined && { startkey, skip: 1 }) })
    yield * page
    if (page.length < LOCALS) return
    startkey = page[page.length - 1].id
  }
}

/**
 * The body is text of an object, and stays as it is.
 *
 * @param {Record<string, any>} head
 * @param {string} body JSON
 */
function join (head, body) {
  const text = JSON.stringify(head)
  return body === '{}' ? text : `${text.slice(0, -1)},${body.slice(1)}`
}

module.exports = { VERSION, writeLines }
