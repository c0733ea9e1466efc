'use strict'

const { attachmentForm, encodingForm, toBase64 } = require('../json/attachment-form')
const { carryNames, namesOf } = require('../json/carried-text')
const { parseInOrder, stringifyInOrder } = require('../json/sent-names')
const { setOwn } = require('../json/set-own')
const { inTurns, mapInTurns } = require('../json/turn')
const { parseInTurns } = require('./parse')

/**
 * Attachments of one document, of which there may be very many: others get their turns while those are read. They carry
 * their JSON, too: whoever shows them writes it in one go.
 *
 * @typedef {import('../..').AttachmentInfo} AttachmentInfo
 * @typedef {Record<string, AttachmentInfo>} Attachments
 * @typedef {import('../json/attachment-form').AttachmentData} AttachmentData
 */

/** UTF-16 units of stored attachments that are read in one go. */
const LARGE = 128 * 1024

/** Attachments that are written in one go. */
const MANY = 1000

/** Attachments that are looked at between two looks at the clock: some have content. */
const EVERY = 8

/** JSON of attachments as they are shown, by whether they say how they are stored. @type {WeakMap<object, { plain: string, encodings: string }>} */
const shown = new WeakMap()

/**
 * @param {string} text as stored, '' for none
 * @returns {Attachments | null | Promise<Attachments>} a promise of very many
 */
function readAttachments (text) {
  if (text === '') return null
  return text.length <= LARGE ? parseInOrder(text) : readMany(text)
}

/**
 * The same, where they are not shown, in any order.
 *
 * @param {string} text as stored, not ''
 * @returns {Attachments | Promise<Attachments>}
 */
function parseAttachments (text) { return text.length <= LARGE ? JSON.parse(text) : parseInTurns(text) }

/** @param {string} text @returns {Promise<Attachments>} */
async function readMany (text) {
  const attachments = await parseInTurns(text)
  await carryShown(attachments)
  return attachments
}

/** Whether there are very many. @param {Attachments | null | undefined} attachments as they were read */
function areMany (attachments) { return attachments !== null && attachments !== undefined && shown.has(attachments) }

/**
 * Has very many attachments carry their JSON as they are now.
 *
 * @param {Attachments} attachments
 */
async function carryShown (attachments) {
  let plain = '{'
  let encodings = ''
  await inTurns(namesOf(attachments), (name, i) => {
    const info = attachments[name]
    const text = `${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(attachmentForm(info, toBase64, false))}`
    if (encodings === '' && info.encoding !== undefined) encodings = plain
    if (encodings !== '') encodings += info.encoding === undefined ? text : `${text.slice(0, -1)},${JSON.stringify(encodingForm(info)).slice(1)}`
    plain += text
  }, EVERY)
  shown.set(attachments, { plain: `${plain}}`, encodings: `${encodings || plain}}` })
}

/**
 * The JSON that very many attachments carry.
 *
 * @param {Attachments} attachments
 * @param {boolean} encodings whether they say how they are stored
 * @returns {string | undefined} undefined of fewer
 */
function shownText (attachments, encodings) { return shown.get(attachments)?.[encodings ? 'encodings' : 'plain'] }

/**
 * Very many attachments as an object of CouchDB's form.
 *
 * @param {Attachments} attachments
 * @param {AttachmentData} attachmentData
 * @param {boolean} encodings
 */
async function formInTurns (attachments, attachmentData, encodings) {
  const names = namesOf(attachments)
  const form = {}
  await inTurns(names, name => { setOwn(form, name, attachmentForm(attachments[name], attachmentData, encodings)) }, EVERY)
  carryNames(form, names)
  return form
}

/**
 * Returns what is stored of attachments: their JSON.
 *
 * @param {Attachments} attachments
 * @returns {string | Promise<string>} a promise where it takes long
 */
function storedText (attachments) {
  const names = namesOf(attachments)
  if (names.length <= MANY) return stringifyInOrder(attachments)
  const members = mapInTurns(names, name => `${JSON.stringify(name)}:${JSON.stringify(attachments[name])}`)
  return members instanceof Promise ? members.then(textOf) : textOf(members)
}

/** @param {string[]} members */
function textOf (members) { return `{${members.join()}}` }

module.exports = { LARGE, MANY, areMany, carryShown, formInTurns, parseAttachments, readAttachments, shownText, storedText }
