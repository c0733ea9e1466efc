'use strict'

/**
 * Takes leaves out of a tree, in place, each with its ancestors up to one that has another
 * descendant. Revisions that are no leaves are left alone.
 *
 * @param {import('./encode').Tree} tree
 * @param {string[]} revs
 * @returns {{ purged: string[], gone: string[] }} the leaves taken out, and all revisions that went
 * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-purge
 */
function prune (tree, revs) {
  const leaves = [...new Set(revs)].filter((rev) => tree.get(rev)?.children === 0)
  /** @type {string[]} */
  const gone = []
  for (const rev of leaves) {
    for (let node = tree.get(rev) ?? null; node !== null && node.children === 0; node = node.parent) {
      tree.delete(node.rev)
      gone.push(node.rev)
      if (node.parent !== null) node.parent.children--
    }
  }
  return { purged: leaves, gone }
}

module.exports = { prune }
