'use strict'

const { kindFor } = require('../nodes/kinds')
const { Node, nodeOf } = require('../nodes/node')
const { UNATTACHED } = require('../record/layout')
const { Generated } = require('./generated')
const { pathTo } = require('./path')
const { isPrimitive, keepPrimitive } = require('./primitive')
const { Reference } = require('./reference')
const { refused } = require('./refusal')
const { sketchFor } = require('./sketch')

/** @typedef {import('./types').Slot} Slot */
/** @typedef {import('./sketch').Sketch} Sketch */

/** The slot of what only a node can take. */
const NONE = new Reference(UNATTACHED)
/** More sketches get an index. */
const FEW = 16

/**
 * Puts a plain value and all that it holds into the transaction under way, as records: of objects and arrays that are in one
 * chunk. That takes a fraction of what nodes of them take.
 */
class Storing {
  #heap
  /** The sketches, as a list in which each has the next one. @type {Sketch | undefined} */
  #first
  /** @type {Sketch | undefined} */
  #last
  #count = 0
  /** The one that is being read. @type {Sketch | undefined} */
  #current
  /** @type {Generated | undefined} */
  #generated
  /** By value, where they are many. @type {Map<object, Sketch> | undefined} */
  #index
  /** Persistent objects that records refer to. @type {Node[] | undefined} */
  #known
  /** @type {import('./originals').Verdicts | undefined} */
  #verdicts
  /** Whether there is something that only a node can take. */
  #needsNodes = false

  /** @param {import('./heap').Heap} heap */
  constructor (heap) {
    this.#heap = heap
  }

  /** Whether it cannot be written: nodes have to take it. */
  get needsNodes () { return this.#needsNodes }

  /**
   * Reads it, up to what only a node can take.
   *
   * @param {any} value no primitive
   * @returns {Slot | Sketch} it is to be written next
   */
  read (value) {
    const slot = this.slotOf(value, '')
    for (let sketch = this.#first; sketch !== undefined && !this.#needsNodes; sketch = sketch.next) {
      this.#current = sketch
      sketch.read(this, this.#heap)
      if (sketch.slots === undefined) this.#needsNodes = true
    }
    return slot
  }

  /** All that was read, by the values of which it was: nobody reads twice. */
  get contents () {
    const contents = new Map()
    for (let sketch = this.#first; sketch?.slots !== undefined; sketch = sketch.next) contents.set(sketch.value, sketch.plain)
    return contents
  }

  get #values () {
    const values = new Array(this.#count)
    for (let sketch = this.#first, number = 0; sketch !== undefined; sketch = sketch.next) values[number++] = sketch.value
    return values
  }

  /**
   * @param {Slot | Sketch} slot that was read
   * @param {(heap: import('./heap').Heap, node: Node) => void} attach gives ids to what has none
   * @returns {Slot}
   */
  write (slot, attach) {
    const { fresh, originals } = this.#heap
    for (const node of this.#known ?? []) {
      attach(this.#heap, node)
      fresh.refer(node)
    }
    const first = this.#first
    // The value itself is known where there is none.
    if (first === undefined) return /** @type {Slot} */ (slot)
    const copies = fresh.add(first, this.#count)
    originals.add(this.#values, copies)
    return new Reference(first.id)
  }

  /** @param {any} value @param {string | symbol} name @returns {Slot | Sketch} */
  slotOf (value, name) {
    if (isPrimitive(value)) return keepPrimitive(value, name, this)
    const node = nodeOf(value)
    // One of another pool, or of a state that is kept, is copied each time.
    const known = node === undefined ? this.#unchanged(value) : this.#own(node)
    if (known !== undefined) return this.#hold(known)
    return this.#find(value) ?? this.#sketch(value, name)
  }

  /** The place of what is being read, for errors. @param {string | symbol} name @returns {string} */
  pathTo (name) { return pathTo(name, this.#current?.value, value => this.#placeOf(value)) }

  /** @param {object} value @returns {import('./path').Place | undefined} */
  #placeOf (value) {
    if (value === this.#first?.value) return undefined
    for (let sketch = this.#first; sketch?.slots !== undefined; sketch = sketch.next) {
      const index = sketch.content.indexOf(value)
      if (index >= 0) return { holder: sketch.value, name: sketch.nameAt(index) }
    }
    return undefined
  }

  /** @param {Node} node */
  #own (node) { return node.heap === this.#heap ? node : undefined }

  /** @param {object} value */
  #unchanged (value) {
    const { originals } = this.#heap
    if (!originals.has(value)) return undefined
    this.#verdicts ??= new Map()
    return originals.unchanged(value, this.#verdicts)
  }

  /** @param {Node | Reference} known */
  #hold (known) {
    if (known instanceof Node) {
      known.checkExists()
      if (this.#known === undefined) this.#known = [known]
      else this.#known.push(known)
    }
    return known
  }

  /** @param {object} value */
  #find (value) {
    if (this.#index !== undefined) return this.#index.get(value)
    for (let sketch = this.#first; sketch !== undefined; sketch = sketch.next) {
      if (sketch.value === value) return sketch
    }
    return undefined
  }

  /** @param {any} value @param {string | symbol} name @returns {Slot | Sketch} */
  #sketch (value, name) {
    const kind = typeof value === 'function' ? undefined : kindFor(value, this.#heap)
    if (kind === undefined) throw refused(value, this.pathTo(name))
    const sketch = sketchFor(value, kind)
    if (sketch !== undefined) return this.#add(sketch)
    this.#needsNodes = true
    return NONE
  }

  /** @param {Sketch} sketch */
  #add (sketch) {
    if (this.#last === undefined) this.#first = sketch
    else this.#last.next = sketch
    this.#last = sketch
    if (++this.#count > FEW) this.#list(sketch)
    if (Generated.looksAt(this.#count)) (this.#generated ??= new Generated()).count(sketch.value)
    return sketch
  }

  /** @param {Sketch} added */
  #list (added) {
    if (this.#index !== undefined) {
      this.#index.set(added.value, added)
      return
    }
    this.#index = new Map()
    for (let sketch = this.#first; sketch !== undefined; sketch = sketch.next) this.#index.set(sketch.value, sketch)
  }
}

module.exports = { Storing }
