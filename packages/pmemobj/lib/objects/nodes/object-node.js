'use strict'

const { inspect } = require('node:util')
const { UNATTACHED } = require('../record/layout')
const { checkDescriptor, keepPrototype, setOnReceiver } = require('./property')
const { Properties } = require('./properties')
const { shellOf } = require('./shell')
const { NODE } = require('./node')

const SHELL = shellOf({})

/** By what shows values, converts them, or looks for promises. @type {Set<string | symbol>} */
const ASKED_OF_ALL = new Set(['toJSON', 'then', Symbol.toPrimitive, Symbol.toStringTag, inspect.custom])

/**
 * A plain object, or an instance of a registered class: the handler of its Proxy.
 */
class ObjectNode extends Properties {
  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static match (value, heap) {
    return this.prototypeFor(value, heap) !== undefined
  }

  /**
   * The name by which the pool knows the prototype of a value; undefined where it does not.
   *
   * @param {object} value
   * @param {import('../heap/heap').Heap} heap
   */
  static prototypeFor (value, heap) {
    return heap.classes.nameOf(Object.getPrototypeOf(value))
  }

  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    const node = new this(heap, UNATTACHED)
    node.names = heap.shapes.root(/** @type {string} */ (this.prototypeFor(value, heap)))
    node.values = []
    return node
  }

  get isProxied () { return true }

  make () {
    return new Proxy(SHELL, this)
  }

  get prototype () {
    return this.heap.classes.prototypeOf(this.names.prototype)
  }

  // Traps of the Proxy

  /** @param {object} _target @param {string | symbol} name @param {unknown} receiver */
  get (_target, name, receiver) {
    if (name === NODE) return this
    if (this.version !== this.heap.version) this.load()
    this.touched = true
    const slot = this.names.index.get(name)
    if (slot === undefined) return this.#inherited(name, receiver)
    const value = this.values[slot]
    return typeof value === 'object' && value !== null ? value.reveal(this.heap) : value
  }

  /** @param {string | symbol} name @param {unknown} receiver */
  #inherited (name, receiver) {
    // Every object is asked for it where it is shown; other names may be those of the class, which is not known.
    if (isAskedOfAll(name) && !this.heap.classes.isKnown(this.names.prototype)) return Reflect.get(Object.prototype, name, receiver)
    const { prototype } = this
    return prototype === null ? undefined : Reflect.get(prototype, name, receiver)
  }

  /** @param {object} _target @param {string | symbol} name @param {unknown} value @param {unknown} receiver */
  set (_target, name, value, receiver) {
    const { heap } = this
    if (this.version !== heap.version) this.load()
    if (!this.isShownAs(receiver)) return setOnReceiver(receiver, name, value)
    const slot = this.names.index.get(name)
    if (slot === undefined && this.prototype !== null && name in this.prototype) {
      // A setter, or what leads to defineProperty().
      return Reflect.set(this.prototype, name, value, receiver)
    }
    this.put(name, slot, value)
    return true
  }

  /** @param {object} _target @param {string | symbol} name */
  has (_target, name) {
    if (this.version !== this.heap.version) this.load()
    return this.names.index.has(name) || (this.prototype !== null && name in this.prototype)
  }

  ownKeys () {
    if (this.version !== this.heap.version) this.load()
    return this.names.ordered
  }

  /** @param {object} _target @param {string | symbol} name */
  getOwnPropertyDescriptor (_target, name) {
    if (this.version !== this.heap.version) this.load()
    const slot = this.names.index.get(name)
    if (slot === undefined) return undefined
    return { value: this.heap.reveal(this.values[slot]), writable: true, enumerable: !this.hides(name), configurable: true }
  }

  /** @param {object} _target @param {string | symbol} name @param {PropertyDescriptor} descriptor */
  defineProperty (_target, name, descriptor) {
    if (this.version !== this.heap.version) this.load()
    const slot = this.names.index.get(name)
    checkDescriptor(this.hides(name) ? { ...descriptor, enumerable: true } : descriptor, slot !== undefined)
    if (slot === undefined || 'value' in descriptor) this.put(name, slot, descriptor.value)
    return true
  }

  /** @param {object} _target @param {string | symbol} name */
  deleteProperty (_target, name) {
    if (this.version !== this.heap.version) this.load()
    if (this.names.index.has(name)) this.change(() => this.remove(name))
    return true
  }

  getPrototypeOf () {
    if (this.version !== this.heap.version) this.load()
    return this.prototype
  }

  /** @param {object} _target @param {object | null} prototype */
  setPrototypeOf (_target, prototype) {
    return keepPrototype(prototype, this.getPrototypeOf())
  }

  /** @returns {boolean} */
  preventExtensions () {
    throw new TypeError('An object of a pool cannot be frozen, sealed or made not extensible, but what pool.plain() gives')
  }
}

/** @param {string | symbol} name */
function isAskedOfAll (name) {
  return ASKED_OF_ALL.has(name) || name in Object.prototype
}

module.exports = { ObjectNode }
