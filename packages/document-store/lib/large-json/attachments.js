'use strict'

const { attachmentForm, encodingForm, toBase64 } = require('../json/attachment-form')
const { carryNames, namesOf } = require('../json/carried-text')
const { parseInOrder, stringifyInOrder } = require('../json/sent-names')
const { setOwn } = require('../json/set-own')
const { inTurns } = require('../json/turn')
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

/** Members of JSON that become one text in one go. */
const TOGETHER = 500

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
  const plain = new Members()
  /** @type {Members | undefined} */
  let encodings
  await inTurns(namesOf(attachments), (name) => {
    const info = attachments[name]
    const text = `${JSON.stringify(name)}:${JSON.stringify(attachmentForm(info, toBase64, false))}`
    if (info.encoding !== undefined) encodings ??= plain.copy()
    encodings?.add(info.encoding === undefined ? text : `${text.slice(0, -1)},${JSON.stringify(encodingForm(info)).slice(1)}`)
    plain.add(text)
  }, EVERY)
  const text = plain.toString()
  shown.set(attachments, { plain: text, encodings: encodings?.toString() ?? text })
}

/** The members of an object's JSON, of which some become one text at a time: that of very many pieces takes V8 long. */
class Members {
  /** @type {string[]} */
  #pieces = []
  /** @type {string[]} */
  #texts = []

  /** @param {string} member */
  add (member) {
    if (this.#pieces.push(member) === TOGETHER) this.#join()
  }

  copy () {
    const copy = new Members()
    copy.#pieces = [...this.#pieces]
    copy.#texts = [...this.#texts]
    return copy
  }

  #join () {
    this.#texts.push(this.#pieces.join())
    this.#pieces = []
  }

  toString () {
    if (this.#pieces.length > 0) this.#join()
    return `{${this.#texts.join()}}`
  }
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
  const members = new Members()
  const rest = inTurns(names, name => members.add(`${JSON.stringify(name)}:${JSON.stringify(attachments[name])}`))
  return rest instanceof Promise ? rest.then(() => members.toString()) : members.toString()
}

module.exports = { LARGE, MANY, areMany, carryShown, formInTurns, parseAttachments, readAttachments, shownText, storedText }
