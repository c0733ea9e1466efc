'use strict'

const { ArrayNode } = require('../nodes/array-node')
const { CollectionNode } = require('../nodes/collection-node')
const { ObjectNode } = require('../nodes/object-node')
const { HOLE } = require('../record/values')
const { Reference } = require('../heap/reference')
const { Text } = require('../heap/text')

// Which keys of a node a transaction has changed, by what it remembers to take its changes back: steps, newest first.
// Each begins with what the node is after it, and goes back to what it was before.

/** @typedef {{ what: any, former: any }} Step */

/**
 * The names of properties, indices of elements, or keys of entries; none of what has no keys.
 *
 * @param {import('../nodes/node').Node} node
 * @param {Step[]} steps newest first
 * @returns {unknown[]} slots, oldest first
 */
function keysOf (node, steps) {
  if (node instanceof ObjectNode) return [...namesOf(node, steps)].reverse()
  if (node instanceof ArrayNode) return indicesOf(node, steps)
  if (node instanceof CollectionNode) return [...entriesOf(node, steps)].reverse()
  return []
}

/** @param {ObjectNode} node @param {Step[]} steps */
function namesOf ({ names }, steps) {
  /** @type {Set<string | symbol | undefined>} */
  const keys = new Set()
  let count = names.slots
  for (const { what, former } of steps) {
    if (typeof what === 'number') {
      keys.add(names.names[what])
    } else if (what === 'add') {
      keys.add(names.names[--count])
      names = former
    } else if (what === 'remove') {
      keys.add(former.name)
    } else if (what === 'names') {
      for (const name of former.names.index.keys()) if (!names.index.has(name)) keys.add(name)
      names = former.names
      count = former.values.length
    }
  }
  // A slot whose name was deleted later.
  keys.delete(undefined)
  return keys
}

/** Elements by ascending index, then 'length'. @param {ArrayNode} node @param {Step[]} steps */
function indicesOf (node, steps) {
  /** @type {Set<number>} */
  const keys = new Set()
  let { length } = node
  /** @param {number} from @param {number} to */
  const addAll = (from, to) => { for (let index = from; index < to; index++) keys.add(index) }
  for (const { what, former } of steps) {
    if (typeof what === 'number') {
      keys.add(what)
    } else if (what === 'append') {
      addAll(former, length)
      length = former
    } else if (what === 'truncate') {
      addAll(length, length + former.length)
      length += former.length
    } else if (what === 'prepend') {
      addAll(0, length)
      length -= former
    } else if (what === 'dropFirst') {
      length += former.length
      addAll(0, length)
    }
  }
  const sorted = [...keys].sort((a, b) => a - b)
  return length === node.length ? sorted : [...sorted, 'length']
}

/** @param {CollectionNode} node @param {Step[]} steps */
function entriesOf ({ table }, steps) {
  /** @type {Set<unknown>} */
  const keys = new Set()
  let { length } = table
  for (const { what, former } of steps) {
    if (typeof what === 'number') {
      keys.add(table.keys[what])
    } else if (what === 'append') {
      keys.add(table.keys[--length])
    } else if (what === 'remove') {
      keys.add(former.key)
    } else if (what === 'table') {
      for (const key of former.keys) if (!isIn(table, key)) keys.add(key)
      table = former
      length = former.length
    }
  }
  keys.delete(HOLE)
  return keys
}

/** Whether a table has the key of another one. @param {import('../nodes/table').Table} table @param {any} key a slot */
function isIn (table, key) {
  const asked = key instanceof Text ? key.string : key instanceof Reference ? { id: key.id, attached: true } : key
  return table.find(/** @type {any} */ (asked)) !== undefined
}

module.exports = { keysOf }
