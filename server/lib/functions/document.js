'use strict'

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */

/** Revisions of a document's history that functions are told. */
const REVISIONS = 20

/**
 * The document that a function is called with, as the user may see it.
 *
 * @param {DatabaseRequest} req
 * @param {string} id
 * @returns {Promise<import('@potoroo/document-store').Document | null>} null where there is none
 */
async function documentFor (req, id) {
  // These are no documents of the database, for which there are functions.
  if (id.startsWith('_local/')) return null
  try {
    return shortened(await req.database.get(id, { revs: true, conflicts: true }))
  } catch (error) {
    if (error.status === 404 || error.code === 'ILLEGAL_DOCID') return null
    throw error
  }
}

/** @param {import('@potoroo/document-store').Document} document read with `revs` */
function shortened (document) {
  const { revisions } = document
  if (revisions !== undefined && revisions.ids.length > REVISIONS) document.revisions = { ...revisions, ids: revisions.ids.slice(0, REVISIONS) }
  return document
}

module.exports = { documentFor, shortened }
