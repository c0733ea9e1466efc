'use strict'

/**
 * Cuts off, in place, the ancestors that are `limit` or more generations away from every leaf.
 *
 * @param {import('./encode').Tree} tree
 * @param {number} limit revisions to keep on each path, 1 or more
 * @returns {string[]} the revisions that were cut off
 */
function stem (tree, limit) {
  if (tree.size <= limit) return []
  /** @type {Set<import('./encode').Node>} */
  const kept = new Set()
  for (const leaf of tree.values()) {
    if (leaf.children > 0) continue
    /** @type {import('./encode').Node | null} */
    let node = leaf
    for (let i = 0; i < limit && node !== null; i++, node = node.parent) kept.add(node)
  }
  const cut = []
  for (const [rev, node] of tree) {
    if (!kept.has(node)) {
      tree.delete(rev)
      cut.push(rev)
    } else if (node.parent !== null && !kept.has(node.parent)) node.parent = null
  }
  return cut
}

/**
 * Whether a leaf's path has no more revisions than these.
 *
 * @param {import('./encode').Node} leaf
 * @param {number} limit
 */
function endsWithin (leaf, limit) {
  /** @type {import('./encode').Node | null} */
  let node = leaf
  for (let i = 0; i < limit && node !== null; i++) node = node.parent
  return node === null
}

module.exports = { endsWithin, stem }
