'use strict'

const { namesOf, stringifyInTurns } = require('@potoroo/document-store')
const { tooMuch } = require('./query-error')
const { membersOf, within } = require('./within')

/** @typedef {import('./work').Walk} Walk */

/** Characters of an answer that a query makes, about. */
const LONGEST = 16 * 1024 * 1024

/** Levels of it. */
const DEEPEST = 1000

/**
 * JSON of a value that a query made. It may have the same object in many places.
 *
 * @param {any} value
 * @param {import('./work').Work} work
 * @throws query_too_large
 */
async function textOf (value, work) {
  await work.walk(measure(value))
  return stringifyInTurns(value)
}

/** @param {any} value @returns {Walk} */
function * measure (value) {
  let left = LONGEST - lengthOf(value)
  for (const each of within(value, DEEPEST)) {
    yield
    if (each === null) continue
    let count = 0
    for (const member of membersOf(each)) {
      left -= lengthOf(member)
      if (++count % 64 === 0) yield
    }
    if (!Array.isArray(each)) for (const name of namesOf(each)) left -= name.length + 3
    if (left < 0) throw tooMuch(`The query makes an answer of more than ${LONGEST} characters`)
  }
}

/** @param {any} value */
function lengthOf (value) { return typeof value === 'string' ? value.length + 3 : 5 }

module.exports = { textOf }
