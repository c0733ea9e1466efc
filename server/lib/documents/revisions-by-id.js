'use strict'

const { Turn, namesOf, validateRevision } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { requireObject } = require('./input')
const { revision } = require('./query')

/** Revisions between two looks at the clock. */
const EVERY = 256

const LOCAL = /^0-\d{1,15}$/

/**
 * The body that names revisions of documents: `{ id: [rev] }`.
 *
 * @param {any} body
 * @param {{ local?: boolean }} [options] local: revisions of local documents may be among them
 * @returns {Promise<Record<string, string[]>>}
 * @throws bad_request
 */
async function requireRevisionsById (body, { local = false } = {}) {
  const request = requireObject(body)
  const turn = new Turn()
  let seen = 0
  for (const id of namesOf(request)) {
    if (!Array.isArray(request[id])) throw badRequest('Invalid list of revisions')
    for (const rev of request[id]) {
      if (!(local && id.startsWith('_local/') && LOCAL.test(rev))) validateRevision(revision(rev))
      if (++seen % EVERY === 0 && turn.isLong) await turn.end()
    }
  }
  return request
}

module.exports = { requireRevisionsById }
