'use strict'

const { isObject } = require('@potoroo/document-store')
const { readDestination } = require('../documents/destination')
const { newId } = require('../documents/input')
const { parseBytes, readBody, requireContentType } = require('../http/body')
const { isDesign, pathOf, writeDesign } = require('./design-copies')
const { relay } = require('./relay')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

const READS = new Set(['GET', 'HEAD'])

/** The document that a path names. @param {PotorooRequest} req @returns {string | undefined} */
function idOf ({ params: { doc, local, id } }) { return doc ?? local ?? id }

/**
 * The shard of its document answers a request; where none is named, any does.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
function ofDocument (coordinator, res) {
  const { req } = coordinator
  const id = idOf(req)
  if (id === undefined) return coordinator.pass(0)
  if (!READS.has(req.method) && isDesign(id)) return ofDesign(coordinator, res, id)
  return coordinator.pass(coordinator.shardOf(id))
}

/** The same where nothing is written. @param {Coordinator} coordinator */
function readDocument (coordinator) {
  const id = idOf(coordinator.req)
  return coordinator.pass(id === undefined ? 0 : coordinator.shardOf(id))
}

/**
 * A change of a design document reaches all shards before it is answered.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 * @param {string} id
 */
async function ofDesign (coordinator, res, id) {
  const { req } = coordinator
  const path = req.url.replace(/^\/+[^/?]+/, '')
  const body = hasBody(req) ? await readBody(req, coordinator.service.requestLimit) : undefined
  await writeDesign(coordinator, id, res, { method: req.method, path, headers: sentHeaders(req), body })
}

/** @param {PotorooRequest} req */
function hasBody ({ headers, bodyInstead, takenBody }) {
  return bodyInstead !== undefined || takenBody !== undefined || headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** Headers that change what is written. The body is not compressed any more. */
const SENT = ['accept', 'content-type', 'destination', 'if-match', 'x-couch-full-commit', 'content-md5']

/** @param {PotorooRequest} req @returns {Record<string, string>} */
function sentHeaders ({ headers }) {
  return Object.fromEntries(SENT.filter(name => headers[name] !== undefined).map(name => [name, /** @type {string} */ (headers[name])]))
}

/**
 * `POST /{db}`: a document without an id gets one here, as it says which shard it goes to.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function newDocument (coordinator, res) {
  const { req, service } = coordinator
  requireContentType(req, 'application/json')
  const bytes = await readBody(req, service.jsonLimit)
  const doc = await parseBytes(req, bytes, 0)
  if (!isObject(doc) || (doc._id !== undefined && typeof doc._id !== 'string')) return coordinator.pass(0, { body: bytes })
  const id = doc._id ?? newId()
  const body = doc._id === undefined ? withId(bytes, id) : bytes
  if (!isDesign(id)) return coordinator.pass(coordinator.shardOf(id), { body })
  await writeDesign(coordinator, id, res, { method: 'POST', path: req.search === '' ? '' : `?${req.search}`, headers: sentHeaders(req), body })
}

/** Adds an id to the text of a document that has none. @param {Buffer} bytes @param {string} id */
function withId (bytes, id) {
  const start = bytes.indexOf('{') + 1
  const isEmpty = /^\s*\}/.test(bytes.toString('latin1', start, start + 64)) || bytes.toString('latin1', start).trim() === '}'
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(`"_id":${JSON.stringify(id)}${isEmpty ? '' : ','}`), bytes.subarray(start)])
}

/**
 * `COPY /{db}/{doc}`: to another shard it is read, and written.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function copy (coordinator, res) {
  const { req } = coordinator
  const source = /** @type {string} */ (idOf(req))
  const target = readDestination(req.headers.destination)
  const from = coordinator.shardOf(source)
  const to = coordinator.shardOf(target._id)
  if (from === to && !isDesign(target._id)) return coordinator.pass(from)
  const rev = new URLSearchParams(req.search).get('rev') ?? req.headers['if-match']?.trim().replace(/^"(.*)"$/, '$1')
  const query = `attachments=true${rev === undefined ? '' : `&rev=${encodeURIComponent(rev)}`}`
  const text = (await (await coordinator.askOrFail(from, { path: `${pathOf(source)}?${query}`, headers: { accept: 'application/json' } })).bytes()).toString()
  const body = text.replace(NAMES, '{')
  const path = pathOf(target._id) + (target._rev === undefined ? '' : `?rev=${target._rev}`)
  await writeDocument(coordinator, target._id, res, { method: 'PUT', path, body })
}

/** The id and the revision that a document begins with. */
const NAMES = /^\{"_id":"(?:[^"\\]|\\.)*","_rev":"[^"]*",?/

/**
 * @param {Coordinator} coordinator
 * @param {string} id
 * @param {PotorooResponse} res
 * @param {import('./coordinator').Question} question
 */
async function writeDocument (coordinator, id, res, question) {
  if (isDesign(id)) return writeDesign(coordinator, id, res, question)
  const answer = await coordinator.askOrFail(coordinator.shardOf(id), question)
  await relay(res, answer)
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  document: { answer: ofDocument, passes: true },
  read: { answer: readDocument, passes: true },
  partition: { answer: coordinator => coordinator.pass(coordinator.shardOf(`${coordinator.req.params.partition}:`)), passes: true },
  any: { answer: coordinator => coordinator.pass(0), passes: true },
  copy: { answer: copy },
  new: { answer: newDocument, readsItself: true }
}
