'use strict'

const { LONGEST, isCut, readRow } = require('../rows/row')

/**
 * What the rows of a group have in common: what is answered as its key, and what their encoded keys
 * begin with. `cut`: all of that they say in the level; which group a row is of, its own key decides.
 *
 * @typedef {{ key: any, prefix: string, cut: boolean }} GroupKey
 */

/**
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} level how much of an array key makes a group: 0 for one group of all rows
 * @param {number} start where the encoded key begins in a record's
 * @param {[string, string]} record the group's first
 * @returns {GroupKey}
 */
function groupKeyOf (collation, level, start, [text, value]) {
  if (level === 0) return { key: null, prefix: '', cut: false }
  const { key } = readRow(collation, text, value, start)
  if (isCut(value)) return cutGroup(collation, headOf(key, level))
  if (!isLong(key, level)) return { key, prefix: text.slice(start, collation.end(text, start)), cut: false }
  // An array's encoding is a letter, and its members' one behind the other.
  let end = start + 1
  for (let i = 0; i < level; i++) end = collation.end(text, end)
  return { key: headOf(key, level), prefix: text.slice(start, end), cut: false }
}

function cutGroup (collation, head) {
  const text = collation.encode(head)
  if (text.length > LONGEST) return { key: head, prefix: text.slice(0, LONGEST), cut: true }
  // Without its last letter it is what longer arrays begin with.
  return { key: head, prefix: text.slice(0, -1), cut: false }
}

function isLong (key, level) { return Array.isArray(key) && key.length >= level }

/** @param {any} key @param {number} level */
function headOf (key, level) { return isLong(key, level) ? key.slice(0, level) : key }

module.exports = { groupKeyOf, headOf }
