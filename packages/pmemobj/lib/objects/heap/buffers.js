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

  // Drafts: what programs write to any ArrayBuffer in a transaction that saves all

  /** Begins to save what JavaScript has, for a transaction that can be taken back alone. */
  beginDrafts () {
    const { pool, transaction } = this.#heap
    transaction.remember(this, 'bytes', binding.savedBuffers(pool))
    this.draftHeld()
  }

  /** Lets programs write to all ArrayBuffers that JavaScript has. */
  draftHeld () {
    for (const [, node] of this.#nodes) {
      if (node.object !== undefined) node.draft()
    }
  }

  /** Makes what was written a part of the transaction under way. */
  keepDrafts () {
    const { pool, transaction } = this.#heap
    // Whatever comes of it, the commit has to know that bytes may have been saved.
    transaction.saved = true
    binding.keepDrafts(pool)
    transaction.saved = binding.savedBuffers(pool) > 0
  }

  /** Takes back what was written. */
  dropDrafts () {
    binding.dropDrafts(this.#heap.pool)
  }

  /** @param {unknown} _what @param {number} count */
  undo (_what, count) {
    binding.restoreBuffers(this.#heap.pool, count)
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
