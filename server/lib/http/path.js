'use strict'

const { badRequest } = require('@potoroo/errors')

/**
 * Splits a request's path into decoded segments, as the routes see them.
 *
 * A design or local document is one segment however it was sent: `_design/x`, `_design%2Fx`
 * and `_local/x` become `'_design/x'` and `'_local/x'`. Several slashes count as one, and those at
 * the end do not count, as in CouchDB. Names hold slashes as `%2F`.
 *
 * (`/_node/_local/…` is no database.)
 *
 * @param {string} path without the query, starting with `/`
 * @param {boolean} [plusIsSpace] as in a query
 * @returns {string[]} `[]` for the root
 */
function segmentsOf (path, plusIsSpace = false) {
  let segments = (plusIsSpace ? path.replaceAll('+', ' ') : path).slice(1).split('/')
  if (segments.includes('')) segments = segments.filter(segment => segment !== '')
  // In a partition's path a design document comes later.
  const at = segments[1] === '_partition' ? 3 : 1
  const isTwofold = segments.length >= at + 2 && segments[0] !== '_node' && (segments[at] === '_design' || segments[at] === '_local')
  if (path.includes('%')) for (let i = 0; i < segments.length; i++) segments[i] = decodeSegment(segments[i])
  if (isTwofold) segments.splice(at, 2, `${segments[at]}/${segments[at + 1]}`)
  return segments
}

/** @param {string} segment */
function decodeSegment (segment) {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest('invalid_url_encoding')
  }
}

module.exports = { segmentsOf }
