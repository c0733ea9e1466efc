'use strict'

const { namesOf } = require('@potoroo/document-store')
const { tooMuch } = require('./query-error')

/** Members that are looked at between two pauses. */
const AT_ONCE = 64

/**
 * All objects and lists within a value, itself first, each before what is within it; and null now and then, for a pause.
 *
 * @param {any} value
 * @param {number} [deepest] levels that it may have
 * @returns {Generator<any, void, void>}
 * @throws query_too_large
 */
function * within (value, deepest = Infinity) {
  if (!isContainer(value)) return
  yield value
  const levels = [levelOf(value)]
  for (let looked = 1; levels.length > 0; looked++) {
    const level = levels[levels.length - 1]
    if (level.at === level.names.length) {
      levels.pop()
      continue
    }
    const name = level.names[level.at++]
    const member = level.isList ? name : level.of[name]
    if (looked % AT_ONCE === 0) yield null
    if (!isContainer(member)) continue
    if (levels.length >= deepest) throw tooMuch(`A value has more than ${deepest} levels`)
    yield member
    levels.push(levelOf(member))
  }
}

/** @param {any} value */
function isContainer (value) { return typeof value === 'object' && value !== null }

/** @param {any} of */
function levelOf (of) {
  const isList = Array.isArray(of)
  return { of, isList, names: isList ? of : namesOf(of), at: 0 }
}

/** The members of a list or an object. @param {any} container @returns {Generator<any, void, void>} */
function * membersOf (container) {
  if (Array.isArray(container)) return yield * container
  for (const name of namesOf(container)) yield container[name]
}

module.exports = { membersOf, within }
