'use strict'

const { CHUNK, KIND, UNATTACHED } = require('../record/layout')
const { writeValue } = require('../record/values')
const { ArrayNode } = require('../nodes/array-node')
const { namesOf } = require('../nodes/content')
const { ObjectNode } = require('../nodes/object-node')
const { checkName } = require('../nodes/property')
const { Text } = require('./text')

/**
 * Gives slots for what is read.
 *
 * @typedef {{ slotOf: (child: any, name: string | symbol) => import('./types').Slot | Sketch }} Keeper
 */

/** A plain value that becomes a record as it is: what was read of it. Most live for microseconds, and are made by the million. */
class Sketch {
  /** The id of its record. */
  id = UNATTACHED
  /** The slots of a record, by all that was read. @type {any[] | undefined} undefined until all of it was read */
  slots = undefined
  /** The objects in it, in order. @type {object[] | undefined} */
  children = undefined
  /** Slots of long strings. @type {Text[] | undefined} */
  texts = undefined
  /** The one that was made after it. @type {Sketch | undefined} */
  next = undefined

  /** @param {any} value */
  constructor (value) {
    this.value = value
  }

  /** All that was read, as it was given. @returns {unknown[]} */
  get content () {
    let number = 0
    return /** @type {any[]} */ (this.slots).map(slot => {
      if (typeof slot !== 'object' || slot === null) return slot
      return slot instanceof Text ? slot.string : /** @type {object[]} */ (this.children)[number++]
    })
  }

  /**
   * Notes what a slot is of, unless that is the slot.
   *
   * @param {object} slot
   * @param {any} child
   */
  note (slot, child) {
    if (slot instanceof Text) (this.texts ??= []).push(slot)
    else if (this.children === undefined) this.children = [child]
    else this.children.push(child)
  }

  /** Writes its record. @param {import('../record/writer').Writer} writer @param {import('./heap').Heap} heap */
  encode (writer, heap) {
    const slots = /** @type {any[]} */ (this.slots)
    writer.reserve(11)
    this.encodeHead(writer, heap)
    for (let i = 0; i < slots.length; i++) writeValue(writer, slots[i])
  }

  // For subclasses.

  /** The name of what was read there. @param {number} index @returns {string | number | symbol} */
  nameAt (index) { return index }

  /**
   * Reads all of it, or nothing where its record has parts, or names of its own: a node has to take it then.
   *
   * @param {Keeper} _keeper
   * @param {import('./heap').Heap} _heap
   */
  read (_keeper, _heap) {}
  /** Whether no object has its shape yet. */
  get isNew () { return false }
  /** A plain value with all that was read, for the eyes of nodes. @returns {object} */
  get plain () { throw new Error('A sketch of no kind') }
  /** Writes what comes before the values. @param {import('../record/writer').Writer} _writer @param {import('./heap').Heap} _heap */
  encodeHead (_writer, _heap) {}
}

/** The sketch of an object. */
class ObjectSketch extends Sketch {
  /** @type {(string | symbol)[] | undefined} */
  #names
  /** @type {import('./names').Shape | undefined} */
  #shape

  /** @param {Keeper} keeper @param {import('./heap').Heap} heap */
  read (keeper, heap) {
    const { value } = this
    const names = namesOf(value)
    if (names.length > CHUNK) return
    this.#shape = shapeOf(value, names, heap)
    if (this.#shape === undefined) return
    const slots = new Array(names.length)
    for (let i = 0; i < names.length; i++) {
      const child = value[names[i]]
      const slot = keeper.slotOf(child, names[i])
      slots[i] = slot
      if (typeof slot === 'object' && slot !== null) this.note(slot, child)
    }
    this.#names = names
    this.slots = slots
  }

  /** @param {number} index */
  nameAt (index) { return this.#names?.[index] ?? index }

  get isNew () { return this.#shape?.id === 0 }

  get plain () {
    const { content } = this
    return Object.fromEntries((this.#names ?? []).map((name, i) => [name, content[i]]))
  }

  /** @param {import('../record/writer').Writer} writer @param {import('./heap').Heap} heap */
  encodeHead (writer, { shapes }) {
    writer.u8(KIND.object)
    writer.varint(shapes.idOf(/** @type {import('./names').Shape} */ (this.#shape)))
  }
}

/** The sketch of an array. */
class ArraySketch extends Sketch {
  /** @param {Keeper} keeper */
  read (keeper) {
    const { value } = this
    const { length } = value
    if (length > CHUNK || !isDense(value)) return
    const slots = new Array(length)
    for (let i = 0; i < length; i++) {
      const child = value[i]
      const slot = keeper.slotOf(child, String(i))
      slots[i] = slot
      if (typeof slot === 'object' && slot !== null) this.note(slot, child)
    }
    this.slots = slots
  }

  get plain () { return this.content }

  /** @param {import('../record/writer').Writer} writer */
  encodeHead (writer) {
    writer.u8(KIND.array)
    writer.varint(/** @type {any[]} */ (this.slots).length)
  }
}

/**
 * The shape for the names of a value; undefined where a dictionary is better.
 *
 * @param {object} value
 * @param {(string | symbol)[]} names
 * @param {import('./heap').Heap} heap
 */
function shapeOf (value, names, { classes, shapes }) {
  const prototype = /** @type {string} */ (classes.nameOf(Object.getPrototypeOf(value)))
  const known = shapes.guess(prototype, names)
  if (known !== undefined) return known
  names.forEach(checkName)
  return shapes.of(prototype, names)
}

/**
 * An empty sketch for a value; undefined where only a node can take it.
 *
 * @param {any} value
 * @param {import('./types').NodeClass | undefined} kind of the value
 * @returns {Sketch | undefined}
 */
function sketchFor (value, kind) {
  if (kind === ObjectNode) return new ObjectSketch(value)
  return kind === ArrayNode && Object.getPrototypeOf(value) === Array.prototype ? new ArraySketch(value) : undefined
}

/** Whether an array has all its elements, and nothing else. @param {unknown[]} value */
function isDense (value) {
  const names = Object.keys(value)
  // Indices come first, and ascending.
  return names.length === value.length && (names.length === 0 || names[names.length - 1] === String(names.length - 1))
}

module.exports = { Sketch, sketchFor }
