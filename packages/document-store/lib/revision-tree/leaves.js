'use strict'

const { compareLeaves } = require('./revision')

/** @import { Node } from './encode' */

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
 * The leaves that descend from each of some nodes, the best one first; a leaf is its own.
 *
 * @param {Node[]} leaves of their tree, the winner first
 * @param {Array<Node | undefined>} nodes
 * @returns {Map<Node, Node[]>}
 */
function latestOfEach (leaves, nodes) {
  /** @type {Map<Node, Node[]>} */
  const latest = new Map()
  let oldest = Infinity
  for (const node of nodes) {
    if (node === undefined) continue
    latest.set(node, [])
    if (node.generation < oldest) oldest = node.generation
  }
  // Each path is climbed once, however many nodes are asked for, and no further than to the oldest of them.
  for (const leaf of leaves) {
    for (let at = /** @type {Node | null} */ (leaf); at !== null && at.generation >= oldest; at = at.parent) latest.get(at)?.push(leaf)
  }
  return latest
}

/**
 * The hashes from a node to its root, newest first.
 *
 * @param {Node} node
 */
function historyOf (node) {
  const ids = []
  for (let at = /** @type {Node | null} */ (node); at !== null; at = at.parent) ids.push(at.hash)
  return { start: node.generation, ids }
}

module.exports = { leavesOf, latestOfEach, historyOf }
