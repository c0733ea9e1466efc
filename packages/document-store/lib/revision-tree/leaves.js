'use strict'

const { compareLeaves } = require('./revision')

/**
 * The leaves of a tree, the winner first.
 *
 * @param {import('./encode').Tree} tree
 */
function leavesOf (tree) {
  const leaves = []
  for (const node of tree.values()) if (node.children === 0) leaves.push(node)
  return leaves.length === 1 ? leaves : leaves.sort(compareLeaves)
}

/**
 * The leaves that descend from a node, the best one first; a leaf is its own.
 *
 * @param {import('./encode').Tree} tree
 * @param {import('./encode').Node} node
 */
function latestOf (tree, node) {
  return leavesOf(tree).filter((leaf) => isAncestor(node, leaf))
}

/** @param {import('./encode').Node} ancestor @param {import('./encode').Node | null} node */
function isAncestor (ancestor, node) {
  while (node !== null && node.generation > ancestor.generation) node = node.parent
  return node === ancestor
}

/**
 * The hashes from a node to its root, newest first.
 *
 * @param {import('./encode').Node} node
 */
function historyOf (node) {
  const ids = []
  for (let at = /** @type {import('./encode').Node | null} */ (node); at !== null; at = at.parent) ids.push(at.hash)
  return { start: node.generation, ids }
}

module.exports = { leavesOf, latestOf, historyOf }
