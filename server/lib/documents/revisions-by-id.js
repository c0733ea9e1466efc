'use strict'

const { createError } = require('@potoroo/errors')
const { requireObject } = require('./input')
const { revision } = require('./query')

/**
 * The body that names revisions of documents: `{ id: [rev] }`.
 *
 * @returns {Record<string, string[]>}
 * @throws bad_request
 */
function requireRevisionsById (body) {
  const request = requireObject(body)
  for (const id in request) {
    if (!Array.isArray(request[id])) throw createError('BAD_REQUEST', { reason: 'Invalid list of revisions' })
    for (const rev of request[id]) revision(rev)
  }
  return request
}

module.exports = { requireRevisionsById }
