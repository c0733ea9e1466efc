'use strict'

const { carryNames, namesOf } = require('./carried-text')
const { chooseExact, markedOf, parseExact, unmarkText } = require('./exact-json')
const { LARGE, parseInTurns } = require('./large/parse')
const { stringifyInTurns } = require('./large/stringify')
const { stringifyInOrder } = require('./sent-names')
const { carryBody } = require('./sent-text')

/**
 * A document in CouchDB's JSON form, as an object and as text.
 *
 * @typedef {import('../..').Document} Document
 * @typedef {import('../..').AttachmentInfo} AttachmentInfo
 */

/**
 * @typedef {object} ObjectOptions
 * @property {(data: Buffer, info: AttachmentInfo) => any} [attachmentData]
 * @property {boolean} [exact] whether it is to be written again, with its members as they are stored
 */

/**
 * @param {Document} document
 * @param {ObjectOptions} [options]
 * @returns {Record<string, any>}
 */
function toObject (document, { attachmentData = toBase64, exact = false } = {}) {
  const object = specialMembers(document, attachmentData)
  if (!exact) return Object.assign(object, JSON.parse(document.body))
  carryBody(object, document.body, Object.keys(object))
  return Object.assign(object, parseExact(document.body))
}

/**
 * The same, in turns where the document is large.
 *
 * @param {Document} document
 * @param {ObjectOptions} [options]
 * @returns {Record<string, any> | Promise<Record<string, any>>} a promise of a large one; its special members come last
 */
function toObjectInTurns (document, options) {
  return document.body.length <= LARGE ? toObject(document, options) : largeObject(document, options)
}

/**
 * To copy very many members takes longer than to parse them.
 *
 * @param {Document} document
 */
async function largeObject (document, { attachmentData = toBase64, exact = false } = /** @type {ObjectOptions} */ ({})) {
  const special = specialMembers(document, attachmentData)
  const object = withMembers(await parseInTurns(document.body, { exact }), special)
  if (exact) carryBody(object, document.body, Object.keys(special))
  return object
}

/**
 * Sets members that an object of very many does not have.
 *
 * @param {Record<string, any>} object
 * @param {Record<string, any>} members
 */
function withMembers (object, members) {
  const names = namesOf(object).concat(Object.keys(members))
  Object.assign(object, members)
  carryNames(object, names)
  return object
}

/**
 * A document to be written again with other special members. The others are carried as text alone: nobody sees them.
 *
 * @param {Document} document
 * @returns {Record<string, any>}
 */
function toEditable (document) {
  const special = specialMembers(document, toBase64)
  carryBody(special, document.body, Object.keys(special))
  return special
}

/**
 * JSON of what is chosen of a document, with its integers as they came, in turns where it is large.
 *
 * @param {Document} document
 * @param {(value: any) => any} choose takes values as they are, or leaves them out
 * @param {{ encodings?: boolean }} [options]
 * @returns {string | Promise<string>}
 */
function chooseInTurns (document, choose, options = {}) {
  return document.body.length <= LARGE ? chooseExact(toJson(document, options), choose) : chooseOfLarge(document, choose, options)
}

/** @param {Document} document @param {(value: any) => any} choose */
async function chooseOfLarge (document, choose, { encodings = false } = /** @type {{ encodings?: boolean }} */ ({})) {
  const marked = markedOf(await parseInTurns(document.body, { exact: true }))
  return unmarkText(await stringifyInTurns(choose(withMembers(marked, specialMembers(document, toBase64, encodings)))))
}

/** @param {Document} document @param {(data: Buffer, info: AttachmentInfo) => any} attachmentData */
function specialMembers (document, attachmentData, encodings = false) {
  /** @type {Record<string, any>} */
  const object = { _id: document.id, _rev: document.rev }
  if (document.deleted) object._deleted = true
  if (document.revisions !== undefined) object._revisions = document.revisions
  if (document.revsInfo !== undefined) object._revs_info = document.revsInfo
  if (document.conflicts !== undefined) object._conflicts = document.conflicts
  if (document.deletedConflicts !== undefined) object._deleted_conflicts = document.deletedConflicts
  if (document.localSeq !== undefined) object._local_seq = document.localSeq
  if (document.attachments !== null && document.attachments !== undefined) {
    object._attachments = attachmentsForm(document.attachments, attachmentData, encodings)
  }
  return object
}

/** @param {Buffer} data */
function toBase64 (data) {
  return data.toString('base64')
}

/**
 * @param {Record<string, AttachmentInfo>} attachments
 * @param {(data: Buffer, info: AttachmentInfo) => any} attachmentData
 */
function attachmentsForm (attachments, attachmentData, encodings = false) {
  const names = namesOf(attachments)
  const form = Object.fromEntries(names.map(name => [name, attachmentForm(attachments[name], attachmentData, encodings)]))
  carryNames(form, names)
  return form
}

/**
 * @param {AttachmentInfo} info
 * @param {(data: Buffer, info: AttachmentInfo) => any} attachmentData
 * @param {boolean} encodings
 */
function attachmentForm (info, attachmentData, encodings) {
  const { contentType, revpos, digest, length, data } = info
  const form = { content_type: contentType, revpos, digest, ...(data === undefined ? { length, stub: true } : { data: attachmentData(data, info) }) }
  return encodings ? { ...form, ...encodingForm(info) } : form
}

/**
 * Returns what `att_encoding_info` asks for.
 *
 * @param {AttachmentInfo} options
 */
function encodingForm ({ encoding, encodedLength }) {
  return encoding === undefined ? {} : { encoding, encoded_length: encodedLength }
}

/**
 * The same as text, which is spliced around the stored body; that is not parsed. Facts about the
 * revision come after the body, as in CouchDB.
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

/** @param {Document} document @param {boolean} encodings */
function tailOf (document, encodings) {
  let text = ''
  if (document.revisions !== undefined) text += `,"_revisions":${JSON.stringify(document.revisions)}`
  if (document.revsInfo !== undefined) text += `,"_revs_info":${JSON.stringify(document.revsInfo)}`
  if (document.conflicts !== undefined) text += `,"_conflicts":${JSON.stringify(document.conflicts)}`
  if (document.deletedConflicts !== undefined) text += `,"_deleted_conflicts":${JSON.stringify(document.deletedConflicts)}`
  if (document.localSeq !== undefined) text += `,"_local_seq":${document.localSeq}`
  if (document.attachments !== null && document.attachments !== undefined) {
    text += `,"_attachments":${stringifyInOrder(attachmentsForm(document.attachments, toBase64, encodings))}`
  }
  return text
}

module.exports = { chooseInTurns, encodingForm, toEditable, toJson, toObject, toObjectInTurns }
