'use strict'

/**
 * Returns those of some revisions that a database does not have.
 *
 * @param {import('./client').Client} client of the database
 * @param {Record<string, string[]>} revs by document
 * @returns {Promise<Record<string, string[]>>} of all these documents
 */
async function missingRevisions (client, revs) {
  if (Object.keys(revs).length === 0) return {}
  const answer = await client.post('/_revs_diff', revs)
  return Object.fromEntries(Object.keys(revs).map(id => [id, Object.hasOwn(answer, id) ? answer[id].missing ?? [] : []]))
}

module.exports = { missingRevisions }
