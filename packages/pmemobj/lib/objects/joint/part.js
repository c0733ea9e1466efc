'use strict'

const path = require('node:path')
const binding = require('../../binding/binding')
const { writer } = require('../record/writer')
const { encodePrepared } = require('./prepared')

/**
 * A pool in a transaction over several.
 *
 * @typedef {{ heap: import('../heap/heap').Heap, close: () => void }} Member close: as the pool's
 */

/** The changes of a transaction over several pools in one of them, and their way into the pool. */
class Part {
  #heap
  #close
  #operations = Buffer.alloc(0)
  /** Whether other threads watch what has changed. */
  #others = false

  /** @param {Member} member */
  constructor ({ heap, close }) {
    this.#heap = heap
    this.#close = close
    heap.encode()
    this.#operations = Buffer.copyBytesFrom(writer.bytes, 0, writer.at)
  }

  get path () { return this.#heap.path }

  get isEmpty () { return this.#operations.length === 0 && !this.hasBytes }

  /** Whether bytes of buffers are a part of it. */
  get hasBytes () { return this.#heap.transaction.saved }

  get notes () { return this.#heap.notes }

  /** Puts the part into its pool, alone. */
  commit () {
    this.#begin()
    if (!this.isEmpty) this.#commit()
  }

  /** @param {Buffer} transaction its id @param {Part} coordinator */
  prepare (transaction, coordinator) {
    const own = path.resolve(this.path)
    const other = path.resolve(coordinator.path)
    this.notes.prepare(encodePrepared({
      transaction,
      coordinator: { id: coordinator.notes.id, path: other, relative: path.relative(path.dirname(own), other) },
      own: { id: this.notes.id, path: own },
      maps: { ...this.#heap.mapNames, ...Object.fromEntries(this.#heap.transaction.others.map(({ map, name }) => [map, name])) },
      operations: this.#operations
    }))
  }

  /**
   * Puts the part into its pool, and with it that all others are to be brought in.
   *
   * @param {Buffer} transaction its id
   * @param {Buffer[]} ids of the pools of the others
   */
  decide (transaction, ids) {
    const { settled } = this.#heap
    this.#begin()
    this.notes.writeDecision(writer, transaction, ids)
    for (const each of settled) this.notes.writeSettled(writer, each)
    this.#commit()
    this.notes.flush()
    settled.length = 0
  }

  /** Brings in what is prepared. */
  bringIn () {
    this.#begin()
    this.notes.writeBroughtIn(writer)
    this.#commit(true)
    this.notes.flush()
  }

  #begin () {
    writer.reset()
    writer.raw(this.#operations)
  }

  /** @param {boolean} [must] it may take the room that is kept for deleting */
  #commit (must = false) {
    const { pool, transaction } = this.#heap
    this.#others = binding.commit(pool, writer.at, transaction.saved, must) === true
  }

  /** No part has to be brought in any more. @param {Buffer} transaction its id */
  settle (transaction) {
    this.#heap.settled.push(transaction)
  }

  /** It is in the pool. */
  finish () {
    this.#heap.finish(this.#others)
  }

  rollBack () {
    this.#heap.rollBack(0)
  }

  /** The pool does not know whether the part is to be brought in: it finds out when it is opened again. */
  leave () {
    this.rollBack()
    try {
      this.#close()
    } catch {
      // Memory of a buffer was transferred. Whatever it is, nobody may write the objects now.
      this.#heap.close()
    }
  }
}

module.exports = { Part }
