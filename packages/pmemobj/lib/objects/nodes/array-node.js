'use strict'

const { KIND, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { MAX_LENGTH, indexOf } = require('./array-index')
const { methods } = require('./array-methods')
const { Elements } = require('./elements')
const { checkDescriptor, keepPrototype, setOnReceiver } = require('./property')
const { refusedHeir } = require('../heap/refusal')
const { isAlike } = require('./content')
const { NODE } = require('./node')
const { shellOf } = require('./shell')

const SHELL = shellOf(/** @type {unknown[]} */ ([]))
/** More holes at once are taken for an error: each is kept. */
const MAX_GAP = 2 ** 20

/** An array: the handler of its Proxy. */
class ArrayNode extends Elements {
  static kinds = [KIND.array, KIND.queue]

  /** @param {unknown} value */
  static match (value) {
    return Array.isArray(value)
  }

  /** @param {unknown[]} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    if (Object.getPrototypeOf(value) === Array.prototype) return new ArrayNode(heap, UNATTACHED)
    throw refusedHeir('Array')
  }

  /** @param {any[]} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    const slots = []
    for (const name of Object.keys(value)) {
      const index = indexOf(name)
      if (index < 0) throw notAnElement(name)
      for (const hole of gap(slots.length, index)) slots.push(hole)
      slots.push(keep(value[index], name))
    }
    for (const hole of gap(slots.length, value.length)) slots.push(hole)
    keep(value.length, 'length')
    this.begin(slots)
  }

  /** @param {unknown[]} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike([...Object.entries(value).flat(), 'length', value.length], content) }

  get isProxied () { return true }

  make () {
    return new Proxy(SHELL, this)
  }

  // Traps of the Proxy

  /** @param {object} _target @param {string | symbol} name @param {unknown} receiver */
  get (_target, name, receiver) {
    if (name === NODE) return this
    if (this.version !== this.heap.version) this.load()
    this.touched = true
    const index = indexOf(name)
    if (index >= 0 && index < this.length) {
      const slot = this.slot(index)
      if (slot !== HOLE) return typeof slot === 'object' && slot !== null ? slot.reveal(this.heap) : slot
    }
    if (name === 'length') return this.length
    return methods.get(name) ?? Reflect.get(Array.prototype, name, receiver)
  }

  /** @param {object} _target @param {string | symbol} name @param {unknown} value @param {unknown} receiver */
  set (_target, name, value, receiver) {
    if (!this.isShownAs(receiver)) return setOnReceiver(receiver, name, value)
    const index = indexOf(name)
    if (index >= 0) this.#put(index, value)
    else if (name === 'length') this.#resize(value)
    else throw notAnElement(name)
    return true
  }

  /** @param {object} _target @param {string | symbol} name */
  has (_target, name) {
    return this.#has(name) || name === 'length' || name in Array.prototype
  }

  /** @param {string | symbol} name */
  #has (name) {
    if (this.version !== this.heap.version) this.load()
    const index = indexOf(name)
    return index >= 0 && index < this.length && this.slot(index) !== HOLE
  }

  ownKeys () {
    if (this.version !== this.heap.version) this.load()
    const names = []
    for (let index = 0; index < this.length; index++) {
      if (this.slot(index) !== HOLE) names.push(String(index))
    }
    names.push('length')
    return names
  }

  /** @param {object} _target @param {string | symbol} name */
  getOwnPropertyDescriptor (_target, name) {
    if (this.#has(name)) return { value: this.at(indexOf(name)), writable: true, enumerable: true, configurable: true }
    if (name !== 'length') return undefined
    return { value: this.length, writable: true, enumerable: false, configurable: false }
  }

  /** @param {object} _target @param {string | symbol} name @param {PropertyDescriptor} descriptor */
  defineProperty (_target, name, descriptor) {
    if (name === 'length') return this.#defineLength(descriptor)
    const index = indexOf(name)
    if (index < 0) throw notAnElement(name)
    const exists = this.#has(name)
    checkDescriptor(descriptor, exists)
    if (!exists || 'value' in descriptor) this.#put(index, descriptor.value)
    return true
  }

  /** @param {PropertyDescriptor} descriptor */
  #defineLength ({ value = this.length, writable = true, enumerable = false, configurable = false, get, set }) {
    if (!writable || enumerable || configurable || get !== undefined || set !== undefined) return false
    this.#resize(value)
    return true
  }

  /** @param {object} _target @param {string | symbol} name */
  deleteProperty (_target, name) {
    if (name === 'length') return false
    if (this.#has(name)) {
      this.change(() => {
        const index = indexOf(name)
        this.heap.drop([this.slot(index)])
        this.setSlot(index, HOLE)
      })
    }
    return true
  }

  getPrototypeOf () {
    return Array.prototype
  }

  /** @param {object} _target @param {object | null} prototype */
  setPrototypeOf (_target, prototype) {
    return keepPrototype(prototype, Array.prototype)
  }

  /** @returns {boolean} */
  preventExtensions () {
    throw new TypeError('An array of a pool cannot be frozen, sealed or made not extensible, but what pool.plain() gives')
  }

  // For all who have the node

  /**
   * Returns what users see at an index.
   *
   * @param {number} index
   */
  at (index) {
    const slot = this.slot(index)
    return slot === HOLE ? undefined : this.heap.reveal(slot)
  }

  /** @param {number} index @param {unknown} value */
  #put (index, value) {
    this.change(() => {
      const slot = this.adopt(value)
      if (index < this.length) {
        this.heap.drop([this.slot(index)])
        this.setSlot(index, slot)
      } else {
        this.append([...gap(this.length, index), slot])
      }
    })
  }

  /** @param {unknown} value */
  #resize (value) {
    const length = Number(value)
    if (length >>> 0 !== length) throw new RangeError('Invalid array length')
    this.change(() => {
      this.heap.drop(this.slotsFrom(length))
      this.truncate(length)
      this.append(gap(this.length, length))
    })
  }

  plain () {
    this.load()
    return new Array(this.length)
  }

  /** @param {unknown[]} plain @param {import('../heap/types').CopyOut} copy */
  fillPlain (plain, copy) {
    this.slotsFrom(0).forEach((slot, index) => {
      if (slot !== HOLE) plain[index] = copy(slot)
    })
  }
}

/**
 * The holes between a length and a greater one.
 *
 * @param {number} from
 * @param {number} to
 */
function gap (from, to) {
  if (to <= from) return []
  if (to - from > MAX_GAP || to > MAX_LENGTH) throw new RangeError(`An array of a pool cannot get ${to - from} holes at once: use a Map, or an object`)
  return new Array(to - from).fill(HOLE)
}

/** @param {string | symbol} name */
function notAnElement (name) {
  return new TypeError(`An array of a pool keeps elements only, and not .${String(name)}: use an object that has both`)
}

module.exports = { ArrayNode }
