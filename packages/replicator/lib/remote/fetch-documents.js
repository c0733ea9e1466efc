'use strict'

const { carriedText, carrySent, parseInTurns, readBareResults, stringifyAnyDepth } = require('@potoroo/document-store')
const { AttachmentContent, knownGeneration, SMALL } = require('../replication/attachment-content')
const { badAnswer } = require('../replication/failure')
const { attachmentPath, documentPath } = require('../request/paths')
const { exactResults, withoutMember } = require('./exact-results')
const { TooLong } = require('./exchange')
const { isRevision } = require('./remote-changes')

/** Bytes of documents that are asked for at once, unless a single one is longer. */
const BATCH = 32 * 1024 * 1024
const SINGLE = 256 * 1024 * 1024

/** Bytes of small attachments that come along with their documents, of one request. */
const CONTENT = 8 * 1024 * 1024

/** Requests at a time where documents come one by one. */
const AT_ONCE = 8

/** UTF-16 units of a document that is parsed in turns. */
const LONG = 256 * 1024

/** Bytes of documents that are looked at in one go. */
const MOST_BARE = 1024 * 1024

const BULK = { revs: true, latest: true, att_encoding_info: true }

/**
 * Documents of a database elsewhere. Attachments that are small come with them, others are read
 * when they are wanted.
 *
 * @typedef {import('./peer').Peer} Peer
 * @typedef {import('../replication/side').Wanted} Wanted
 * @typedef {import('../replication/side').Missing} Missing
 * @typedef {Record<string, any>} Stubs attachments by their names
 *
 * @typedef {object} Bound what its attachments are to be taken by
 * @property {number} known the generation up to which the target has them
 * @property {string[]} attsSince
 * @property {number} size characters of its JSON, about
 * @typedef {import('../replication/side').FetchedDocument & Bound} Found
 * @typedef {Found & { attachments: Stubs }} Attached
 *
 * @typedef {object} How
 * @property {'stored' | 'plain' | 'later'} [content] the small content that comes along: that which the target can store as
 *   it is; with that which is stored compressed, decompressed; or none
 * @property {number} [retries] of a request that asks for documents, or for content
 *
 * @param {Peer} peer
 * @param {import('../request/request').ReplicationRequest} request
 * @param {Wanted[]} wanted
 * @param {How} [how]
 * @returns {AsyncGenerator<Array<Found | Missing>>}
 */
async function * fetchDocuments (peer, request, wanted, how = {}) {
  for await (const documents of request.useBulkGet ? inBulk(peer, wanted, how) : oneByOne(peer, wanted, how)) {
    const plain = documents.filter(({ attachments = null }) => attachments === null)
    if (plain.length > 0) yield plain
    yield * withAttachments(peer, /** @type {Attached[]} */ (documents.filter(({ attachments = null }) => attachments !== null)), how)
  }
}

/**
 * Fetches documents with stubs only; in halves where they are too long together.
 * @param {Peer} peer
 * @param {Wanted[]} wanted
 * @param {How} how
 * @returns {AsyncGenerator<Array<Found | Missing>>}
 */
async function * inBulk (peer, wanted, how) {
  const answer = await bulkGet(peer, wanted, { attachments: false }, wanted.length === 1 ? SINGLE : BATCH, how)
  if (answer === TOO_LONG) {
    const half = wanted.length >> 1
    yield * inBulk(peer, wanted.slice(0, half), how)
    yield * inBulk(peer, wanted.slice(half), how)
  } else if (answer === UNKNOWN) yield * oneByOne(peer, wanted, how)
  else yield answer
}

const TOO_LONG = Symbol('too long')
const UNKNOWN = Symbol('unknown')

/** @param {Peer} peer @param {Wanted[]} wanted @param {{ attachments: boolean }} query @param {number} limit bytes of the answer @param {How} how */
async function bulkGet (peer, wanted, query, limit, { retries }) {
  const docs = wanted.map(({ id, rev, attsSince }) => ({ id, rev, ...(query.attachments && attsSince.length > 0 && { atts_since: attsSince }) }))
  const answer = await peer.request('POST', '_bulk_get', { query: { ...BULK, ...query }, json: { docs }, limit, retries, take: query.attachments ? undefined : takeBare }).catch(error => error)
  if (answer instanceof TooLong && wanted.length > 1) return TOO_LONG
  if (answer instanceof Error) throw answer
  if (answer.taken?.length === wanted.length) return answer.taken.map((/** @type {BareResult} */ each, /** @type {number} */ i) => fromBare(wanted[i], each))
  const results = answer.json?.results
  if (answer.status === 401 || answer.status === 403) throw badAnswer('bulk_get_failed', answer, `${answer.status} ${answer.json?.reason}`)
  // It came late into the protocol, and PouchDB's servers give the revisions of a document together.
  if (answer.status !== 200 || !Array.isArray(results) || results.length !== wanted.length) return UNKNOWN
  const texts = exactResults(answer.text)
  const size = answer.text.length / results.length
  return results.map((result, i) => toFetched(wanted[i], Array.isArray(result?.docs) ? result.docs[0] : undefined, texts?.[i], size, true))
}

/** Documents without attachments go on as text, and no objects are made of them. @param {Buffer} bytes */
function takeBare (bytes) { return bytes.length <= MOST_BARE ? readBareResults(bytes) : undefined }

/** @typedef {NonNullable<ReturnType<typeof readBareResults>>[number]} BareResult */

/** @param {Wanted} wanted @param {BareResult} result @returns {Found | Missing} */
function fromBare (wanted, { id, rev, isBare, text, doc }) {
  if (!isBare) return toFetched(wanted, { ok: JSON.parse(text) }, text, text.length, true)
  if (id !== wanted.id || !isRevision(rev)) return { id: wanted.id, rev: wanted.rev, missing: true, reason: 'missing' }
  return {
    id,
    rev,
    attachments: null,
    bulkGet: true,
    known: 0,
    attsSince: wanted.attsSince,
    size: text.length,
    bare: () => text,
    doc: mayBeBare => (mayBeBare ? doc() : undefined) ?? parsed(text)
  }
}

/** @param {string} text */
function parsed (text) {
  const doc = JSON.parse(text)
  carrySent(doc, text, 0)
  return doc
}

/**
 * Fetches documents as databases older than `_bulk_get` have it.
 * @param {Peer} peer
 * @param {Wanted[]} wanted
 * @param {How} how
 * @returns {AsyncGenerator<Array<Found | Missing>>}
 */
async function * oneByOne (peer, wanted, { retries }) {
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    yield await Promise.all(wanted.slice(i, i + AT_ONCE).map(async each => {
      const query = { ...BULK, open_revs: JSON.stringify([each.rev]) }
      const { status, json, text } = await peer.request('GET', documentPath(each.id), { query, limit: SINGLE, documents: 2, retries })
      if (status !== 200 || !Array.isArray(json)) return { id: each.id, rev: each.rev, missing: true, reason: `${json?.error ?? status}` }
      const [exact] = exactResults(`{"results":[{"docs":${text}}]}`) ?? []
      return toFetched(each, json[0], exact, text.length, false)
    }))
  }
}

/**
 * Returns one fetched, with what its attachments are to be taken by.
 * @param {Wanted} wanted
 * @param {any} found as the peer has it
 * @param {string | undefined} text of the document, where parsing would lose something
 * @param {number} size
 * @param {boolean} bulkGet
 * @returns {Found | Missing}
 */
function toFetched ({ id, rev, attsSince }, found, text, size, bulkGet) {
  const doc = found?.ok
  if (typeof doc !== 'object' || doc === null || doc._id !== id || !isRevision(doc._rev)) {
    return { id, rev, missing: true, reason: `${found?.error?.error ?? 'missing'}` }
  }
  const attachments = doc._attachments ?? null
  if (attachments !== null && !areStubs(attachments)) return { id, rev, missing: true, reason: 'malformed attachments' }
  return {
    id,
    rev: doc._rev,
    attachments,
    bulkGet,
    known: knownGeneration(readRevisions(doc._revisions), attsSince),
    attsSince,
    size,
    bare: () => text === undefined ? textOf(withoutAttachments(doc)) : withoutMember(text, '_attachments'),
    async doc () {
      if (text !== undefined && text.length > LONG) return withoutAttachments(await parseInTurns(text, { exact: true, documents: 0 }))
      if (text !== undefined) carrySent(doc, text, 0)
      return withoutAttachments(doc)
    }
  }
}

/**
 * Whether they are stubs, or have their content, which comes without its length.
 * @param {any} attachments
 */
function areStubs (attachments) {
  return typeof attachments === 'object' && !Array.isArray(attachments) && Object.values(attachments).every(stub =>
    (isLength(stub?.length) || typeof stub?.data === 'string') && (stub.encoding === undefined || (stub.encoding === 'gzip' && isLength(stub.encoded_length))))
}

/** @param {any} length @returns {length is number} */
function isLength (length) { return Number.isSafeInteger(length) && length >= 0 }

/** @param {any} revisions @returns {{ start: number, ids: string[] } | undefined} */
function readRevisions (revisions) {
  return Array.isArray(revisions?.ids) && Number.isSafeInteger(revisions.start) ? revisions : undefined
}

/**
 * Returns the JSON of a document; a large one carries that.
 * @param {Record<string, any>} doc
 */
function textOf (doc) {
  const carried = carriedText(doc)
  if (carried === undefined) return stringifyAnyDepth(doc)
  const special = carried.special.filter(name => Object.hasOwn(doc, name)).map(name => [name, doc[name]])
  if (special.length === 0) return carried.body
  const head = JSON.stringify(Object.fromEntries(special)).slice(0, -1)
  return carried.body === '{}' ? `${head}}` : `${head},${carried.body.slice(1)}`
}

/** @template {Record<string, any>} T @param {T} doc */
function withoutAttachments (doc) {
  delete doc._attachments
  return doc
}

/**
 * Gives documents their attachments: those that are small together in one request, others each by itself.
 * @param {Peer} peer
 * @param {Attached[]} documents
 * @param {How} how
 */
async function * withAttachments (peer, documents, how) {
  let small = []
  let length = 0
  for (const document of documents) {
    const size = lengthOf(document, how)
    if (size === 0 || size > SMALL || !document.bulkGet) {
      yield [withContents(peer, document, how)]
      continue
    }
    if (length + size > CONTENT) {
      yield await withData(peer, small, how)
      small = []
      length = 0
    }
    small.push(document)
    length += size
  }
  if (small.length > 0) yield await withData(peer, small, how)
}

/**
 * Counts the bytes of those attachments that the target lacks; what is compressed would come along decompressed.
 * @param {Attached} document
 * @param {How} how
 * @returns {number} Infinity if they do not come along
 */
function lengthOf ({ attachments, known }, { content = 'stored' }) {
  if (content === 'later') return Infinity
  return Object.values(attachments).reduce((sum, stub) => sum + (isKnown(stub, known) ? 0 : stub.encoding === undefined || content === 'plain' ? stub.length : Infinity), 0)
}

/** Whether the target has it. CouchDB says generation 0 of one that was written without. @param {{ revpos?: any }} attachment @param {number} known */
function isKnown ({ revpos }, known) { return Number.isSafeInteger(revpos) && revpos > 0 && revpos <= known }

/** @param {Peer} peer @param {Attached[]} documents @param {How} how */
async function withData (peer, documents, how) {
  const wanted = documents.map(({ id, rev, attsSince }) => ({ id, rev, attsSince }))
  const answer = await bulkGet(peer, wanted, { attachments: true }, SINGLE, how)
  if (typeof answer === 'symbol') return documents.map(document => withContents(peer, document, how))
  return answer.map((/** @type {Found | Missing} */ fetched, /** @type {number} */ i) => isComplete(fetched, how) ? fetched : withContents(peer, documents[i], how))
}

/**
 * Tells whether all that the target lacks came along: a document that was written meanwhile may have other attachments.
 * @param {any} fetched
 * @param {How} how
 */
function isComplete ({ attachments = null, known, missing }, { content }) {
  return missing !== true && Object.values(attachments ?? {}).every(each => isKnown(each, known) || (typeof each.data === 'string' && (each.encoding === undefined || content === 'plain')))
}

/** @param {Peer} peer @param {Attached} document @param {How} how */
function withContents (peer, document, how) {
  const { id, rev, attachments, known } = document
  const named = Object.entries(attachments).map(([name, { stub, ...rest }]) => [name, isKnown(rest, known) ? { ...rest, stub } : { ...rest, data: contentOf(peer, id, rev, name, rest, how) }])
  return { ...document, attachments: Object.fromEntries(named) }
}

/**
 * Returns the bytes as they are stored there.
 * @param {Peer} peer
 * @param {string} id
 * @param {string} rev
 * @param {string} name
 * @param {{ length: number, encoding?: string, encoded_length: number }} stub
 * @param {How} how
 */
function contentOf (peer, id, rev, name, { length, encoding, encoded_length: encodedLength }, { retries }) {
  const content = new AttachmentContent(encoding === undefined ? length : encodedLength, async () => {
    const headers = { Accept: '*/*', 'Accept-Encoding': encoding ?? 'identity' }
    const response = await peer.open('GET', attachmentPath(id, name), { query: { rev }, headers, retries })
    // Content that is no gzip comes as it is, whatever its stub says: length and digest tell.
    content.encoding = /** @type {string | undefined} */ (response.headers['content-encoding'])
    if (response.statusCode === 200 && [encoding, undefined].includes(content.encoding)) return response.body
    response.body.destroy()
    throw badAnswer('attachment_fetch_failed', { status: response.statusCode }, `${response.statusCode} ${name} of ${id}`)
  })
  return content
}

module.exports = { fetchDocuments }
