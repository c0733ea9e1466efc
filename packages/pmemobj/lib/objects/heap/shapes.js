'use strict'

const { damaged } = require('../record/reader')
const { readName, readString, writeName, writeString } = require('../record/strings')
const { Shape } = require('./names')

/** More shapes make every further object a dictionary, so that they stay few. */
const MAX_SHAPES = 65536

/** The shapes of a pool: those that it has, and those that a commit is about to give it. */
class Shapes {
  #heap
  #map
  /** @type {Map<number, Shape>} */
  #byId = new Map()
  /** @type {Map<string, Shape>} */
  #roots = new Map()
  /** @type {Shape[]} */
  #fresh = []
  /** Which one was used last, by how many names it has. @type {(Shape | undefined)[]} */
  #bySize = []
  /** The id for the next one. */
  next = 1

  /**
   * @param {import('./heap').Heap} heap
   * @param {number} map
   */
  constructor (heap, map) {
    this.#heap = heap
    this.#map = map
  }

  get full () { return this.next > MAX_SHAPES }

  /** @param {string} prototype */
  root (prototype) {
    let root = this.#roots.get(prototype)
    if (root === undefined) {
      root = Shape.root(prototype)
      this.#roots.set(prototype, root)
    }
    return root
  }

  /**
   * The shape of an object with these names, if the last one with as many had it: mostly so, of many alike.
   *
   * @param {string} prototype
   * @param {(string | symbol)[]} names
   */
  guess (prototype, names) {
    const shape = this.#bySize[names.length]
    if (shape === undefined || shape.prototype !== prototype || (shape.id === 0 && this.full)) return undefined
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== shape.names[i]) return undefined
    }
    return shape
  }

  /**
   * The shape of an object with these names; undefined where a dictionary is better.
   *
   * @param {string} prototype
   * @param {(string | symbol)[]} names
   */
  of (prototype, names) {
    /** @type {Shape | undefined} */
    let shape = this.root(prototype)
    for (const name of names) {
      shape = shape.add(name)
      if (shape === undefined || (shape.id === 0 && this.full)) return undefined
    }
    this.used(shape)
    return shape
  }

  /** @param {Shape} shape that an object has got, for guess() */
  used (shape) {
    this.#bySize[shape.size] = shape
  }

  /**
   * The shape of a record, if it was read before, or is one of the transaction under way.
   *
   * @param {number} id
   */
  known (id) {
    return this.#byId.get(id)
  }

  /**
   * Reads it. A record that is being read from the heap's reader has to be read again then.
   *
   * @param {number} id
   */
  read (id) {
    const reader = this.#heap.readFrom(this.#map, id)
    if (reader === undefined) throw damaged()
    const shape = new Shape(readString(reader), [], new Map())
    for (let count = reader.varint(); count > 0; count--) {
      const name = readName(reader)
      shape.index.set(name, shape.names.length)
      shape.names.push(name)
    }
    reader.finish()
    if (shape.index.size !== shape.names.length) throw damaged()
    const own = this.#adopt(shape, id)
    this.#byId.set(id, own)
    return own
  }

  /**
   * The one that has grown from the root by the same names, so that objects go on from there.
   *
   * @param {Shape} read
   * @param {number} id
   */
  #adopt (read, id) {
    /** @type {Shape | undefined} */
    let shape = this.root(read.prototype)
    for (const name of read.names) shape = shape?.add(name)
    const own = shape !== undefined && shape.id === 0 ? shape : read
    own.id = id
    return own
  }

  /**
   * The id of a shape in the commit that is being written.
   *
   * @param {Shape} shape
   */
  idOf (shape) {
    if (shape.id === 0) {
      shape.id = this.next++
      this.#fresh.push(shape)
      this.#byId.set(shape.id, shape)
    }
    return shape.id
  }

  /**
   * Adds those that the pool has not.
   *
   * @param {import('../record/writer').Writer} writer
   */
  write (writer) {
    for (const shape of this.#fresh) {
      writer.begin(this.#map)
      writer.id(shape.id)
      writer.value()
      writeString(writer, shape.prototype)
      writer.reserve(10)
      writer.varint(shape.size)
      for (const name of shape.names) writeName(writer, name)
      writer.end()
    }
    return this.#fresh.length > 0
  }

  committed () {
    if (this.#fresh.length > 0) this.#fresh = []
  }

  failed () {
    for (const shape of this.#fresh) {
      this.#byId.delete(shape.id)
      shape.id = 0
    }
    this.next -= this.#fresh.length
    this.#fresh = []
  }
}

module.exports = { Shapes }
