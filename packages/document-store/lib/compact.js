'use strict'

const { decodeHash } = require('./revision')
const { normaliseRevision } = require('./validate')

const PAGE = 500

/**
 * Drops the bodies of all superseded revisions, and the attachments that only they used, in
 * small commits: it can be interrupted at any point and leaves no trace.
 *
 * @param {import('./core').Core} core
 */
async function compact (core) {
  const { layout, keyspace } = core
  const range = layout.range(layout.revisions)
  for (let from = range.gte, more = true; more;) {
    const keys = await keyspace.keys({ gte: from, lt: range.lt, limit: PAGE }).all()
    await compactKeys(core, keys)
    more = keys.length === PAGE
    if (more) from = keys[keys.length - 1] + '\0'
  }
}

function compactKeys (core, keys) {
  if (keys.length === 0) return
  const revisions = keys.map((key) => core.layout.revisionOf(key))
  return drop(core, revisions.map(({ id, rev }) => ({ id, rev: decodeHash(rev) })))
}

/** The same for these revisions of one document. */
async function compactDocument (core, id, revs) {
  const unique = [...new Set(revs.map(normaliseRevision))]
  if (unique.length > 0) await drop(core, unique.map((rev) => ({ id, rev })))
}

function drop (core, revisions) {
  const ids = [...new Set(revisions.map(({ id }) => id))]
  return core.queue.push({
    keys: ids.map((id) => core.layout.document(id)),
    async apply (commit) {
      for (const { id, rev } of revisions) {
        const state = commit.document(id)
        if (state.has(rev) && !state.isLeaf(rev)) await commit.dropRevision(id, rev)
      }
    }
  })
}

module.exports = { compact, compactDocument }
