'use strict'

const { Turn, namesOf, validateRevision } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { requireObject } = require('./input')
const { revision } = require('./query')

/** Revisions between two looks at the clock. */
const EVERY = 256

/**
 * The body that names revisions of documents: `{ id: [rev] }`.
 *
 * @returns {Promise<Record<string, string[]>>}
 * @throws bad_request
 */
async function requireRevisionsById (body) {
  const request = requireObject(body)
  const turn = new Turn()
  let seen = 0
  for (const id of namesOf(request)) {
    if (!Array.isArray(request[id])) throw createError('BAD_REQUEST', { reason: 'Invalid list of revisions' })
    for (const rev of request[id]) {
      validateRevision(revision(rev))
      if (++seen % EVERY === 0 && turn.isLong) await turn.end()
    }
  }
  return request
}

module.exports = { requireRevisionsById }
