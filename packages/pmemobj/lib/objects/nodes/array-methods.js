'use strict'

const { HOLE } = require('../record/values')
const { nodeOf } = require('./node')

// Array's own methods work on a Proxy too, but change one element after the other: these are one
// operation each, and move what they move as it is.

/** @typedef {import('./array-node').ArrayNode} ArrayNode */
/** @typedef {(node: ArrayNode, args: any, array: unknown[]) => unknown} Change */
/** @typedef {(a: any, b: any) => number} Compare */
/** @typedef {{ slot: import('../heap/types').Slot, value: any, text: string }} Sorted text: its value as a string, once it is needed */

const usual = /** @type {Record<string, Function>} */ (/** @type {unknown} */ (Array.prototype))

/**
 * A method that is Array's own for what is not a persistent array.
 *
 * @param {string} name
 * @param {Change} change
 * @returns {[string, Function]}
 */
function method (name, change) {
  return [name, {
    /** @this {unknown[]} @param {any[]} args */
    [name] (...args) {
      const node = /** @type {ArrayNode | undefined} */ (nodeOf(this))
      if (node === undefined) return usual[name].apply(this, args)
      return node.change(() => change(node, args, this))
    }
  }[name]]
}

/** @param {ArrayNode} node @param {unknown[]} items */
function push (node, items) {
  node.append(items.map(item => node.adopt(item)))
  return node.length
}

/** @param {ArrayNode} node */
function pop (node) {
  return node.length === 0 ? undefined : splice(node, [node.length - 1, 1])[0]
}

/** @param {ArrayNode} node */
function shift (node) {
  return node.length === 0 ? undefined : splice(node, [0, 1])[0]
}

/** @param {ArrayNode} node @param {unknown[]} items */
function unshift (node, items) {
  if (items.length > 0) splice(node, [0, 0, ...items])
  return node.length
}

/** @param {ArrayNode} node @param {any[]} args */
function splice (node, args) {
  // All that calls the user's code comes before the first look at the length.
  const from = toInteger(args[0])
  const wanted = args.length === 0 ? 0 : args.length === 1 ? Infinity : toInteger(args[1])
  const items = args.slice(2).map(item => node.adopt(item))
  const start = position(from, node.length)
  const count = Math.min(Math.max(wanted, 0), node.length - start)
  const removed = node.slotsFrom(start, start + count)
  const result = removed.map(slot => slot === HOLE ? undefined : node.heap.reveal(slot))
  removed.forEach((slot, i) => { if (slot === HOLE) delete result[i] })
  node.heap.drop(removed)
  if (items.length === count) items.forEach((item, i) => node.setSlot(start + i, item))
  else replace(node, start, count, items)
  return result
}

/**
 * Moves what is before the place, or what is behind it: whatever is less.
 *
 * @param {ArrayNode} node
 * @param {number} start
 * @param {number} count of elements that go
 * @param {import('../heap/types').Slot[]} items
 */
function replace (node, start, count, items) {
  if (start < node.length - start - count) {
    const head = node.slotsFrom(0, start)
    node.dropFirst(start + count)
    node.prepend([...head, ...items])
  } else {
    node.replaceFrom(start, [...items, ...node.slotsFrom(start + count)])
  }
}

/** @param {ArrayNode} node @param {unknown[]} _args @param {unknown[]} array */
function reverse (node, _args, array) {
  node.replaceFrom(0, node.slotsFrom(0).reverse())
  return array
}

/** @param {ArrayNode} node @param {[(Compare | undefined)?]} args @param {unknown[]} array */
function sort (node, [compare], array) {
  if (compare !== undefined && typeof compare !== 'function') {
    throw new TypeError('The comparison function must be either a function or undefined')
  }
  const slots = node.slotsFrom(0)
  const elements = slots.filter(slot => slot !== HOLE).map(slot => /** @type {Sorted} */ ({ slot, value: node.heap.reveal(slot) }))
  const values = elements.filter(({ value }) => value !== undefined)
  const missing = elements.length - values.length
  const holes = slots.length - elements.length
  const sorted = sortedBy(values, compare)
  node.load()
  // The comparison may have changed the array: what it was counts, except for strings that are gone.
  const others = new Set(node.slotsFrom(0))
  for (const slot of slots) others.delete(slot)
  node.heap.drop(others)
  node.replaceFrom(0, [...sorted.map(({ slot }) => slot), ...Array(missing).fill(undefined), ...Array(holes).fill(HOLE)])
  return array
}

/** @param {Sorted[]} elements @param {Compare | undefined} compare */
function sortedBy (elements, compare) {
  if (compare !== undefined) return elements.sort((a, b) => compare(a.value, b.value))
  if (elements.length < 2) return elements
  // Symbols throw, as they do in an array of JavaScript's own.
  for (const element of elements) element.text = `${element.value}`
  return elements.sort((a, b) => a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
}

/**
 * @param {ArrayNode} node
 * @param {[unknown?, unknown?, unknown?]} args
 * @param {unknown[]} array
 */
function fill (node, [value, from, to], array) {
  const bounds = [toInteger(from), to === undefined ? Infinity : toInteger(to)]
  const kept = typeof value === 'string' ? undefined : node.adopt(value)
  const end = position(bounds[1], node.length)
  for (let index = position(bounds[0], node.length); index < end; index++) {
    node.heap.drop([node.slot(index)])
    // A long string has one place.
    node.setSlot(index, typeof value === 'string' ? node.adopt(value) : kept)
  }
  return array
}

/**
 * @param {ArrayNode} node
 * @param {[unknown?, unknown?, unknown?]} args
 * @param {unknown[]} array
 */
function copyWithin (node, [to, from, end], array) {
  // All that calls the user's code comes before the first look at the elements.
  const bounds = /** @type {const} */ ([toInteger(to), toInteger(from), end === undefined ? Infinity : toInteger(end)])
  const copy = node.slotsFrom(0).map(slot => slot === HOLE ? HOLE : { value: node.heap.reveal(slot) })
  const moved = [...copy.keys()].copyWithin(...bounds)
  moved.forEach((source, target) => {
    if (source === target) return
    node.heap.drop([node.slot(target)])
    node.setSlot(target, copy[source] === HOLE ? HOLE : node.adopt(copy[source].value))
  })
  return array
}

/** @param {unknown} value */
function toInteger (value) {
  const number = Math.trunc(Number(value))
  return Number.isNaN(number) ? 0 : number
}

/**
 * Returns what Array's methods make of an index that may be negative, missing, or out of bounds.
 *
 * @param {unknown} value
 * @param {number} length
 */
function position (value, length) {
  const index = toInteger(value)
  return index < 0 ? Math.max(index + length, 0) : Math.min(index, length)
}

/**
 * A method that looks for an element: a plain value that was copied in this turn is found by its copy.
 *
 * @param {'indexOf' | 'lastIndexOf' | 'includes'} name
 * @returns {[string, Function]}
 */
function search (name) {
  return [name, {
    /** @this {unknown[]} @param {[any, ...any[]]} args */
    [name] (...args) {
      const heap = nodeOf(this)?.heap
      const node = typeof args[0] === 'object' && args[0] !== null ? heap?.originals.copyOf(args[0]) : undefined
      if (node !== undefined) args[0] = node.reveal()
      return usual[name].apply(this, args)
    }
  }[name]]
}

/** @type {Map<string | symbol, Function>} */
const methods = new Map([
  method('push', push), method('pop', pop), method('shift', shift), method('unshift', unshift),
  method('splice', splice), method('reverse', reverse), method('sort', sort), method('fill', fill),
  method('copyWithin', copyWithin), search('indexOf'), search('lastIndexOf'), search('includes')
])

module.exports = { methods }
