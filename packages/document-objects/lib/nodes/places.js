'use strict'

const { byRaw, placesIn, presentJson } = require('./nodes')
const { makeNode } = require('./node')

/**
 * Objects lie in their document. Each but the document lies in one other; one that was removed, or that another has replaced, may be
 * held all the same, and one that was moved stays itself.
 *
 * @typedef {import('./node').Node} Node
 * @typedef {import('./nodes').Place} Place
 */

/**
 * Whether an object is in its document, as the transaction under way has it: what is assigned to others would be lost.
 *
 * @param {Node} node
 */
function isInDocument (node) {
  return isKnownPlace(node) || isFound(node)
}

/** Whether it, and each object that it is in, lies where it lay when somebody looked at it. @param {Node} node */
function isKnownPlace (node) {
  /** @type {Node} */
  let each = node
  while (!each.isDocument) {
    const { holder, name } = each
    if (holder === null || (holder.draft ?? holder.raw)[name] !== each.raw) return false
    each = holder
  }
  return true
}

/** Looks for it in all of the document, and notes where each object is. @param {Node} node */
function isFound (node) {
  let found = false
  for (const place of placesIn(node.document.node.raw)) {
    const known = byRaw.get(place.raw)
    if (known === undefined) continue
    Object.assign(known, { holder: nodeOfHolder(node.document, place), name: place.name })
    found ||= known === node
  }
  return found
}

/**
 * The node of what an object lies in; made, with those that it lies in itself, where nobody has looked at it.
 *
 * @param {import('../document').Document} document
 * @param {Place} place
 */
function nodeOfHolder (document, place) {
  /** @type {Place[]} */
  const unknown = []
  let at = /** @type {Place} */ (place.holder)
  while (!byRaw.has(at.raw)) {
    unknown.push(at)
    at = /** @type {Place} */ (at.holder)
  }
  let node = /** @type {Node} */ (byRaw.get(at.raw))
  for (const { raw, name } of unknown.reverse()) node = makeNode(document, raw, node, name)
  return node
}

/**
 * Gives each place of a document an object of its own, where a transaction has assigned one to several: the first keeps it, and
 * the others get copies.
 *
 * @param {import('../document').Document} document
 * @param {import('../transaction/group').Group} group
 */
function separate (document, group) {
  const seen = new Set()
  for (const place of placesIn(document.node.raw)) {
    if (seen.has(place.raw)) copyAt(place, document, group)
    else seen.add(place.raw)
  }
}

/** @param {Place} place @param {import('../document').Document} document @param {import('../transaction/group').Group} group */
function copyAt (place, document, group) {
  const holder = nodeOfHolder(document, place)
  group.change(document, holder)
  holder.draft[place.name] = presentJson(place.raw)
}

module.exports = { isInDocument, separate }
