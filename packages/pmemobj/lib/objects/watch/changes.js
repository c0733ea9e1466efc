'use strict'

const { Node } = require('../nodes/node')
const { META } = require('../record/layout')
const { keysOf } = require('./keys')
const { linksOf } = require('./links')

/**
 * The change of an object: its id, its keys (slots), and what it refers to since.
 *
 * @typedef {{ id: number, keys: any[] } & import('./links').Links} Change
 */

/**
 * The changes of a transaction that is in the pool. Objects that it has made are none: the object that
 * refers to them has changed.
 *
 * @param {import('../heap/transaction').Transaction} transaction
 * @param {import('../heap/fresh').Fresh} fresh
 * @returns {Change[]} those that were changed first come first
 */
function changesOf (transaction, fresh) {
  /** @type {Map<Node, import('./keys').Step[]>} */
  const byNode = new Map()
  for (const { participant, what, former } of transaction.steps()) {
    if (!(participant instanceof Node) || participant.id === META) continue
    const steps = byNode.get(participant)
    if (steps === undefined) byNode.set(participant, [{ what, former }])
    else steps.push({ what, former })
  }
  return [...byNode].reverse()
    .filter(([node, steps]) => node.attached && !fresh.has(node) && !steps.some(({ what }) => what === Node.ATTACH))
    .map(([node, steps]) => ({ id: node.id, keys: keysOf(node, steps), ...linksOf(node, steps) }))
}

module.exports = { changesOf }
