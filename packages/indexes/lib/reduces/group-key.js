'use strict'

const { LONGEST, isCut, readRowText } = require('../rows/row')

/**
 * The common part of a group's rows: the JSON text of what is answered as its key, and what their
 * encoded keys begin with. `cut`: they say no more of their keys in the level, and each row's own key
 * decides of which group it is.
 *
 * @typedef {{ key: string, prefix: string, cut: boolean }} GroupKey
 */

/**
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} level how much of an array key makes a group: 0 for one group of all rows
 * @param {number} start where the encoded key begins in a record's
 * @param {[string, string]} record the group's first
 * @returns {GroupKey}
 */
function groupKeyOf (collation, level, start, [text, value]) {
  if (level === 0) return { key: 'null', prefix: '', cut: false }
  const { key } = readRowText(collation, text, value, start)
  if (isCut(value)) return cutGroup(collation, headOf(key, level))
  const array = level === Infinity || key[0] !== '[' ? [] : JSON.parse(key)
  if (array.length < level) return { key, prefix: text.slice(start, collation.end(text, start)), cut: false }
  // An array's encoding is a letter, and its members' one behind the other.
  let end = start + 1
  for (let i = 0; i < level; i++) end = collation.end(text, end)
  return { key: array.length === level ? key : JSON.stringify(array.slice(0, level)), prefix: text.slice(start, end), cut: false }
}

/** @param {import('@potoroo/collation').Collation} collation @param {string} key JSON @returns {GroupKey} */
function cutGroup (collation, key) {
  const head = JSON.parse(key)
  const text = collation.encode(head)
  if (text.length > LONGEST) return { key, prefix: text.slice(0, LONGEST), cut: true }
  // Without its last letter it is what longer arrays begin with.
  return { key, prefix: text.slice(0, -1), cut: false }
}

/**
 * @param {string} key JSON
 * @param {number} level
 * @returns {string} JSON
 */
function headOf (key, level) {
  if (level === Infinity || key[0] !== '[') return key
  const array = JSON.parse(key)
  return array.length > level ? JSON.stringify(array.slice(0, level)) : key
}

module.exports = { groupKeyOf, headOf }
