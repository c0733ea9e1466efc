'use strict'

const { kindFor } = require('../nodes/kinds')
const { nodeOf } = require('../nodes/node')
const { Copies } = require('./copies')
const { NodeCopy } = require('./node-copy')
const { pathTo } = require('./path')
const { isPrimitive, keepPrimitive } = require('./primitive')
const { Reference } = require('./reference')
const { refused } = require('./refusal')

/** @typedef {import('../nodes/node').Node} Node */

/** Copies a value into nodes. One after the other, not one within the other: a list may be longer than the stack is deep. */
class Copying {
  #heap
  #isAnew
  /** @type {Copies<Node>} */
  #copies = new Copies()
  /** @type {import('./originals').Verdicts} */
  #verdicts = new Map()
  /** Names and values that were read of values, in their order. @type {import('./types').Content[]} */
  #contents = []

  /**
   * @param {import('./heap').Heap} heap
   * @param {boolean} isAnew whether the copy is nobody else's, even of a value that was copied in this turn
   */
  constructor (heap, isAnew) {
    this.#heap = heap
    this.#isAnew = isAnew
  }

  /**
   * @param {object} value
   * @param {Map<object, object>} [read] what was read of values before, by those
   */
  copy (value, read = new Map()) {
    const copies = this.#copies
    const slot = this.#nodeFor(value, '')
    const made = []
    // A list is gone through to what is added meanwhile.
    for (const [i, original] of copies.values.entries()) made.push(this.#fill(copies.copy(i), read.get(original) ?? original))
    if (!this.#isAnew) this.#heap.originals.add(copies.values, made)
    return slot
  }

  /** @param {Node} node @param {object} value */
  #fill (node, value) {
    /** @type {import('./types').Content} */
    const content = []
    this.#contents.push(content)
    /** @type {Map<object, Node>} */
    const children = new Map()
    node.fill(value, (child, name) => {
      content.push(name, child)
      if (isPrimitive(child)) return keepPrimitive(child, name, this)
      const slot = this.#nodeFor(child, name)
      children.set(child, slot)
      return slot
    })
    return new NodeCopy(node, content, children)
  }

  /** @param {object} value @param {string | symbol} name @returns {Node} */
  #nodeFor (value, name) {
    const known = this.#known(value)
    if (known !== undefined) {
      known.checkExists()
      return known
    }
    const copied = this.#copies.get(value)
    if (copied !== undefined) return copied
    const node = this.#make(value, name)
    this.#copies.add(value, node)
    return node
  }

  /** The place of what is being read, for errors. @param {string | symbol} name @returns {string} */
  pathTo (name) { return pathTo(name, this.#copies.values[this.#contents.length - 1], value => this.#placeOf(value)) }

  /** @param {object} value @returns {import('./path').Place | undefined} */
  #placeOf (value) {
    const { values } = this.#copies
    if (value === values[0]) return undefined
    // Names and values take turns.
    const isIn = (/** @type {import('./types').Content} */ content) => content.findIndex((each, i) => i % 2 === 1 && each === value)
    const number = this.#contents.findIndex(content => isIn(content) >= 0)
    return number < 0 ? undefined : { holder: values[number], name: /** @type {any} */ (this.#contents[number][isIn(this.#contents[number]) - 1]) }
  }

  /** @param {object} value @returns {Node | undefined} */
  #known (value) {
    const node = nodeOf(value)
    if (node !== undefined) return node.heap === this.#heap ? node : undefined
    const { originals } = this.#heap
    if (this.#isAnew || !originals.has(value)) return undefined
    const slot = originals.unchanged(value, this.#verdicts)
    return slot instanceof Reference ? this.#heap.find(slot.id) : slot
  }

  /** @param {object} value @param {string | symbol} name @returns {Node} an empty one */
  #make (value, name) {
    const kind = typeof value === 'function' ? undefined : kindFor(value, this.#heap)
    if (kind === undefined) throw refused(value, this.pathTo(name))
    return kind.copy(value, this.#heap)
  }
}

module.exports = { Copying }
