'use strict'

const { attachmentForm, encodingForm, toBase64 } = require('./attachment-form')
const { carryNames, namesOf } = require('./carried-text')
const { chooseExact, markedOf, parseExact, unmarkText } = require('./exact-json')
const { areMany, formInTurns, shownText } = require('../large-json/attachments')
const { LARGE, parseInTurns } = require('../large-json/parse')
const { stringifyInTurns } = require('../large-json/stringify')
const { stringifyInOrder } = require('./sent-names')
const { carryBody } = require('./sent-text')

/**
 * A document in CouchDB's JSON form, as an object and as text.
 *
 * @typedef {import('../..').Document} Document
 * @typedef {import('../..').AttachmentInfo} AttachmentInfo
 * @typedef {import('./attachment-form').AttachmentData} AttachmentData
 */

/**
 * @typedef {object} ObjectOptions
 * @property {AttachmentData} [attachmentData]
 * @property {boolean} [exact] whether it is to be written again, with its members as they are stored
 */

/**
 * @param {Document} document
 * @param {ObjectOptions} [options]
 * @returns {Record<string, any>}
 */
function toObject (document, { attachmentData = toBase64, exact = false } = {}) {
  return withBody(specialMembers(document, attachmentsForm(document, attachmentData)), document.body, exact)
}

/** @param {Record<string, any>} object @param {string} body @param {boolean} exact */
function withBody (object, body, exact) {
  if (!exact) return Object.assign(object, JSON.parse(body))
  carryBody(object, body, Object.keys(object))
  return Object.assign(object, parseExact(body))
}

/**
 * The same, in turns where the document is large.
 *
 * @param {Document} document
 * @param {ObjectOptions} [options]
 * @returns {Record<string, any> | Promise<Record<string, any>>} a promise of a large one; the special members of a large body come last
 */
function toObjectInTurns (document, options) {
  return isLarge(document) ? largeObject(document, options) : toObject(document, options)
}

/** @param {Document} document */
function isLarge ({ body, attachments }) { return body.length > LARGE || areMany(attachments) }

/**
 * To copy very many members takes longer than to parse them.
 *
 * @param {Document} document
 */
async function largeObject (document, { attachmentData = toBase64, exact = false } = /** @type {ObjectOptions} */ ({})) {
  const special = specialMembers(document, await largeAttachmentsForm(document, attachmentData))
  if (document.body.length <= LARGE) return withBody(special, document.body, exact)
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
  const special = specialMembers(document, attachmentsForm(document, toBase64))
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
  return isLarge(document) ? chooseOfLarge(document, choose, options) : chooseExact(toJson(document, options), choose)
}

/** @param {Document} document @param {(value: any) => any} choose */
async function chooseOfLarge (document, choose, { encodings = false } = /** @type {{ encodings?: boolean }} */ ({})) {
  const marked = markedOf(await parseInTurns(document.body, { exact: true }))
  const special = specialMembers(document, await largeAttachmentsForm(document, toBase64, encodings))
  return unmarkText(await stringifyInTurns(choose(withMembers(marked, special))))
}

/** @param {Document} document @param {Record<string, any> | undefined} attachments in their JSON form */
function specialMembers (document, attachments) {
  /** @type {Record<string, any>} */
  const object = { _id: document.id, _rev: document.rev }
  if (document.deleted) object._deleted = true
  if (document.revisions !== undefined) object._revisions = document.revisions
  if (document.revsInfo !== undefined) object._revs_info = document.revsInfo
  if (document.conflicts !== undefined) object._conflicts = document.conflicts
  if (document.deletedConflicts !== undefined) object._deleted_conflicts = document.deletedConflicts
  if (document.localSeq !== undefined) object._local_seq = document.localSeq
  if (document.meta !== undefined) object._meta = metaForm(document.meta)
  if (attachments !== undefined) object._attachments = attachments
  return object
}

/**
 * Returns the last change of a document in its JSON form.
 *
 * @param {import('../..').Origin} origin
 */
function metaForm ({ time, user, seq }) {
  return { time: time === 0 ? null : new Date(time).toISOString(), user, ...(seq !== undefined && { seq }) }
}

/**
 * @param {Document} document
 * @param {AttachmentData} attachmentData
 * @returns {Record<string, any> | undefined} undefined of one that has none
 */
function attachmentsForm ({ attachments }, attachmentData, encodings = false) {
  if (attachments === null || attachments === undefined) return undefined
  const names = namesOf(attachments)
  const form = Object.fromEntries(names.map(name => [name, attachmentForm(attachments[name], attachmentData, encodings)]))
  carryNames(form, names)
  return form
}

/**
 * The same, in turns where they are very many.
 *
 * @param {Document} document
 * @param {AttachmentData} attachmentData
 */
function largeAttachmentsForm (document, attachmentData, encodings = false) {
  if (!areMany(document.attachments)) return attachmentsForm(document, attachmentData, encodings)
  return formInTurns(/** @type {Record<string, AttachmentInfo>} */ (document.attachments), attachmentData, encodings)
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
  if (document.meta !== undefined) text += `,"_meta":${JSON.stringify(metaForm(document.meta))}`
  if (document.attachments !== null && document.attachments !== undefined) {
    const attachments = shownText(document.attachments, encodings) ?? stringifyInOrder(/** @type {object} */ (attachmentsForm(document, toBase64, encodings)))
    text += `,"_attachments":${attachments}`
  }
  return text
}

module.exports = { chooseInTurns, encodingForm, metaForm, toEditable, toJson, toObject, toObjectInTurns }
