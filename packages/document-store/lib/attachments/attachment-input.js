'use strict'

const crypto = require('node:crypto')
const { badRequest, createError } = require('@potoroo/errors')
const { decodedLength, decodeSlices, isBase64, withoutBlanks } = require('./base64')
const { namesOf } = require('../json/carried-text')
const { MANY } = require('../large-json/attachments')
const { mapInTurns } = require('../json/turn')
const { isWellFormed } = require('../commit/storable')

const DEFAULT_TYPE = 'application/octet-stream'

/** Attachments that are parsed between two looks at the clock: some have content. */
const AT_ONCE = 8

/** Bytes above which content is not put into the commit itself but stored ahead of it, as streams are. */
const LARGE = 4 * 1024 * 1024

/**
 * One member of `_attachments`.
 *
 * @typedef {object} AttachmentInput
 * @property {string} name
 * @property {string | null} contentType
 * @property {boolean} stub
 * @property {Buffer | null} data all of it as stored, where it is small
 * @property {import('./announced-stream').Source | null} source what is read while it is stored
 * @property {string | null} digest of the stored bytes, as the stub says, or as announced for `source`
 * @property {number | null} length of the stored bytes
 * @property {'gzip' | 'identity' | null} encoding of the stored bytes; 'identity' only of a stub that says so
 * @property {number | null} plainLength of the content, where it is encoded and that is known
 * @property {number | null} revpos
 * @property {import('./uploads').Upload | null} upload set once the source is stored
 */

/**
 * @param {any} attachments the value of `_attachments`
 * @returns {AttachmentInput[] | null} throws what CouchDB answers
 */
function parseAttachments (attachments) {
  if (typeof attachments !== 'object' || attachments === null || Array.isArray(attachments)) {
    throw createError('DOC_VALIDATION', { reason: 'Bad special document member: _attachments' })
  }
  const known = takeAhead(attachments)
  if (known instanceof Error) throw known
  const inputs = known ?? namesOf(attachments).map((name) => parseAttachment(name, attachments[name]))
  return inputs.length === 0 ? null : inputs
}

/** Very many that were parsed ahead, or why they are refused. @type {WeakMap<object, AttachmentInput[] | Error>} */
const ahead = new WeakMap()

/**
 * Parses very many, with others in between, for the next `parseAttachments` of them.
 *
 * @param {unknown} attachments
 * @returns {void | Promise<void>} a promise of very many
 */
function parseAhead (attachments) {
  if (typeof attachments !== 'object' || attachments === null || Array.isArray(attachments)) return
  const names = namesOf(attachments)
  if (names.length > MANY) return parseMany(attachments, names)
}

/** @param {Record<string, any>} attachments @param {string[]} names */
async function parseMany (attachments, names) {
  try {
    ahead.set(attachments, await mapInTurns(names, (name) => parseAttachment(name, attachments[name]), AT_ONCE))
  } catch (error) {
    ahead.set(attachments, error)
  }
}

/** @param {object} attachments */
function takeAhead (attachments) {
  const inputs = ahead.get(attachments)
  ahead.delete(attachments)
  return inputs
}

/** @param {string} name @param {Record<string, any>} value */
function parseAttachment (name, value) {
  validateName(name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`Attachment ${name} must be a JSON object`)
  }
  /** @type {AttachmentInput} */
  const input = {
    name,
    contentType: parseType(name, value.content_type),
    stub: value.stub === true,
    data: null,
    source: null,
    digest: typeof value.digest === 'string' ? value.digest : null,
    length: Number.isSafeInteger(value.length) ? value.length : null,
    encoding: null,
    plainLength: null,
    revpos: Number.isSafeInteger(value.revpos) && value.revpos > 0 ? value.revpos : null,
    upload: null
  }
  if (value.encoding === 'gzip') parseEncoding(input, value)
  else if (input.stub && value.encoding === 'identity') input.encoding = 'identity'
  if (!input.stub) parseData(input, value.data)
  return input
}

/**
 * Content that is encoded already, which only a stream or bytes can be: `length` is that of what it
 * means. Base64 in JSON is never, whatever it says, in CouchDB either.
 *
 * @param {AttachmentInput} input
 * @param {Record<string, any>} given
 */
function parseEncoding (input, { encoded_length: encodedLength, data }) {
  if (typeof data === 'string') return
  input.encoding = 'gzip'
  input.plainLength = input.length
  input.length = Number.isSafeInteger(encodedLength) ? encodedLength : null
}

/** @param {string} name */
function validateName (name) {
  if (name === '') throw badRequest('Attachment name must not be empty')
  if (name.charCodeAt(0) === 95) {
    throw badRequest(`Attachment name '${name}' starts with prohibited character '_'`)
  }
  if (!isWellFormed(name)) throw badRequest('Attachment name is not UTF-8 encoded')
}

/** @param {string} name @param {unknown} type */
function parseType (name, type) {
  if (type === undefined || type === null) return null
  if (typeof type !== 'string') throw badRequest(`Invalid content type for ${name}`)
  return type
}

/**
 * Takes the content. A digest or a length that comes with data is of what was there before it was edited:
 * the data counts, as in CouchDB. A stream has to be as announced.
 *
 * @param {AttachmentInput} input
 * @param {any} data
 */
function parseData (input, data) {
  if (isBlob(data)) parseBlob(input, data)
  else if (typeof data?.[Symbol.asyncIterator] === 'function') input.source = data
  else parseContent(input, data)
  input.contentType ??= DEFAULT_TYPE
}

/**
 * Tells a Blob or File of any realm; one from `fs.openAsBlob` is read from its file.
 *
 * @param {any} data
 */
function isBlob (data) {
  return typeof data?.stream === 'function' && typeof data.size === 'number' && typeof data.arrayBuffer === 'function'
}

/** @param {AttachmentInput} input @param {Blob} blob */
function parseBlob (input, blob) {
  input.source = blobContent(blob)
  input.length = blob.size
  input.digest = null
  if (blob.type) input.contentType ??= blob.type
}

/**
 * Begins to read only when it is asked.
 *
 * @param {Blob} blob
 */
async function * blobContent (blob) {
  yield * blob.stream()
}

/** @param {AttachmentInput} input @param {any} given */
function parseContent (input, given) {
  const text = typeof given === 'string'
  const data = text ? withoutBlanks(given) : given
  if (text ? !isBase64(data) : !(data instanceof Uint8Array)) {
    throw badRequest(`Invalid attachment data for ${input.name}`)
  }
  const length = text ? decodedLength(data) : data.length
  input.length = length
  if (length > LARGE) {
    input.digest = null
    input.source = text ? decodeSlices(data) : once(data)
  } else {
    input.data = text ? Buffer.from(data, 'base64') : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    input.digest = digestOf(input.data)
  }
}

/** @param {Uint8Array} bytes */
async function * once (bytes) {
  yield bytes
}

/** @param {Uint8Array} bytes */
function digestOf (bytes) {
  return 'md5-' + crypto.hash('md5', bytes, 'base64')
}

module.exports = { parseAhead, parseAttachments, digestOf, DEFAULT_TYPE }
