'use strict'

const { carrySent, parseExact } = require('@potoroo/document-store')
const { ImportError } = require('../import/import-error')

/** @type {(value: unknown) => value is Record<string, any>} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @type {(value: unknown) => value is string} */
const isText = value => typeof value === 'string'
/** @type {(value: unknown) => value is number} */
const isCount = value => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Types of members: the target checks what is in them. */
const ATTACHMENT = { content_type: isText, digest: isText, length: isCount, revpos: isCount }

/**
 * A line of an export: a leaf revision, or a local document.
 *
 * @param {string} file for messages
 * @param {Buffer} line
 * @param {number} at where it begins
 * @returns {any} JSON
 * @throws EXPORT_DAMAGED where it is none: whoever can write to a file can make its checksum right, too
 */
function parseDocument (file, line, at) {
  const doc = parse(line, parseSent)
  if (doc !== null && isText(doc._id) && isText(doc._rev) && (doc._id.startsWith('_local/') || isLeaf(doc))) return doc
  throw odd(file, at)
}

/**
 * With numbers and members as they came.
 *
 * @param {string} text
 */
function parseSent (text) {
  const doc = parseExact(text)
  carrySent(doc, text, 0)
  return doc
}

/**
 * A line of an attachment's content.
 *
 * @param {string} file for messages
 * @param {Buffer} line
 * @param {number} at where it begins
 * @returns {{ attachment: string, at: number, data: string }}
 * @throws EXPORT_DAMAGED
 */
function parseContent (file, line, at) {
  const content = parse(line, JSON.parse)
  if (content !== null && isText(content.attachment) && isCount(content.at) && isText(content.data)) return /** @type {any} */ (content)
  throw odd(file, at)
}

/** @param {Record<string, any>} doc */
function isLeaf ({ _revisions: revisions, _attachments: attachments = {}, _deleted: deleted = false }) {
  return isObject(revisions) && isCount(revisions.start) && Array.isArray(revisions.ids) && revisions.ids.every(isText) &&
    typeof deleted === 'boolean' && isObject(attachments) && Object.values(attachments).every(isAttachment)
}

/** @param {unknown} info */
function isAttachment (info) {
  return isObject(info) && Object.entries(ATTACHMENT).every(([name, is]) => is(info[name])) && (info.follows === true || isText(info.data))
}

/** @param {Buffer} line @param {(text: string) => unknown} parser @returns {Record<string, any> | null} */
function parse (line, parser) {
  try {
    const value = parser(line.toString())
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** @param {string} source @param {number} at */
function odd (source, at) { return new ImportError('EXPORT_DAMAGED', { source, why: `has a line at byte ${at} that is none of an export` }) }

module.exports = { parseContent, parseDocument }
