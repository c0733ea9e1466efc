'use strict'

const { BadStream } = require('./bad-stream')

/**
 * Checks that the documents of a change are the revisions that it names: PouchDB stores what it is given.
 *
 * @param {any} change a line of the stream
 * @throws {BadStream} if they are not
 */
function checkChange ({ id, changes, docs = [] }) {
  const isChange = typeof id === 'string' && Array.isArray(changes) && changes.every(change => typeof change?.rev === 'string')
  if (!isChange || !Array.isArray(docs)) throw new BadStream('A line is no change')
  const named = new Set(changes.map(({ rev }) => rev))
  if (!docs.every(doc => doc?._id === id && named.has(doc._rev) && hasHistory(doc))) throw new BadStream(`A document is not what its change names: ${id}`)
}

/** PouchDB takes the revision from its ancestors. @param {{ _rev: string, _revisions?: any }} doc */
function hasHistory ({ _rev: rev, _revisions: revisions }) {
  if (!Number.isInteger(revisions?.start) || !Array.isArray(revisions.ids)) return false
  const { start, ids } = revisions
  return ids.length <= start && ids.every((/** @type {unknown} */ digest) => typeof digest === 'string') && rev === `${start}-${ids[0]}`
}

module.exports = { checkChange }
