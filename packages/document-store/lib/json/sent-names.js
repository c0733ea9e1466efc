'use strict'

const { carryNames, namesOf } = require('./carried-text')
const { endOfString, endOfValue, pastBlank } = require('./json-text')

/**
 * The order of attachments, on which revisions depend: JavaScript's objects put names that look like numbers first.
 * Such an object carries its names in the order of its text.
 */

const [QUOTE, COMMA] = [34, 44]

const LIKE_A_NUMBER = /^\d{1,10}$/

/** Whether names of an object may be in another order than in its text. @param {string[]} names */
function maySort (names) { return names.length > 1 && LIKE_A_NUMBER.test(names[0]) }

/**
 * The members of an object in JSON text, and where their values begin. If two have one name, the last one counts.
 *
 * @param {string} text
 * @param {number} start
 * @returns {Map<string, number>}
 */
function membersIn (text, start) {
  const members = new Map()
  for (let at = pastBlank(text, start + 1); text.charCodeAt(at) === QUOTE;) {
    const end = endOfString(text, at)
    const name = JSON.parse(text.slice(at, end))
    const value = pastBlank(text, pastBlank(text, end) + 1)
    members.delete(name)
    members.set(name, value)
    at = pastBlank(text, endOfValue(text, value))
    if (text.charCodeAt(at) === COMMA) at = pastBlank(text, at + 1)
  }
  return members
}

/**
 * The names of an object in the order of its text.
 *
 * @param {object} object
 * @param {string} text JSON
 * @param {number} [start] where the object begins
 * @returns {string[]}
 */
function namesInText (object, text, start = 0) {
  const names = Object.keys(object)
  return maySort(names) ? [...membersIn(text, start).keys()] : names
}

/**
 * Has the attachments of a document carry their names in the order in which they were sent.
 *
 * @param {Record<string, any>} doc
 * @param {string} text JSON
 * @param {number} start where the document begins
 */
function carryAttachmentNames ({ _attachments: attachments }, text, start) {
  if (typeof attachments !== 'object' || attachments === null || !maySort(Object.keys(attachments))) return
  const at = membersIn(text, start).get('_attachments')
  if (at !== undefined) carryNames(attachments, namesInText(attachments, text, at))
}

/** JSON.parse of an object that carries its names. @param {string} text without white space in front */
function parseInOrder (text) {
  const object = JSON.parse(text)
  if (maySort(Object.keys(object))) carryNames(object, namesInText(object, text))
  return object
}

/**
 * The JSON of an object whose members come in the order of the names that it carries.
 *
 * @param {Record<string, any>} object
 */
function stringifyInOrder (object) {
  if (!maySort(Object.keys(object))) return JSON.stringify(object)
  return `{${namesOf(object).map(name => `${JSON.stringify(name)}:${JSON.stringify(object[name])}`).join()}}`
}

module.exports = { carryAttachmentNames, membersIn, namesInText, parseInOrder, stringifyInOrder }
