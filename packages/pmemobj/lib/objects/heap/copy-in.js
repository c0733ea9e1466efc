'use strict'

const { UNATTACHED } = require('../record/layout')
const { Copying } = require('./copying')
const { isPrimitive, keepPrimitive } = require('./primitive')
const { Storing } = require('./storing')
const { Text } = require('./text')

/**
 * Makes a slot of a value that users give: persistent objects of the pool stay as they are, and all
 * others are copied, with their cycles and shared references. Nothing has happened if it throws.
 *
 * @param {import('./heap').Heap} heap
 * @param {any} value
 * @param {boolean} attached whether the slot is one of the pool's
 * @param {boolean} [anew] a copy that is nobody else's, even of a value that was copied in this turn
 */
function adopt (heap, value, attached, anew = false) {
  if (attached && !isPrimitive(value)) return store(heap, value)
  const slot = isPrimitive(value) ? keepPrimitive(value, '') : new Copying(heap, anew).copy(value)
  if (attached) attach(heap, slot)
  return slot
}

/**
 * Copies a value into records, or, if there is something in it that takes a node, into nodes.
 *
 * @param {import('./heap').Heap} heap
 * @param {any} value
 */
function store (heap, value) {
  const storing = new Storing(heap)
  const slot = storing.read(value)
  if (!storing.needsNodes) return storing.write(slot, attach)
  const node = new Copying(heap, false).copy(value, storing.contents)
  attach(heap, node)
  return node
}

/**
 * Gives ids to all that becomes reachable.
 *
 * @param {import('./heap').Heap} heap
 * @param {import('./types').Slot} slot
 */
function attach (heap, slot) {
  /** @type {import('../nodes/node').Node[]} */
  const waiting = []
  /** @type {import('./types').Visit} */
  const visit = child => {
    if (typeof child !== 'object' || child === null || child.id !== UNATTACHED) return
    // References have ids.
    const own = /** @type {import('../nodes/node').Node | Text} */ (child)
    own.attach(heap)
    if (!(own instanceof Text)) waiting.push(own)
  }
  visit(slot)
  for (const node of waiting) node.eachChild(visit)
}

module.exports = { adopt }
