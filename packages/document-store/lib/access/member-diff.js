'use strict'

const { GoneRevisions } = require('./gone')
const { seenLeaves } = require('../reading/document')
const { inTurns } = require('../json/turn')

/**
 * @import { Core } from '../store/core'
 * @import { Member } from './member'
 * @import { Node } from '../revision-tree/encode'
 * @import { DocumentRecord } from '../media/record'
 */

/** Revisions between two looks at the clock: each may be of another generation, whose digests take long where there are many branches. */
const EVERY = 4

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
  const leaves = isSeen ? await leavesSeen(core, id, record, as) : []
  const known = historiesOf(leaves)
  const gone = new GoneRevisions(core, id, record.revisions)
  /** @type {string[]} */
  const missing = []
  let newest = 0
  await inTurns(revs, rev => {
    if (known.has(rev) || gone.after(rev) !== null) return
    missing.push(rev)
    newest = Math.max(newest, Number.parseInt(rev, 10))
  }, EVERY)
  if (missing.length === 0) return null
  const ancestors = leaves.filter(leaf => leaf.generation < newest).map(leaf => leaf.rev)
  return ancestors.length === 0 ? { missing } : { missing, possible_ancestors: ancestors }
}

/** @param {Core} core @param {string} id @param {DocumentRecord} record @param {Member} as */
async function leavesSeen (core, id, record, as) {
  const [winner, ...losers] = record.leaves
  return [winner, ...await seenLeaves(core, id, losers, as)]
}

/** @param {Node[]} leaves */
function historiesOf (leaves) {
  const known = new Set()
  for (const leaf of leaves) for (let at = /** @type {Node | null} */ (leaf); at !== null && !known.has(at.rev); at = at.parent) known.add(at.rev)
  return known
}

module.exports = { memberDiff }
