'use strict'

const { compareLeaves } = require('./revision')

/**
 * Picks the revision that every replica agrees on: a live leaf before a deleted one, then the
 * highest generation, then the highest hash by byte order.
 *
 * @param {import('./encode').Tree} tree at least one node
 * @returns {import('./encode').Node}
 * @see https://docs.couchdb.org/en/stable/replication/conflicts.html
 */
function winnerOfTree (tree) {
  /** @type {import('./encode').Node | null} */
  let best = null
  for (const node of tree.values()) {
    if (node.children === 0 && (best === null || compareLeaves(node, best) < 0)) best = node
  }
  return /** @type {import('./encode').Node} */ (best)
}

module.exports = { winnerOfTree }
