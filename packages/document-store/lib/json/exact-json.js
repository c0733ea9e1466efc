'use strict'

const { copiedText, dropCarried } = require('./carried-text')
const { stringifyAnyDepth } = require('./deep-json')
const { endOfString } = require('./json-text')
const { isBodyMember } = require('./members')
const { randomHex } = require('../revision-tree/revision')

/**
 * JSON text holds integers of any size, as those of CouchDB do, and JavaScript's numbers do not. A
 * document that is parsed here carries its integers along, and they are stored as they came.
 */

const EXACT = Symbol('exact')

/** A mark that nobody else writes: it stands before the digits where an integer stood. */
const MARK = `${randomHex()}:`
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** Whether a text may hold a number that JavaScript's cannot: nearly none does. Digits of revisions are not where a number begins. */
const SUSPICIOUS = /(?:^|[:,[\s])-?(?:\d{16}|\d+(?:\.\d+)?[eE]\+?\d{3})/

const STRING_OR_NUMBER = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * JSON.parse, for a document or `{ docs }`.
 *
 * @param {string} text
 * @param {(value: any) => any} [documentsOf] the documents in another value
 * @returns {any} throws a SyntaxError also for a number that is none in JavaScript: 1e400
 */
function parseExact (text, documentsOf = documentsIn) {
  const { value, marked } = parseMarked(text)
  if (marked !== value) carryExact(value, marked, documentsOf)
  return value
}

/** @param {any} value */
function documentsIn (value) { return value.docs }

/**
 * JSON.parse for a piece of such a text.
 *
 * @param {string} text
 * @returns {{ value: any, marked: any }} marked: the same with integers as they came, for `carryExact`; the
 *   value itself where there is nothing to carry
 */
function parseMarked (text) {
  const value = JSON.parse(text)
  const marked = SUSPICIOUS.test(text) ? mark(text) : null
  return { value, marked: marked === null ? value : JSON.parse(marked) }
}

/**
 * Returns what is chosen of a document, with its integers as they came.
 *
 * @param {string} text JSON
 * @param {(value: any) => any} choose takes values as they are, or leaves them out
 * @returns {string} JSON
 */
function chooseExact (text, choose) {
  const marked = SUSPICIOUS.test(text) ? mark(text) : null
  if (marked === null) return JSON.stringify(choose(JSON.parse(text)))
  return JSON.stringify(choose(JSON.parse(marked))).replace(MARKED, '$1')
}

/**
 * The text with strings in the place of integers that would change; null where there are none.
 *
 * @param {string} text
 */
function mark (text) {
  let marked = ''
  let from = 0
  STRING_OR_NUMBER.lastIndex = 0
  for (let match = STRING_OR_NUMBER.exec(text); match !== null; match = STRING_OR_NUMBER.exec(text)) {
    const [token] = match
    if (token === '"') STRING_OR_NUMBER.lastIndex = endOfString(text, match.index)
    else if (changes(token)) {
      marked += `${text.slice(from, match.index)}"${MARK}${token}"`
      from = STRING_OR_NUMBER.lastIndex
    }
  }
  return from === 0 ? null : marked + text.slice(from)
}

/** @param {string} token */
function changes (token) {
  const number = Number(token)
  if (!Number.isFinite(number)) throw new SyntaxError(`The number ${token.slice(0, 30)} is too large`)
  return token.length > 15 && /^-?\d+$/.test(token) && String(number) !== token
}

/**
 * Has a value, and documents in it, carry their integers along.
 *
 * @param {any} value
 * @param {any} marked the same with integers as they came; parts without such integers may be the value's own
 * @param {(value: any) => any} [documentsOf]
 */
function carryExact (value, marked, documentsOf = documentsIn) {
  if (typeof value !== 'object' || value === null) return
  value[EXACT] = marked
  const docs = documentsOf(value)
  if (!Array.isArray(docs)) return
  const markedDocs = documentsOf(marked)
  docs.forEach((doc, i) => { if (typeof doc === 'object' && doc !== null && doc !== markedDocs[i]) doc[EXACT] = markedDocs[i] })
}

/**
 * The `marked` of a value.
 *
 * @param {any} value
 */
function markedOf (value) { return value[EXACT] ?? value }

/**
 * Whether a document carries integers along.
 *
 * @param {Record<string | symbol, any>} doc
 */
function isExact (doc) {
  return doc[EXACT] !== undefined
}

/**
 * The value of a document's member as it came in.
 *
 * @param {Record<string | symbol, any>} doc
 * @param {string} name
 */
function exactMember (doc, name) {
  return isExact(doc) && Object.hasOwn(doc[EXACT], name) ? doc[EXACT][name] : doc[name]
}

/**
 * Sets a member of a document, whatever it carries along.
 *
 * @param {Record<string | symbol, any>} doc
 * @param {string} name
 * @param {any} value
 */
function setMember (doc, name, value) {
  dropCarried(doc)
  doc[name] = value
  if (isExact(doc)) doc[EXACT] = { ...doc[EXACT], [name]: value }
}

/**
 * Puts the integers back into the text of such members.
 *
 * @param {Record<string | symbol, any>} doc
 * @param {string} text
 */
function unmark (doc, text) {
  return isExact(doc) ? unmarkText(text) : text
}

/** The same of any text of what is marked. @param {string} text */
function unmarkText (text) { return text.replace(MARKED, '$1') }

/**
 * A document that compares as its JSON does: where JavaScript's numbers cannot hold an integer, there
 * is something in its place that only the same integer gives.
 *
 * @param {Record<string, any>} doc
 * @returns {Record<string, any>}
 */
function exactForm (doc) {
  if (!isExact(doc)) return doc
  return Object.fromEntries(Object.keys(doc).map(name => [name, name.startsWith('_') ? doc[name] : exactMember(doc, name)]))
}

/**
 * JSON.stringify for a document of `parseExact`, or a copy of one with other underscore members.
 *
 * @param {Record<string, any>} doc
 */
function stringifyExact (doc) {
  const text = copiedText(doc)
  if (text !== undefined && text.bytes < Infinity) return withSpecial(doc, text.body)
  return unmark(doc, stringifyAnyDepth(exactForm(doc)))
}

/** @param {Record<string | symbol, any>} doc @param {string} body */
function withSpecial (doc, body) {
  const special = JSON.stringify(Object.fromEntries(Object.entries(doc).filter(([name]) => !isBodyMember(name))))
  if (special === '{}' || body === '{}') return special === '{}' ? body : special
  return `${special.slice(0, -1)},${body.slice(1)}`
}

module.exports = { carryExact, chooseExact, exactForm, markedOf, parseExact, parseMarked, setMember, stringifyExact, isExact, exactMember, unmark, unmarkText }
