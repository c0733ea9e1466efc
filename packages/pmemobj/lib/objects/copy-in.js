'use strict'

const { moreThanProperties } = require('./classes')
const { kindFor } = require('./nodes/kinds')
const { nodeOf } = require('./nodes/node')
const { SHORT, UNATTACHED } = require('./record/layout')
const { Text } = require('./text')

/** A longer list gets an index. */
const FEW = 32

/**
 * What a slot holds for a value that users give: persistent objects of the pool as they are, and
 * copies of all others, with their cycles and shared references. Nothing has happened if it throws.
 *
 * @param {import('./heap').Heap} heap
 * @param {any} value
 * @param {boolean} attached whether the slot is one of the pool's
 */
function adopt (heap, value, attached) {
  const slot = isPrimitive(value) ? keepPrimitive(value, '') : copy(heap, value)
  if (attached) attach(heap, slot)
  return slot
}

function isPrimitive (value) {
  return value === null || (typeof value !== 'object' && typeof value !== 'function')
}

function keepPrimitive (value, name) {
  if (typeof value === 'symbol') throw refused('A symbol', name)
  if (typeof value === 'string' && value.length > SHORT) return new Text(UNATTACHED, value)
  return value
}

/** One after the other, not one within the other: a list may be longer than the stack is deep. */
function copy (heap, value) {
  const waiting = []
  const copies = new Copies(waiting)
  const keep = (child, name) => {
    if (isPrimitive(child)) return keepPrimitive(child, name)
    const known = nodeOf(child)
    if (known !== undefined && known.heap === heap) {
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
  for (let i = 0; i < waiting.length; i += 2) waiting[i].fill(waiting[i + 1], keep)
  return slot
}

/** The copies that are made, and of what: a flat list of both, with an index where it gets long. */
class Copies {
  #list
  #index

  /** @param {any[]} list */
  constructor (list) {
    this.#list = list
  }

  get (value) {
    if (this.#index !== undefined) return this.#index.get(value)
    const at = this.#list.indexOf(value)
    return at < 0 ? undefined : this.#list[at - 1]
  }

  add (node, value) {
    this.#list.push(node, value)
    if (this.#index !== undefined) this.#index.set(value, node)
    else if (this.#list.length > FEW) this.#makeIndex()
  }

  #makeIndex () {
    this.#index = new Map()
    for (let i = 0; i < this.#list.length; i += 2) this.#index.set(this.#list[i + 1], this.#list[i])
  }
}

function copyOne (heap, value, name) {
  if (typeof value === 'function') throw refused('A function', name)
  const kind = kindFor(value, heap)
  if (kind === undefined) throw refused(describe(value), name)
  return kind.copy(value, heap)
}

function describe (value) {
  const prototype = Object.getPrototypeOf(value)
  const name = prototype?.constructor?.name
  const what = `An instance of ${typeof name === 'string' && name !== '' ? name : 'a class without name'}`
  return moreThanProperties(prototype) === undefined ? `${what} (which is not registered)` : what
}

function refused (what, name) {
  const where = name === '' ? '' : `, as .${String(name)}`
  return new TypeError(`${what} cannot be kept in a pool${where}`)
}

/** Gives ids to all that becomes reachable. */
function attach (heap, slot) {
  const waiting = []
  const visit = child => {
    if (typeof child !== 'object' || child === null || child.id !== UNATTACHED) return
    child.attach(heap)
    if (!(child instanceof Text)) waiting.push(child)
  }
  visit(slot)
  for (const node of waiting) node.eachChild(visit)
}

module.exports = { adopt }
