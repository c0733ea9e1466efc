'use strict'

/** Members that most documents begin with. */
const LEADING_MEMBERS = new Set(['_id', '_rev', '_deleted'])

/** Members that CouchDB keeps in documents, its replicator's above all: they belong to the body. */
const BODY_MEMBERS = new Set([
  '_access', '_replication_id', '_replication_state', '_replication_state_time', '_replication_state_reason', '_replication_stats'
])

/** Whether a member belongs to the body; the others are special. @param {string} name */
function isBodyMember (name) { return name.charCodeAt(0) !== 95 || BODY_MEMBERS.has(name) }

/** How many of a document's members `withoutLeading` may cut off. @param {string[]} names */
function countLeading (names) {
  let leading = 0
  while (leading < names.length && LEADING_MEMBERS.has(names[leading])) leading++
  return leading
}

/**
 * Cuts the first members off an object's JSON text, which is cheaper than to copy the others.
 *
 * @param {string} text as of `JSON.stringify`
 * @param {Record<string, any>} doc
 * @param {string[]} names of its members
 * @param {number} leading as of `countLeading`
 */
function withoutLeading (text, doc, names, leading) {
  if (leading === 0) return text
  let end = 1
  for (let i = 0; i < leading; i++) {
    const value = JSON.stringify(doc[names[i]])
    if (value !== undefined) end += names[i].length + value.length + 4 // quotes, colon, comma
  }
  return end >= text.length ? '{}' : '{' + text.slice(end)
}

module.exports = { countLeading, isBodyMember, withoutLeading }
