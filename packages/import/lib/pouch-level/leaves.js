'use strict'

/**
 * @typedef {object} Leaf
 * @property {string} rev
 * @property {boolean} deleted
 * @property {{ start: number, ids: string[] }} revisions its history, newest first
 *
 * @typedef {{ generation: number, node: any[], above: Place | null }} Place a node of a tree, and the one above it
 */

/**
 * The leaves of a revision tree of pouchdb-merge: `[{ pos, ids: [hash, { deleted? }, children] }]`.
 * Trees are as deep as histories are long, so they are walked without recursion.
 *
 * @param {any[]} tree
 * @returns {Leaf[]}
 */
function leavesOf (tree) {
  const leaves = []
  /** @type {Place[]} */
  const open = tree.map(({ pos, ids }) => ({ generation: pos, node: ids, above: null }))
  while (open.length > 0) {
    const at = /** @type {Place} */ (open.pop())
    const [hash, { deleted = false } = {}, children = []] = at.node
    for (const child of children) open.push({ generation: at.generation + 1, node: child, above: at })
    if (children.length === 0) leaves.push({ rev: `${at.generation}-${hash}`, deleted, revisions: historyOf(at) })
  }
  return leaves
}

/** @param {Place} leaf @returns {Leaf['revisions']} */
function historyOf (leaf) {
  const ids = []
  for (let at = /** @type {Place | null} */ (leaf); at !== null; at = at.above) ids.push(at.node[0])
  return { start: leaf.generation, ids }
}

module.exports = { leavesOf }
