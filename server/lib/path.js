'use strict'

const { createError } = require('@potoroo/errors')

/**
 * Splits a request's path into decoded segments, as the routes see them.
 *
 * A design or local document is one segment however it was sent: `_design/x`, `_design%2Fx`
 * and `_local/x` become `'_design/x'` and `'_local/x'`. A slash at the end does not count, and
 * a database name may hold slashes as `%2F`.
 *
 * (`/_node/_local/…` is no database.)
 *
 * @param {string} path without the query, starting with `/`
 * @returns {string[]} `[]` for the root
 */
function segmentsOf (path) {
  const raw = path.split('/')
  raw.shift()
  // Inside a document's path empty segments count: `a//b` is an attachment's name.
  while (raw.length > 0 && raw[raw.length - 1] === '') raw.pop()
  const segments = raw.map(decodeSegment)
  if (raw.length >= 3 && raw[0] !== '_node' && (raw[1] === '_design' || raw[1] === '_local')) {
    segments.splice(1, 2, `${segments[1]}/${segments[2]}`)
  }
  return segments
}

function decodeSegment (segment) {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw createError('BAD_REQUEST', { reason: 'Invalid URL encoding' })
  }
}

module.exports = { segmentsOf }
