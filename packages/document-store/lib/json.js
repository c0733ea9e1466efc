'use strict'

/**
 * A document in CouchDB's JSON form, as an object and as text.
 *
 * @typedef {import('..').Document} Document
 * @typedef {import('..').AttachmentInfo} AttachmentInfo
 */

/**
 * @param {Document} document
 * @param {{ attachmentData?: (data: Buffer, info: AttachmentInfo) => any }} [options]
 * @returns {Record<string, any>}
 */
function toObject (document, { attachmentData = toBase64 } = {}) {
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
  return Object.assign(object, JSON.parse(document.body))
}

function toBase64 (data) {
  return data.toString('base64')
}

function attachmentsForm (attachments, attachmentData) {
  return Object.fromEntries(Object.entries(attachments).map(([name, info]) => [name, attachmentForm(info, attachmentData)]))
}

function attachmentForm (info, attachmentData) {
  const { contentType, revpos, digest, length, data } = info
  if (data === undefined) return { content_type: contentType, revpos, digest, length, stub: true }
  return { content_type: contentType, revpos, digest, data: attachmentData(data, info) }
}

/**
 * The same as text: members are spliced in front of the stored body, which is not parsed.
 *
 * @param {Document} document
 * @returns {string}
 */
function toJson (document) {
  let text = `{"_id":${JSON.stringify(document.id)},"_rev":${JSON.stringify(document.rev)}`
  if (document.deleted) text += ',"_deleted":true'
  if (document.revisions !== undefined) text += `,"_revisions":${JSON.stringify(document.revisions)}`
  if (document.revsInfo !== undefined) text += `,"_revs_info":${JSON.stringify(document.revsInfo)}`
  if (document.conflicts !== undefined) text += `,"_conflicts":${JSON.stringify(document.conflicts)}`
  if (document.deletedConflicts !== undefined) text += `,"_deleted_conflicts":${JSON.stringify(document.deletedConflicts)}`
  if (document.localSeq !== undefined) text += `,"_local_seq":${document.localSeq}`
  if (document.attachments !== null && document.attachments !== undefined) {
    text += `,"_attachments":${JSON.stringify(attachmentsForm(document.attachments, toBase64))}`
  }
  return document.body === '{}' ? text + '}' : `${text},${document.body.slice(1)}`
}

module.exports = { toObject, toJson }
