'use strict'

const { carriesNames, namesOf } = require('../json/carried-text')
const { setOwn } = require('../json/set-own')
const { Turn } = require('../json/turn')

/** Values, and 256 characters of strings, that become text in one go. */
const MOST = 4000
const CHARACTERS = 256

/**
 * JSON.stringify for a value of JSON that may be large: others run in between.
 *
 * @param {any} value
 * @param {string[]} [names] of an object's members, where not all of them are to be there
 * @returns {Promise<string>}
 */
function stringifyInTurns (value, names) { return textOf(value, new Turn(), names) }

/** @param {any} value @param {Turn} turn @param {string[]} [names] @returns {Promise<string>} */
async function textOf (value, turn, names) {
  if (names === undefined && (typeof value !== 'object' || roomBehind(value, MOST) >= 0)) return JSON.stringify(value)
  const parts = []
  for (const { items, large } of groupsOf(value, names)) {
    const text = JSON.stringify(items)
    if (text.length > 2) parts.push(text.slice(1, -1))
    if (large !== null) parts.push(large.head + await textOf(large.value, turn))
    if (turn.isLong) await turn.end()
  }
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

/**
 * Its items that are small, some at a time, and one that is large behind them.
 *
 * @param {any} container
 * @param {string[]} [own] names
 */
function * groupsOf (container, own) {
  const isArray = Array.isArray(container)
  const names = isArray ? container : own ?? namesOf(container)
  /** @type {any} */
  let items = isArray ? [] : {}
  let room = MOST
  for (let i = 0; i < names.length; i++) {
    const value = isArray ? container[i] : container[names[i]]
    const left = roomBehind(value, room)
    if (left >= 0) {
      room = left
      if (isArray) items.push(value)
      else setOwn(items, names[i], value)
      continue
    }
    // Alone it may be small.
    yield { items, large: { head: isArray ? '' : `${JSON.stringify(names[i])}:`, value } }
    items = isArray ? [] : {}
    room = MOST
  }
  yield { items, large: null }
}

/**
 * How many values more may become text with this one; less than 0 where it is too large.
 *
 * @param {any} value
 * @param {number} room
 */
function roomBehind (value, room) {
  if (typeof value === 'string') return room - 1 - value.length / CHARACTERS
  if (typeof value !== 'object' || value === null) return room - 1
  if (Array.isArray(value) ? value.length > room : carriesNames(value)) return -1
  let left = room - 1
  for (const each of Object.values(value)) if ((left = roomBehind(each, left)) < 0) return -1
  return left
}

module.exports = { stringifyInTurns }
