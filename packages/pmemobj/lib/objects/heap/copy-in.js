'use strict'

const { kindFor } = require('../nodes/kinds')
const { nodeOf } = require('../nodes/node')
const { SHORT, UNATTACHED } = require('../record/layout')
const { refused } = require('./refusal')
const { Text } = require('./text')

/** A longer list gets an index. */
const FEW = 32

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
  const slot = isPrimitive(value) ? keepPrimitive(value, '') : copy(heap, value, anew)
  if (attached) attach(heap, slot)
  return slot
}

/** @param {unknown} value */
function isPrimitive (value) {
  return value === null || (typeof value !== 'object' && typeof value !== 'function')
}

/** @param {any} value @param {string} name */
function keepPrimitive (value, name) {
  if (typeof value === 'symbol') throw refused(value, name)
  if (typeof value === 'string' && value.length > SHORT) return new Text(UNATTACHED, value)
  return value
}

/**
 * One after the other, not one within the other: a list may be longer than the stack is deep.
 *
 * @param {import('./heap').Heap} heap
 * @param {object} value
 * @param {boolean} anew
 */
function copy (heap, value, anew) {
  /** @type {object[]} see Copies */
  const waiting = []
  const copies = new Copies(waiting)
  const unchanged = anew ? () => undefined : heap.originals.unchanged()
  /** @type {import('./types').Content} */
  let content = []
  /** @type {import('./types').Content[]} */
  const contents = []
  /** @type {import('./types').Keep} */
  const keep = (child, name) => {
    content.push(name, child)
    if (isPrimitive(child)) return keepPrimitive(child, name)
    const known = ownNodeOf(heap, child) ?? unchanged(child)
    if (known !== undefined) {
      known.checkExists()
      return known
    }
    let node = copies.get(child)
    if (node === undefined) {
      node = copyOne(heap, child, name)
      copies.add(node, child)
    }
    return node
  }
  const slot = keep(value, '')
  for (let i = 0; i < waiting.length; i += 2) {
    const node = /** @type {import('../nodes/node').Node} */ (waiting[i])
    contents.push(content = [])
    node.fill(waiting[i + 1], keep)
  }
  if (!anew) contents.forEach((each, i) => heap.originals.add(waiting[2 * i + 1], /** @type {import('../nodes/node').Node} */ (waiting[2 * i]), each))
  return slot
}

/** The node of a persistent object of the heap. @param {import('./heap').Heap} heap @param {object} value */
function ownNodeOf (heap, value) {
  const node = nodeOf(value)
  return node?.heap === heap ? node : undefined
}

/** The copies that are made, and of what: a flat list of both, with an index where it gets long. */
class Copies {
  #list
  /** @type {Map<object, import('../nodes/node').Node> | undefined} */
  #index

  /** @param {object[]} list */
  constructor (list) {
    this.#list = list
  }

  /** @param {object} value */
  get (value) {
    if (this.#index !== undefined) return this.#index.get(value)
    const at = this.#list.indexOf(value)
    return at < 0 ? undefined : /** @type {import('../nodes/node').Node} */ (this.#list[at - 1])
  }

  /** @param {import('../nodes/node').Node} node @param {object} value */
  add (node, value) {
    this.#list.push(node, value)
    if (this.#index !== undefined) this.#index.set(value, node)
    else if (this.#list.length > FEW) this.#makeIndex()
  }

  #makeIndex () {
    this.#index = new Map()
    for (let i = 0; i < this.#list.length; i += 2) this.#index.set(this.#list[i + 1], /** @type {import('../nodes/node').Node} */ (this.#list[i]))
  }
}

/** @param {import('./heap').Heap} heap @param {object} value @param {string} name */
function copyOne (heap, value, name) {
  const kind = typeof value === 'function' ? undefined : kindFor(value, heap)
  if (kind === undefined) throw refused(value, name)
  return kind.copy(value, heap)
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
