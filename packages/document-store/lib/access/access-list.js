'use strict'

const { createError } = require('@potoroo/errors')
const { isWellFormed } = require('../commit/storable')

/**
 * The form in which a document's `_access` is stored beside its body (see record.js):
 *
 *   writer { ',' writer } '|' reader { ',' reader }
 *
 * Both lists are sorted, and a reader is in the second one only if not in the first: writers read. A principal is a
 * letter, 'u' for a user's name and 'r' for a role, and the name as encodeURIComponent has it. '' is for administrators alone.
 */

const ROLE = 'role:'

/** Names and roles of one document, and UTF-16 units of one. Each has two rows for each document. */
const MOST = 1000
const LONGEST = 256

/** The principal that every member is: design documents without `_access` are theirs. */
const EVERYONE = 'm'

/** @param {string} name */
function ofUser (name) { return 'u' + encodeURIComponent(name) }

/** @param {string} role */
function ofRole (role) { return 'r' + encodeURIComponent(role) }

/**
 * Reads a document's `_access`: `["name", "role:staff"]`, or `{ read: […], write: […] }`.
 *
 * @param {any} value undefined: it has none
 * @returns {string} as it is stored
 * @throws doc_validation
 */
function parseAccess (value) {
  if (value === undefined) return ''
  if (Array.isArray(value)) return encodeAccess(principalsIn(value), [])
  if (typeof value !== 'object' || value === null) throw malformed('it must be a list, or an object of `read` and `write`')
  for (const name of Object.keys(value)) if (name !== 'read' && name !== 'write') throw malformed(`it has no member ${JSON.stringify(name)}`)
  const { read = [], write = [] } = value
  if (!Array.isArray(read) || !Array.isArray(write)) throw malformed('`read` and `write` must be lists')
  return encodeAccess(principalsIn(write), principalsIn(read))
}

/** @param {any[]} list */
function principalsIn (list) {
  if (list.length > MOST) throw malformed(`it names more than ${MOST}`)
  return list.map(principalOf)
}

/** @param {any} entry */
function principalOf (entry) {
  if (typeof entry !== 'string' || entry === '' || entry === ROLE) throw malformed('it must name users and, as `role:name`, roles')
  if (entry.length > LONGEST) throw malformed(`a name has more than ${LONGEST} characters`)
  if (!isWellFormed(entry)) throw malformed('a name must be valid UTF-8')
  return entry.startsWith(ROLE) ? ofRole(entry.slice(ROLE.length)) : ofUser(entry)
}

/** @param {string} why */
function malformed (why) {
  return createError('DOC_VALIDATION', { reason: `Bad special document member: _access: ${why}` })
}

/** @param {string[]} writers @param {string[]} readers */
function encodeAccess (writers, readers) {
  const first = [...new Set(writers)].sort()
  const rest = [...new Set(readers)].filter(reader => !first.includes(reader)).sort()
  return first.length + rest.length === 0 ? '' : `${first.join(',')}|${rest.join(',')}`
}

/** @param {string} access as stored @returns {string[]} */
function writersOf (access) { return split(access.slice(0, Math.max(0, access.indexOf('|')))) }

/** @param {string} list @returns {string[]} */
function split (list) { return list === '' ? [] : list.split(',') }

/**
 * The principals that may read a document.
 *
 * @param {string} id
 * @param {string} access as stored
 * @returns {string[]} each once
 */
function readersOf (id, access) {
  if (access !== '') return writersOf(access).concat(split(access.slice(access.indexOf('|') + 1)))
  return id.startsWith('_design/') ? [EVERYONE] : []
}

/**
 * The same as `_access` of a document says it.
 *
 * @param {string} access as stored, not ''
 * @returns {string[] | { read: string[], write: string[] }}
 */
function accessValue (access) {
  const write = writersOf(access).map(entryOf)
  const read = split(access.slice(access.indexOf('|') + 1)).map(entryOf)
  return read.length === 0 ? write : { read, write }
}

/** @param {string} principal */
function entryOf (principal) {
  const name = decodeURIComponent(principal.slice(1))
  return principal.startsWith('r') ? ROLE + name : name
}

/**
 * Whether a design document does nothing: one that says who may see it is there for their replicas alone.
 *
 * @param {{ byDocument: boolean }} database
 * @param {Record<string, any>} ddoc
 */
function isInert ({ byDocument }, ddoc) { return byDocument && Object.hasOwn(ddoc, '_access') && parseAccess(ddoc._access) !== '' }

/**
 * The principals that may read a document, by its body, which is live.
 *
 * @param {{ id: string, body: string }} document
 */
function principalsOf ({ id, body }) {
  const isNamed = body.includes('"_access"') || body.includes('\\u')
  return readersOf(id, isNamed ? parseAccess(JSON.parse(body)._access) : '')
}

module.exports = { EVERYONE, accessValue, encodeAccess, isInert, ofRole, ofUser, parseAccess, principalsOf, readersOf, writersOf }
