'use strict'

const binding = require('../../binding/binding')
const { Notes } = require('../joint/notes')
const { settle } = require('../joint/settle')
const { MAPS } = require('../record/layout')
const { reader } = require('../record/reader')
const { writer } = require('../record/writer')
const { View } = require('./view')

/** The records of a pool's objects, in the maps that they lie in, as a thread sees them. */
class Records extends View {
  #maps
  #coordinator
  /** @type {Notes | undefined} */
  #notes
  /** Transactions over several pools that were decided here, and are done: what is noted of them can go. @type {Buffer[]} */
  settled = []

  /**
   * @param {unknown} pool handle
   * @param {string} path of the pool
   * @param {{ coordinator?: import('../joint/settle').Coordinator, snapshot?: unknown }} options what knows of transactions over several
   *   pools; a snapshot (handle) of the only state that is seen
   */
  constructor (pool, path, { coordinator, snapshot }) {
    super(pool, snapshot)
    this.path = path
    this.#coordinator = coordinator
    writer.register()
    reader.register()
    this.#maps = {
      objects: binding.openMap(pool, MAPS.objects),
      shapes: binding.openMap(pool, MAPS.shapes),
      buffers: binding.openMap(pool, MAPS.buffers)
    }
  }

  /** Numbers of the maps. */
  get maps () { return this.#maps }

  /** Names of the maps by their numbers. */
  get mapNames () {
    const { objects, shapes, buffers } = this.#maps
    return { [objects]: MAPS.objects, [shapes]: MAPS.shapes, [buffers]: MAPS.buffers }
  }

  /** The pool's notes of transactions over several pools. */
  get notes () { return (this.#notes ??= Notes.of(this.pool)) }

  settle () {
    try {
      settle(this.pool, this.path, this.#coordinator)
    } catch (error) {
      binding.disclaimObjects(this.pool)
      throw error
    }
  }

  /**
   * The record of an object; undefined if there is none. Valid until the next one is read.
   *
   * @param {number} id
   */
  read (id) {
    return this.readFrom(this.#maps.objects, id)
  }

  /** @param {number} map @param {number} id */
  readFrom (map, id) {
    writer.reset()
    writer.id(id)
    return this.#fetch(map)
  }

  /** @param {number} id @param {number} part @param {number} number */
  readPart (id, part, number) {
    writer.reset()
    writer.part(id, part, number)
    return this.#fetch(this.#maps.objects)
  }

  /** @param {number} map */
  #fetch (map) {
    return reader.fetch(this.pool, map, writer.at, this.snapshot) ? reader : undefined
  }

  /**
   * Puts a node into the pool, whatever becomes of the transaction under way.
   *
   * @param {import('../nodes/node').Node} node
   */
  writeAlone (node) {
    writer.reset()
    node.encode(writer, this.#maps.objects)
    binding.commit(this.pool, writer.at, false)
  }
}

module.exports = { Records }
