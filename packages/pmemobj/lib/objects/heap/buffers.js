'use strict'

const binding = require('../../binding/binding')
const { damaged } = require('../record/reader')
const { writer } = require('../record/writer')
const { WeakNodes } = require('./weak-nodes')

/**
 * The bytes of ArrayBuffers, which lie in the pool from when they are made: users write there, and
 * there is nothing else to write to. Bytes that no object of the pool comes to refer to are garbage
 * once JavaScript holds their nodes no more.
 */
class Buffers {
  #heap
  /** @type {WeakNodes<import('../nodes/buffer-node').BufferNode>} */
  #nodes = new WeakNodes()

  /** @param {import('./heap').Heap} heap */
  constructor (heap) {
    this.#heap = heap
  }

  /**
   * Puts bytes into the pool, durably.
   *
   * @param {number} byteLength
   * @param {ArrayBuffer | NodeJS.ArrayBufferView} [source] default: zeros
   * @returns {number} their id, which will be that of their node
   */
  create (byteLength, source) {
    const { pool, maps, meta } = this.#heap
    const id = meta.newStoredId()
    if (byteLength > 0) binding.createBuffer(pool, maps.buffers, keyOf(id), byteLength, source)
    return id
  }

  /**
   * An ArrayBuffer over the memory of the pool.
   *
   * @param {number} id
   * @param {number} byteLength
   * @returns {ArrayBuffer}
   */
  open (id, byteLength) {
    if (byteLength === 0) return new ArrayBuffer(0)
    const { pool, maps, snapshot } = this.#heap
    const buffer = binding.openBuffer(pool, maps.buffers, keyOf(id), snapshot)
    if (buffer?.byteLength !== byteLength) throw damaged()
    return buffer
  }

  /** @param {number} id @param {import('../nodes/buffer-node').BufferNode} node that has those bytes */
  add (id, node) {
    this.#nodes.set(id, node)
  }

  /** Ids of bytes that JavaScript may still come to. */
  roots () {
    const roots = binding.heldBuffers(this.#heap.pool)
    for (const [id, node] of this.#nodes) {
      if (!node.attached) roots.push(id)
    }
    return roots
  }

  /** No ArrayBuffer has bytes any more. */
  close () {
    for (const [, node] of this.#nodes) node.close()
    this.#nodes.clear()
  }
}

/**
 * Puts the key where the addon reads it, and gives its size.
 *
 * @param {number} id
 */
function keyOf (id) {
  writer.reset()
  writer.id(id)
  return writer.at
}

module.exports = { Buffers }
