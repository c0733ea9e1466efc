'use strict'

const { inspect } = require('node:util')
const { CHUNK, KIND, PART, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { Dictionary, MAX_SHAPE, Shape } = require('../heap/names')
const { Chunks } = require('./chunks')
const { decodeObject, encodeObject } = require('./object-record')
const { checkDescriptor, keepPrototype, refuseSymbol, setOnReceiver } = require('./property')
const { shellOf } = require('./shell')
const { NOTHING, Node, isAlike } = require('./node')

const SHELL = shellOf({})
/** A dictionary with more slots, most of them deleted, is made again. */
const SPARSE = 2 * CHUNK

/** By what shows values, converts them, or looks for promises. @type {Set<string | symbol>} */
const ASKED_OF_ALL = new Set(['toJSON', 'then', Symbol.toPrimitive, Symbol.toStringTag, inspect.custom])

/**
 * A plain object, or an instance of a registered class: the handler of its Proxy.
 */
class ObjectNode extends Node {
  /** @type {Shape | Dictionary} */
  names = NOTHING
  /** @type {import('../heap/types').Slot[]} */
  values = NOTHING
  // Chunks whose slots have changed, and how many the pool has.
  #changed = new Chunks()
  #stored = 0

  static kinds = [KIND.object, KIND.dictionary]

  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static match (value, heap) {
    return heap.classes.nameOf(Object.getPrototypeOf(value)) !== undefined
  }

  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    const node = new ObjectNode(heap, UNATTACHED)
    node.names = heap.shapes.root(/** @type {string} */ (heap.classes.nameOf(Object.getPrototypeOf(value))))
    node.values = []
    return node
  }

  /** @param {Record<string, unknown>} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      if (Object.prototype.propertyIsEnumerable.call(value, symbol)) refuseSymbol(symbol)
    }
    const names = Object.keys(value)
    for (const name of names) this.values.push(keep(value[name], name))
    if (names.length > MAX_SHAPE) this.names = new Dictionary(this.names.prototype, names)
    else this.#nameAll(names)
  }

  /** @param {Record<string, unknown>} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike(Object.entries(value).flat(), content) }

  /** @param {string[]} names */
  #nameAll (names) {
    const { shapes } = this.heap
    const shape = shapes.guess(this.names.prototype, names)
    if (shape !== undefined) {
      this.names = shape
      return
    }
    for (const name of names) this.#addName(name)
    if (this.names instanceof Shape) shapes.used(this.names)
  }

  make () {
    return new Proxy(SHELL, this)
  }

  get prototype () {
    return this.heap.classes.prototypeOf(this.names.prototype)
  }

  // Traps of the Proxy

  /** @param {object} _target @param {string | symbol} name @param {unknown} receiver */
  get (_target, name, receiver) {
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
    this.#put(name, slot, value)
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
    return { value: this.heap.reveal(this.values[slot]), writable: true, enumerable: true, configurable: true }
  }

  /** @param {object} _target @param {string | symbol} name @param {PropertyDescriptor} descriptor */
  defineProperty (_target, name, descriptor) {
    if (this.version !== this.heap.version) this.load()
    const slot = this.names.index.get(name)
    checkDescriptor(descriptor, slot !== undefined)
    if (slot === undefined || 'value' in descriptor) this.#put(name, slot, descriptor.value)
    return true
  }

  /** @param {object} _target @param {string | symbol} name */
  deleteProperty (_target, name) {
    if (this.version !== this.heap.version) this.load()
    if (this.names.index.has(name)) this.change(() => this.#remove(/** @type {string} */ (name)))
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
    throw new TypeError('An object of a pool cannot be frozen, sealed or made not extensible')
  }

  // Changes

  /** @param {string | symbol} name @param {number | undefined} slot @param {unknown} value */
  #put (name, slot, value) {
    const { heap } = this
    const wasWriter = heap.isWriter
    const savepoint = heap.begin()
    try {
      if (this.version !== heap.version) this.load()
      const kept = this.adopt(value)
      // A getter of what was copied may have changed the names, and another thread before this one wrote.
      if (typeof value === 'object' || !wasWriter) slot = this.names.index.get(name)
      if (slot === undefined) this.#add(name, kept)
      else this.#replace(slot, kept)
    } catch (error) {
      heap.rollBack(savepoint)
      throw error
    }
    heap.commit()
  }

  /** @param {number} slot @param {import('../heap/types').Slot} value */
  #replace (slot, value) {
    const former = this.values[slot]
    if (typeof former === 'object' && former !== null) former.drop?.(this.heap)
    this.heap.transaction.remember(this, slot, former)
    this.values[slot] = value
    this.#touch(slot)
  }

  /** @param {string | symbol} name @param {import('../heap/types').Slot} value */
  #add (name, value) {
    refuseSymbol(name)
    const { transaction } = this.heap
    const { names } = this
    transaction.remember(this, 'add', names)
    this.values.push(value)
    this.#addName(name)
    this.#touch(this.values.length - 1)
    if (this.names === names) return
    // The record says which shape it has.
    if (this.names instanceof Shape) this.#touch(0)
    else this.touchAll()
  }

  /** @param {string} name */
  #addName (name) {
    const next = this.names.add(name)
    const isFit = next !== undefined && !(next instanceof Shape && next.id === 0 && this.heap.shapes.full)
    this.names = isFit ? next : new Dictionary(this.names.prototype, [...this.names.names, name])
  }

  /** @param {string} name */
  #remove (name) {
    const { names, values, heap } = this
    const slot = /** @type {number} */ (names.index.get(name))
    heap.drop([values[slot]])
    const next = names instanceof Shape ? names.without(name, heap.shapes.root(names.prototype)) : undefined
    if (next !== undefined) {
      heap.transaction.remember(this, 'names', { names, values })
      this.values = values.toSpliced(slot, 1)
      this.names = next
      return this.touchAll()
    }
    if (names instanceof Shape) {
      heap.transaction.remember(this, 'names', { names, values })
      this.names = new Dictionary(names.prototype, names.names.slice())
      this.values = values.slice()
      this.touchAll()
    }
    this.#removeFromDictionary(name, slot)
  }

  /** @param {string} name @param {number} slot */
  #removeFromDictionary (name, slot) {
    const { values, heap } = this
    const names = /** @type {Dictionary} */ (this.names)
    heap.transaction.remember(this, 'remove', { name, slot, value: values[slot] })
    names.remove(name)
    values[slot] = HOLE
    this.#touch(slot)
    if (names.slots <= SPARSE || names.size > names.slots / 2) return
    heap.transaction.remember(this, 'names', { names, values })
    this.values = values.filter((_, at) => names.names[at] !== undefined)
    this.names = new Dictionary(names.prototype, names.names.filter(each => each !== undefined))
    this.touchAll()
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    if (typeof what === 'number') this.values[what] = former
    else if (what === 'names') Object.assign(this, former)
    else if (what === 'add') this.#undoAdd(former)
    else if (what === 'remove') this.#undoRemove(former)
    else super.undo(what, former)
  }

  /** @param {Shape | Dictionary} names */
  #undoAdd (names) {
    if (this.names === names) /** @type {Dictionary} */ (names).pop()
    this.names = names
    this.values.pop()
  }

  /** @param {{ name: string, slot: number, value: import('../heap/types').Slot }} former */
  #undoRemove ({ name, slot, value }) {
    /** @type {Dictionary} */ (this.names).restore(name, slot)
    this.values[slot] = value
  }

  /** @param {number} slot */
  #touch (slot) {
    if (!this.attached) return
    this.#changed.add(Math.floor(slot / CHUNK))
    this.heap.transaction.mark(this)
  }

  touchAll () {
    if (!this.attached) return
    for (let chunk = 0; chunk <= this.names.slots / CHUNK; chunk++) this.#changed.add(chunk)
    this.heap.transaction.mark(this)
  }

  committed () {
    this.#stored = this.#chunks
    super.committed()
  }

  settle () {
    this.#changed.clear()
  }

  forget () {
    this.names = NOTHING
    this.values = NOTHING
  }

  /** @param {import('../heap/types').Visit} visit */
  eachChild (visit) {
    for (const value of this.values) visit(value)
  }

  plain () {
    this.load()
    return Object.create(this.heap.classes.shownAs(this.names.prototype))
  }

  /** @param {object} plain @param {import('../heap/types').CopyOut} copy */
  fillPlain (plain, copy) {
    const { names, values } = this
    for (const name of names.ordered) {
      Object.defineProperty(plain, name, {
        value: copy(values[/** @type {number} */ (names.index.get(name))]), writable: true, enumerable: true, configurable: true
      })
    }
  }

  // Records

  get #chunks () {
    return Math.ceil(this.names.slots / CHUNK)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    encodeObject(this, this.#changed, writer, map)
    if (this.#chunks < this.#stored) writer.deleteParts(map, this.id, PART.chunk, this.#chunks)
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    decodeObject(this, reader, kind)
    this.#stored = this.#chunks
  }
}

/** @param {string | symbol} name */
function isAskedOfAll (name) {
  return ASKED_OF_ALL.has(name) || name in Object.prototype
}

module.exports = { ObjectNode }
