'use strict'

const { ArrayNode } = require('../nodes/array-node')
const { CollectionNode } = require('../nodes/collection-node')
const { Node } = require('../nodes/node')
const { ObjectNode } = require('../nodes/object-node')
const { Reference } = require('../heap/reference')

// Which objects a node has come to refer to, or may refer to no longer, by the steps of keys.js: so that nobody has to read all of a
// long list whose last element has changed.

/**
 * @typedef {import('./keys').Step} Step
 * @typedef {{ added: number[], dropped: number[] }} Links ids; what was dropped may be there all the same, at another place
 */

/**
 * @param {Node} node
 * @param {Step[]} steps newest first
 * @returns {Links}
 */
function linksOf (node, steps) {
  return { added: idsOf(slotsAt(node, steps)), dropped: idsOf(steps.flatMap(formerSlots)) }
}

/** Gives what was there before a step. @param {Step} step @returns {any[]} slots */
function formerSlots ({ what, former }) {
  switch (what) {
    case 'truncate': case 'dropFirst': return former
    case 'remove': return [former.key, former.value]
    case 'names': return former.values
    case 'table': return [...former.keys, ...former.values]
    default: return typeof what === 'number' ? [former] : []
  }
}

/** Gives what is there now where steps have written. @param {Node} node @param {Step[]} steps @returns {any[]} slots */
function slotsAt (node, steps) {
  if (node instanceof ObjectNode) return slotsOfObject(node, steps)
  if (node instanceof ArrayNode) return slotsOfArray(node, steps)
  return node instanceof CollectionNode ? slotsOfCollection(node, steps) : []
}

/** @param {ObjectNode} node @param {Step[]} steps */
function slotsOfObject ({ values }, steps) {
  // They have moved.
  if (steps.some(({ what }) => what === 'names')) return values
  let count = values.length
  return steps.map(({ what }) => what === 'add' ? values[--count] : typeof what === 'number' ? values[what] : undefined)
}

/** @param {CollectionNode} node @param {Step[]} steps */
function slotsOfCollection ({ table: { keys, values, length } }, steps) {
  if (steps.some(({ what }) => what === 'table')) return [...keys, ...values]
  return steps.flatMap(({ what }) => {
    if (what === 'append') length--
    return what === 'append' ? [keys[length], values[length]] : typeof what === 'number' ? [values[what]] : []
  })
}

/** @param {ArrayNode} node @param {Step[]} steps */
function slotsOfArray (node, steps) {
  /** @type {Set<number>} */
  const indices = new Set()
  let { length } = node
  /** By how much the elements that a step had before it have moved since. */
  let moved = 0
  /** @param {number} from @param {number} to */
  const addAll = (from, to) => { for (let index = from; index < to; index++) indices.add(index + moved) }
  for (const { what, former } of steps) {
    if (typeof what === 'number') {
      indices.add(what + moved)
    } else if (what === 'append') {
      addAll(former, length)
      length = former
    } else if (what === 'truncate') {
      length += former.length
    } else if (what === 'prepend') {
      addAll(0, former)
      length -= former
      moved += former
    } else if (what === 'dropFirst') {
      length += former.length
      moved -= former.length
    }
  }
  return [...indices].filter(index => index >= 0 && index < node.length).map(index => node.slot(index))
}

/** The objects among slots. @param {any[]} slots @returns {number[]} */
function idsOf (slots) {
  const ids = new Set()
  for (const slot of slots) if (slot instanceof Reference || slot instanceof Node) ids.add(slot.id)
  return [...ids]
}

module.exports = { linksOf }
