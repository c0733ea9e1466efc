'use strict'

const { carriedText, namesOf } = require('../json/carried-text')
const { markedOf, unmark } = require('../json/exact-json')
const { isBodyMember } = require('../json/members')
const { carryBody } = require('../json/sent-text')
const { inTurns } = require('../json/turn')
const { LARGE } = require('./parse')
const { stringifyInTurns } = require('./stringify')

/** A name that an object may put before others. */
const LIKE_A_NUMBER = /^\d{1,10}$/

/** Whether to copy a document takes so long that it is done in turns. @param {object} doc */
function isLargeCopy (doc) { return (carriedText(doc)?.body.length ?? 0) > LARGE }

/**
 * A copy of a large document to be written, without some members and with others: in their place, or behind the rest. It has
 * the special members alone, and carries the text of the others: nobody sees them.
 *
 * @param {Record<string, any>} doc as it was sent
 * @param {(name: string) => boolean} isKept
 * @param {Record<string, any>} members
 * @param {{ exact?: boolean }} [options] exact: whether integers stay as they came
 * @returns {Promise<Record<string, any>>}
 * @throws RangeError where it is nested too deeply for JSON.stringify
 */
async function copyInTurns (doc, isKept, members, { exact = false } = {}) {
  const names = await bodyNames(doc, isKept)
  for (const name in members) if (!(Object.hasOwn(doc, name) && isKept(name))) names.push(name)
  const text = await stringifyInTurns(Object.assign(Object.create(exact ? markedOf(doc) : doc), members), names)
  const special = ['_id', '_rev', ...carriedText(doc)?.special ?? []].filter(name => Object.hasOwn(doc, name))
  const copy = Object.fromEntries(special.map(name => [name, doc[name]]))
  carryBody(copy, exact ? unmark(doc, text) : text, Object.keys(copy))
  return copy
}

/**
 * The members of the body in the order of the object.
 *
 * @param {Record<string, any>} doc
 * @param {(name: string) => boolean} isKept
 */
async function bodyNames (doc, isKept) {
  let maySort = false
  const sent = namesOf(doc)
  await inTurns(sent, name => { maySort ||= LIKE_A_NUMBER.test(name) })
  /** @type {string[]} */
  const names = []
  await inTurns(maySort ? Object.keys(doc) : sent, name => { if (isBodyMember(name) && isKept(name)) names.push(name) })
  return names
}

module.exports = { copyInTurns, isLargeCopy }
