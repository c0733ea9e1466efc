'use strict'

const { goneAfter } = require('./gone')
const { seenLeaves } = require('../reading/document')
const { leavesOf } = require('../revision-tree/leaves')

/**
 * @import { Core } from '../store/core'
 * @import { Member } from './member'
 * @import { Node, Tree } from '../revision-tree/encode'
 * @import { DocumentRecord } from '../media/record'
 */

/**
 * Which revisions of a document a user may bring. They may bring all of one that they do not see; but a deletion that they were told of is known.
 *
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {string[]} revs
 * @param {Member} as
 * @returns {Promise<{ missing: string[], possible_ancestors?: string[] } | null>}
 */
async function memberDiff (core, id, record, revs, as) {
  const isSeen = as.reads(id, record.access)
  if (isSeen && revs.length === 1 && revs[0] === record.rev) return null
  const tree = record.revisions
  const leaves = isSeen ? await leavesSeen(core, id, tree, as) : []
  const known = historiesOf(leaves)
  const missing = revs.filter(rev => !known.has(rev) && goneAfter(core, id, tree, rev) === null)
  if (missing.length === 0) return null
  const newest = Math.max(...missing.map(rev => Number.parseInt(rev, 10)))
  const ancestors = leaves.filter(leaf => leaf.generation < newest).map(leaf => leaf.rev)
  return ancestors.length === 0 ? { missing } : { missing, possible_ancestors: ancestors }
}

/** @param {Core} core @param {string} id @param {Tree} tree @param {Member} as */
async function leavesSeen (core, id, tree, as) {
  const [winner, ...losers] = leavesOf(tree)
  return [winner, ...await seenLeaves(core, id, losers, as)]
}

/** @param {Node[]} leaves */
function historiesOf (leaves) {
  const known = new Set()
  for (const leaf of leaves) for (let at = /** @type {Node | null} */ (leaf); at !== null && !known.has(at.rev); at = at.parent) known.add(at.rev)
  return known
}

module.exports = { memberDiff }
