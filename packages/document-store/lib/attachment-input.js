'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { isWellFormed } = require('./storable')

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const DEFAULT_TYPE = 'application/octet-stream'

/**
 * One member of `_attachments`.
 *
 * @typedef {object} AttachmentInput
 * @property {string} name
 * @property {string | null} contentType
 * @property {boolean} stub
 * @property {Buffer | AsyncIterable<Uint8Array> | null} data
 * @property {string | null} digest of the data, or as the stub says
 * @property {number | null} length
 * @property {number | null} revpos
 * @property {import('./uploads').Upload | null} upload set once streamed data is stored
 */

/**
 * @param {unknown} attachments the value of `_attachments`
 * @returns {AttachmentInput[] | null} throws what CouchDB answers
 */
function parseAttachments (attachments) {
  if (typeof attachments !== 'object' || attachments === null || Array.isArray(attachments)) {
    throw createError('BAD_REQUEST', { reason: '_attachments must be a JSON object' })
  }
  const inputs = Object.keys(attachments).map((name) => parseAttachment(name, attachments[name]))
  return inputs.length === 0 ? null : inputs
}

function parseAttachment (name, value) {
  validateName(name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw createError('BAD_REQUEST', { reason: `Attachment ${name} must be a JSON object` })
  }
  const input = {
    name,
    contentType: parseType(name, value.content_type),
    stub: value.stub === true,
    data: null,
    digest: typeof value.digest === 'string' ? value.digest : null,
    length: Number.isSafeInteger(value.length) ? value.length : null,
    revpos: Number.isSafeInteger(value.revpos) && value.revpos > 0 ? value.revpos : null,
    upload: null
  }
  if (!input.stub) parseData(input, value.data)
  return input
}

function validateName (name) {
  if (name === '') throw createError('BAD_REQUEST', { reason: 'Attachment name must not be empty' })
  if (name.charCodeAt(0) === 95) {
    throw createError('BAD_REQUEST', { reason: `Attachment name '${name}' starts with prohibited character '_'` })
  }
  if (!isWellFormed(name)) throw createError('BAD_REQUEST', { reason: 'Attachment name is not UTF-8 encoded' })
}

function parseType (name, type) {
  if (type === undefined || type === null) return null
  if (typeof type !== 'string') throw createError('BAD_REQUEST', { reason: `Invalid content type for ${name}` })
  return type
}

/**
 * A digest or a length that comes with data is of what was there before it was edited, or of
 * CouchDB's compressed content: the data counts. A stream has to be as long as announced.
 */
function parseData (input, data) {
  input.contentType ??= DEFAULT_TYPE
  if (typeof data?.[Symbol.asyncIterator] === 'function') {
    input.data = data
    return
  }
  input.data = parseBytes(input.name, data)
  input.length = input.data.length
  input.digest = digestOf(input.data)
}

function parseBytes (name, data) {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (typeof data !== 'string' || data.length % 4 === 1 || !BASE64.test(data)) {
    throw createError('BAD_REQUEST', { reason: `Invalid attachment data for ${name}` })
  }
  return Buffer.from(data, 'base64')
}

function digestOf (bytes) {
  return 'md5-' + crypto.hash('md5', bytes, 'base64')
}

function lengthMismatch (input) {
  return createError('BAD_REQUEST', { reason: `Attachment ${input.name} does not have the length that was announced` })
}

module.exports = { parseAttachments, validateName, lengthMismatch, DEFAULT_TYPE }
