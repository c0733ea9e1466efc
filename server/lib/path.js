'use strict'

const { createError } = require('@potoroo/errors')

/**
 * Splits a request's path into decoded segments, as the routes see them.
 *
 * A design or local document is one segment however it was sent: `_design/x`, `_design%2Fx`
 * and `_local/x` become `'_design/x'` and `'_local/x'`. Slashes at the end, and more than one at
 * the beginning, behind the database or below `_node`, do not count, and a database name may hold slashes as `%2F`.
 *
 * (`/_node/_local/…` is no database.)
 *
 * @param {string} path without the query, starting with `/`
 * @param {boolean} [plusIsSpace] as in a query
 * @returns {string[]} `[]` for the root
 */
function segmentsOf (path, plusIsSpace = false) {
  let segments = (plusIsSpace ? path.replaceAll('+', ' ') : path).slice(1).split('/')
  // Whoever puts a URL together from a base with a slash means the same without it.
  while (segments.length > 1 && segments[0] === '') segments.shift()
  // Cradle asks for `/db//_all_docs`; CouchDB counts no empty segments.
  while (segments[1] === '') segments.splice(1, 1)
  // couchdb-bootstrap asks for `/_node/…/_config//section/key`.
  if (segments[0] === '_node') segments = segments.filter(segment => segment !== '')
  // Inside a document's path empty segments count: `a//b` is an attachment's name.
  while (segments.length > 0 && segments[segments.length - 1] === '') segments.pop()
  // In a partition's path a design document comes later.
  const at = segments[1] === '_partition' ? 3 : 1
  const isTwofold = segments.length >= at + 2 && segments[0] !== '_node' && (segments[at] === '_design' || segments[at] === '_local')
  if (path.includes('%')) for (let i = 0; i < segments.length; i++) segments[i] = decodeSegment(segments[i])
  if (isTwofold) segments.splice(at, 2, `${segments[at]}/${segments[at + 1]}`)
  return segments
}

function decodeSegment (segment) {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw createError('BAD_REQUEST', { reason: 'invalid_url_encoding' })
  }
}

module.exports = { segmentsOf }
