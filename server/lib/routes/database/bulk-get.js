'use strict'

const { mapInTurns, toJson, validateId, validatePartitionedId } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { createBoundary } = require('@potoroo/multipart')
const { accepts } = require('../../http/accept')
const { isObject, requireObject } = require('../../documents/input')
const { writePart } = require('../../documents/open-revisions')
const { readOptions, readQuery, revision, withAttachments } = require('../../documents/query')
const { jsonType } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */

/** Requests that are read at a time: how much of a long list is in memory at once. */
const SLICE = 100

/** The same with attachments: compressed ones may be far longer than they say. */
const SLICE_WITH_ATTACHMENTS = 1

/** Characters of documents, about, that are sent before more are read. */
const MOST = 256 * 1024

/** Characters of a document besides its body, about. */
const HEAD = 256

/**
 * `POST /{db}/_bulk_get` with `{ docs: [{ id, rev?, atts_since? }] }` →
 * `{ results: [{ id, docs: [{ ok } | { error }] }] }`, or multipart/mixed where the client does
 * not take JSON.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function bulkGet (req, res) {
  const { docs } = requireObject(req.body)
  if (!Array.isArray(docs)) throw badRequest('Missing JSON list of \'docs\'.')
  const validate = req.database.partitioned ? validateInPartition : validateId
  const requests = await mapInTurns(docs, each => readRequest(each, validate))
  if (!accepts(req, 'application/json')) {
    const type = ['multipart/mixed', 'multipart/related'].find(each => accepts(req, each))
    if (type !== undefined) return sendMultipart(req, res, requests, type)
  }
  await sendResults(req, res, requests)
}

/** @typedef {{ id: any, rev?: any, attsSince?: string[], failure?: { id: any, rev: any, error: string, reason: string } }} Wanted */

/** A fault of one request is the answer to that one alone. @param {any} request @param {(id: any) => void} validate */
function readRequest (request, validate) {
  if (!isObject(request) || Object.keys(request).length === 0) return failed(null, null, 'document must be a JSON object')
  const { id, rev, atts_since: attsSince } = request
  if (id === undefined) return failed(null, null, 'document id missed')
  const wrong = refusalOf(() => validate(id))
  if (wrong !== null) return failed(id, null, wrong.reason, wrong.error)
  const malformed = rev === undefined ? null : refusalOf(() => revision(rev))
  if (malformed !== null) return failed(id, rev, malformed.reason)
  if (attsSince === undefined) return { id, rev }
  if (!Array.isArray(attsSince)) return failed(id, attsSince, 'att_since value must be array of revs.')
  const bad = attsSince.find(each => typeof each !== 'string' || !/^\d+-/.test(each))
  if (bad !== undefined) return failed(id, bad, 'Invalid rev format')
  return attsSince.length === 0 ? { id, rev } : { id, rev, attsSince }
}

/** @param {string} id */
function validateInPartition (id) {
  validateId(id)
  if (!id.startsWith('_local/')) validatePartitionedId(id)
}

/** @param {() => void} check */
function refusalOf (check) {
  try {
    check()
    return null
  } catch (error) {
    return error
  }
}

/** @param {any} id @param {any} rev as they came @param {string} reason */
function failed (id, rev, reason, error = 'bad_request') {
  return { id, failure: { id, rev, error, reason } }
}

/** @param {DatabaseRequest} req @param {PotorooResponse} res @param {Wanted[]} requests */
async function sendResults (req, res, requests) {
  const options = readOptions(req.args, false)
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  let separator = '{"results":['
  const encodings = req.args.att_encoding_info
  for await (const results of read(req, requests, options)) {
    for (const [request, found] of results) {
      if (out.closed) return
      out.push(`${separator}{"id":${JSON.stringify(request.id)},"docs":[${found.map(each => resultText(each, encodings)).join(',')}]}`)
      separator = ','
      if (out.full) await out.flush()
    }
    await out.pause()
  }
  out.push(separator === ',' ? ']}\n' : '{"results":[]}\n')
  out.end()
}

/** @param {any} result @param {boolean} encodings */
function resultText ({ ok, error }, encodings) {
  return ok === undefined ? `{"error":${JSON.stringify(error)}}` : `{"ok":${toJson(ok, { encodings })}}`
}

/**
 * The requests with their results, some at a time: `[request, [{ ok } | { error }]]`.
 *
 * @param {DatabaseRequest} req
 * @param {Wanted[]} requests
 * @param {any} options
 * @returns {AsyncGenerator<Array<[Wanted, any[]]>>}
 */
async function * read (req, requests, options) {
  const size = options.attachments ? SLICE_WITH_ATTACHMENTS : SLICE
  for (let i = 0; i < requests.length; i += size) {
    const slice = requests.slice(i, i + size)
    const single = slice.filter(({ rev, attsSince, failure }) => rev !== undefined && attsSince === undefined && failure === undefined)
    let next = 0
    const answers = single.length === 0 ? [] : await answersTo(req.database, single, options)
    /** @type {Array<[Wanted, any[]]>} */
    let results = []
    let length = 0
    for (const request of slice) {
      const isSingle = request.failure === undefined && request.rev !== undefined && request.attsSince === undefined
      const found = isSingle ? toResults(request, answers[next++]) : await resultsOf(req, request, options)
      results.push([request, found])
      for (const { ok } of found) length += HEAD + (ok?.body.length ?? 0)
      if (length < MOST) continue
      yield results
      results = []
      length = 0
    }
    if (results.length > 0) yield results
  }
}

/** @param {DatabaseRequest} req @param {Wanted} request @param {any} options @returns {Promise<any[]>} */
async function resultsOf (req, request, options) {
  if (request.failure !== undefined) return [{ error: request.failure }]
  return orRefusal(request, () => request.rev === undefined ? allLeaves(req, request, options) : newerAttachments(req, request, options))
}

/** Aligned with the requests. @param {AnyDatabase} database @param {Wanted[]} requests @param {any} options */
async function answersTo (database, requests, options) {
  try {
    return await database.bulkGet(requests, options)
  } catch (error) {
    return requests.map(() => ({ error: unreadable(error) }))
  }
}

/** @param {Wanted} request @param {() => Promise<any[]>} read */
async function orRefusal (request, read) {
  try {
    return await read()
  } catch (error) {
    return toResults({ rev: 'undefined', ...request }, { error: unreadable(error) })
  }
}

/**
 * Attachments that are too long to come along are an error in their document's place: replications go on with the others.
 *
 * @param {any} error
 */
function unreadable (error) {
  if (error.code === 'TOO_LARGE') return error
  throw error
}

/** Without a revision CouchDB gives every leaf. @param {DatabaseRequest} req @param {Wanted} request @param {any} options */
async function allLeaves (req, { id, attsSince }, options) {
  try {
    const leaves = await req.database.openRevs(id, 'all', attsSince === undefined ? options : { ...options, ...withAttachments, attsSince })
    if (leaves.length > 0) return leaves
  } catch (error) {
    if (error.status !== 404) throw error
  }
  return [{ error: { id, rev: 'undefined', error: 'not_found', reason: 'missing' } }]
}

/** With content of what the reader cannot have. @param {DatabaseRequest} req @param {Wanted} request @param {any} options */
async function newerAttachments (req, { id, rev, attsSince }, options) {
  const found = await req.database.openRevs(id, [rev], { ...options, ...withAttachments, attsSince })
  return found.map(each => 'ok' in each ? each : { error: { id, rev, error: 'not_found', reason: 'missing' } })
}

/** With `latest` a revision may have given way to several. @param {Wanted} given @param {any} answer */
function toResults ({ id, rev }, answer) {
  if (answer.ok !== undefined) return [answer.ok, ...answer.others ?? []].map(ok => ({ ok }))
  const { status, error, reason } = answer.error
  return [{ error: status === 404 ? { id, rev, error: 'not_found', reason: 'missing' } : { id, rev, error, reason } }]
}

/** @param {DatabaseRequest} req @param {PotorooResponse} res @param {Wanted[]} requests @param {string} type */
async function sendMultipart (req, res, requests, type) {
  // Parts of several shards are those of one answer.
  const boundary = req.merging?.boundary ?? createBoundary()
  const options = { ...readOptions(req.args, false), attachments: false, revs: true }
  const out = new ResponseWriter(res, { 'Content-Type': `${type}; boundary="${boundary}"` })
  const plain = requests.map(({ attsSince, ...request }) => request)
  let index = 0
  for await (const results of read(req, plain, options)) {
    for (const [, found] of results) {
      const { attsSince } = requests[index++]
      for (const { ok, error } of found) {
        if (out.closed) return
        out.push(`\r\n--${boundary}`)
        if (ok === undefined) out.push(`\r\nContent-Type: application/json; error="true"\r\n\r\n${JSON.stringify(error)}`)
        else await writePart(out, req, ok, attsSince, `\r\nX-Doc-Id: ${encodeURIComponent(ok.id)}\r\nX-Rev-Id: ${ok.rev}`)
      }
      if (out.full) await out.flush()
    }
  }
  if (requests.length > 0) out.push(`\r\n--${boundary}--\r\n`)
  out.end()
}

/** These belong to the single requests. */
const refused = Object.fromEntries(['open_revs', 'new_edits', 'w', 'rev', 'atts_since'].map(name => [name, () => {
  throw badRequest(`"${name}" query parameter is not acceptable`)
}]))

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_bulk_get', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, reads: true, body: 'typed-json', query: { ...readQuery, ...refused }, anywhere: true, threads: { parameters: ['revs', 'latest', 'attachments', 'att_encoding_info'] }, shards: 'bulkGet', handler: bulkGet }
]
