'use strict'

const { parseExact } = require('./exact-json')
const { carryBody } = require('./sent-text')

/**
 * A document in CouchDB's JSON form, as an object and as text.
 *
 * @typedef {import('..').Document} Document
 * @typedef {import('..').AttachmentInfo} AttachmentInfo
 */

/**
 * @param {Document} document
 * @param {{ attachmentData?: (data: Buffer, info: AttachmentInfo) => any, exact?: boolean }} [options] exact:
 *   whether it is to be written again, with its members as they are stored
 * @returns {Record<string, any>}
 */
function toObject (document, { attachmentData = toBase64, exact = false } = {}) {
  const object = { _id: document.id, _rev: document.rev }
  if (document.deleted) object._deleted = true
  if (document.revisions !== undefined) object._revisions = document.revisions
  if (document.revsInfo !== undefined) object._revs_info = document.revsInfo
  if (document.conflicts !== undefined) object._conflicts = document.conflicts
  if (document.deletedConflicts !== undefined) object._deleted_conflicts = document.deletedConflicts
  if (document.localSeq !== undefined) object._local_seq = document.localSeq
  if (document.attachments !== null && document.attachments !== undefined) {
    object._attachments = attachmentsForm(document.attachments, attachmentData)
  }
  if (!exact) return Object.assign(object, JSON.parse(document.body))
  carryBody(object, document.body)
  return Object.assign(object, parseExact(document.body))
}

function toBase64 (data) {
  return data.toString('base64')
}

function attachmentsForm (attachments, attachmentData, encodings = false) {
  return Object.fromEntries(Object.entries(attachments).map(([name, info]) => [name, attachmentForm(info, attachmentData, encodings)]))
}

function attachmentForm (info, attachmentData, encodings) {
  const { contentType, revpos, digest, length, data } = info
  const form = { content_type: contentType, revpos, digest, ...(data === undefined ? { length, stub: true } : { data: attachmentData(data, info) }) }
  return encodings ? { ...form, ...encodingForm(info) } : form
}

/** What `att_encoding_info` asks for. */
function encodingForm ({ encoding, encodedLength }) {
  return encoding === undefined ? {} : { encoding, encoded_length: encodedLength }
}

/**
 * The same as text, which is spliced around the stored body; that is not parsed. What is known of the
 * revision comes after the body, as in CouchDB.
 *
 * @param {Document} document
 * @param {{ encodings?: boolean }} [options] whether attachments say how they are stored
 * @returns {string}
 */
function toJson (document, { encodings = false } = {}) {
  const head = `{"_id":${JSON.stringify(document.id)},"_rev":${JSON.stringify(document.rev)}${document.deleted ? ',"_deleted":true' : ''}`
  const tail = tailOf(document, encodings)
  if (document.body === '{}') return `${head}${tail}}`
  return tail === '' ? `${head},${document.body.slice(1)}` : `${head},${document.body.slice(1, -1)}${tail}}`
}

function tailOf (document, encodings) {
  let text = ''
  if (document.revisions !== undefined) text += `,"_revisions":${JSON.stringify(document.revisions)}`
  if (document.revsInfo !== undefined) text += `,"_revs_info":${JSON.stringify(document.revsInfo)}`
  if (document.conflicts !== undefined) text += `,"_conflicts":${JSON.stringify(document.conflicts)}`
  if (document.deletedConflicts !== undefined) text += `,"_deleted_conflicts":${JSON.stringify(document.deletedConflicts)}`
  if (document.localSeq !== undefined) text += `,"_local_seq":${document.localSeq}`
  if (document.attachments !== null && document.attachments !== undefined) {
    text += `,"_attachments":${JSON.stringify(attachmentsForm(document.attachments, toBase64, encodings))}`
  }
  return text
}

module.exports = { encodingForm, toObject, toJson }
