'use strict'

const { requireRevisionsById } = require('../documents/revisions-by-id')
const { sendJson } = require('../response')

/** `POST /{db}/_revs_diff` → `{ id: { missing, possible_ancestors? } }` */
async function revsDiff (req, res) {
  sendJson(res, 200, await req.database.revsDiff(requireRevisionsById(req.body)))
}

/** `POST /{db}/_missing_revs` → `{ missing_revs: { id: [rev] } }` */
async function missingRevs (req, res) {
  const diff = await req.database.revsDiff(requireRevisionsById(req.body))
  const missing = Object.fromEntries(Object.entries(diff).map(([id, entry]) => [id, entry.missing]))
  sendJson(res, 200, { missing_revs: missing })
}

module.exports = [
  { method: 'POST', path: '/:db/_revs_diff', who: 'member', body: 'typed-json', handler: revsDiff },
  { method: 'POST', path: '/:db/_missing_revs', who: 'member', body: 'typed-json', handler: missingRevs }
]
