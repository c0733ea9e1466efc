'use strict'

const { createError } = require('@potoroo/errors')
const { requireObject } = require('../documents/input')
const { revision } = require('../documents/query')
const { sendJson } = require('../response')

/** @returns {Record<string, string[]>} */
function readRevisions (body) {
  const request = requireObject(body)
  for (const id in request) {
    if (!Array.isArray(request[id])) throw createError('BAD_REQUEST', { reason: 'Invalid list of revisions' })
    for (const rev of request[id]) revision(rev)
  }
  return request
}

/** `POST /{db}/_revs_diff` → `{ id: { missing, possible_ancestors? } }` */
async function revsDiff (req, res) {
  sendJson(res, 200, await req.database.revsDiff(readRevisions(req.body)))
}

/** `POST /{db}/_missing_revs` → `{ missing_revs: { id: [rev] } }` */
async function missingRevs (req, res) {
  const diff = await req.database.revsDiff(readRevisions(req.body))
  const missing = Object.fromEntries(Object.entries(diff).map(([id, entry]) => [id, entry.missing]))
  sendJson(res, 200, { missing_revs: missing })
}

module.exports = [
  { method: 'POST', path: '/:db/_revs_diff', who: 'member', body: 'typed-json', handler: revsDiff },
  { method: 'POST', path: '/:db/_missing_revs', who: 'member', body: 'typed-json', handler: missingRevs }
]
