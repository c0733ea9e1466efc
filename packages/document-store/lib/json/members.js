'use strict'

/** Members that most documents begin or end with. */
const OUTER_MEMBERS = new Set(['_id', '_rev', '_deleted'])

/** Members that CouchDB keeps in documents, its replicator's above all: they belong to the body. */
const BODY_MEMBERS = new Set([
  '_access', '_replication_id', '_replication_state', '_replication_state_time', '_replication_state_reason', '_replication_stats'
])

/** Whether a member belongs to the body; the others are special. @param {string} name */
function isBodyMember (name) { return name.charCodeAt(0) !== 95 || BODY_MEMBERS.has(name) }

/** How many of a document's first members `withoutOuter` may cut off. @param {string[]} names */
function countLeading (names) {
  let leading = 0
  while (leading < names.length && OUTER_MEMBERS.has(names[leading])) leading++
  return leading
}

/** The same of its last members. @param {string[]} names @param {number} leading as of `countLeading` */
function countTrailing (names, leading) {
  let trailing = 0
  while (leading + trailing < names.length && OUTER_MEMBERS.has(names[names.length - 1 - trailing])) trailing++
  return trailing
}

/**
 * Cuts the first and the last members off an object's JSON text, which is cheaper than to copy the others.
 *
 * @param {string} text as of `JSON.stringify`
 * @param {Record<string, any>} doc
 * @param {string[]} names of its members
 * @param {number} leading as of `countLeading`
 * @param {number} trailing as of `countTrailing`
 */
function withoutOuter (text, doc, names, leading, trailing) {
  if (leading + trailing === 0) return text
  const start = 1 + lengthOf(doc, names, 0, leading)
  const end = text.length - 1 - lengthOf(doc, names, names.length - trailing, names.length)
  return start >= end ? '{}' : `{${text.slice(start, end)}}`
}

/**
 * Measures members, each with a comma.
 *
 * @param {Record<string, any>} doc
 * @param {string[]} names
 * @param {number} from
 * @param {number} to
 */
function lengthOf (doc, names, from, to) {
  let length = 0
  for (let i = from; i < to; i++) {
    const value = JSON.stringify(doc[names[i]])
    if (value !== undefined) length += names[i].length + value.length + 4 // quotes, colon, comma
  }
  return length
}

module.exports = { countLeading, countTrailing, isBodyMember, withoutOuter }
