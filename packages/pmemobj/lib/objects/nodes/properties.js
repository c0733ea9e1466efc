'use strict'

const { CHUNK, KIND, PART } = require('../record/layout')
const { HOLE } = require('../record/values')
const { Dictionary, MAX_SHAPE, Shape } = require('../heap/names')
const { Chunks } = require('./chunks')
const { decodeObject, encodeObject } = require('./object-record')
const { checkName } = require('./property')
const { isAlike, namesOf } = require('./content')
const { NOTHING, Node } = require('./node')

/** @type {{ shaped: number, dictionary: number }} */
const KINDS = { shaped: KIND.object, dictionary: KIND.dictionary }
/** A dictionary with more slots, most of them deleted, is made again. */
const SPARSE = 2 * CHUNK

/** The properties of an object: their names and values, how they change, and how they are kept. */
class Properties extends Node {
  /** @type {Shape | Dictionary} */
  names = NOTHING
  /** @type {import('../heap/types').Slot[]} */
  values = NOTHING
  // Chunks whose slots have changed, and how many the pool has.
  #changed = new Chunks()
  #stored = 0

  /** @type {number[]} */
  static kinds = [KIND.object, KIND.dictionary]

  /** @param {Record<string | symbol, unknown>} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    const names = this.namesOf(value)
    for (const name of names) {
      checkName(name)
      this.values.push(keep(value[name], name))
    }
    if (names.length > MAX_SHAPE) this.names = new Dictionary(this.names.prototype, names)
    else this.#nameAll(names)
  }

  /** @param {Record<string | symbol, unknown>} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike(this.namesOf(value).flatMap(name => [name, value[name]]), content) }

  /**
   * The names of the properties that are kept.
   *
   * @param {object} value a plain one
   * @returns {(string | symbol)[]}
   */
  namesOf (value) { return namesOf(value) }

  /** Whether a property is not enumerable. @param {string | symbol} _name */
  hides (_name) { return false }

  /** @param {(string | symbol)[]} names */
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

  /** First bytes of records with a shape, and with names of their own. */
  get kinds () { return KINDS }

  // Changes

  /** @param {string | symbol} name @param {number | undefined} slot @param {unknown} value */
  put (name, slot, value) {
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
    checkName(name)
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

  /** @param {string | symbol} name */
  #addName (name) {
    const next = this.names.add(name)
    const isFit = next !== undefined && !(next instanceof Shape && next.id === 0 && this.heap.shapes.full)
    this.names = isFit ? next : new Dictionary(this.names.prototype, [...this.names.names, name])
  }

  /** @param {string | symbol} name */
  remove (name) {
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

  /** @param {string | symbol} name @param {number} slot */
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

  /** @param {{ name: string | symbol, slot: number, value: import('../heap/types').Slot }} former */
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

  /** @param {(slot: import('../heap/types').Slot) => import('../heap/types').Slot} other */
  exchange (other) {
    this.values = this.values.map(other)
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
        value: copy(values[/** @type {number} */ (names.index.get(name))]), writable: true, enumerable: !this.hides(name), configurable: true
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

module.exports = { Properties }
