'use strict'

const { nodeOf } = require('../nodes/node')

/** The content of a new one: as many zeros, without having them in JavaScript's memory. */
class Zeros {
  /** @param {number} byteLength */
  constructor (byteLength) {
    this.byteLength = byteLength
  }
}

/** An ArrayBuffer whose bytes are the pool's own memory. */
class PersistentArrayBuffer extends ArrayBuffer {
  /**
   * @param {{ create: (value: any) => any }} pool
   * @param {number} byteLength
   */
  constructor (pool, byteLength) {
    if (typeof pool?.create !== 'function') throw new TypeError('Expected a pool')
    const length = Math.trunc(Number(byteLength)) || 0
    if (length < 0 || length > Number.MAX_SAFE_INTEGER) throw new RangeError('Invalid array buffer length')
    super(0)
    return pool.create(new Zeros(length))
  }

  /** The ArrayBuffer that slice() makes is not in the pool. */
  static get [Symbol.species] () { return ArrayBuffer }

  /**
   * Makes durable what was written there outside of transactions.
   *
   * @param {number} [offset]
   * @param {number} [length] default: to the end
   */
  flush (offset = 0, length = this.byteLength - offset) {
    nodeFor(this).flush(offset, length)
  }

  /**
   * In a transaction, before bytes are written: keeps what they are, to bring it back if it fails.
   *
   * @param {number} [offset]
   * @param {number} [length] default: to the end
   */
  snapshot (offset = 0, length = this.byteLength - offset) {
    nodeFor(this).snapshot(offset, length)
  }

  // Its memory is the pool's, and stays where it is.

  /** @returns {never} */
  resize () { throw fixed('resized') }
  /** @returns {never} */
  transfer () { throw fixed('transferred') }
  /** @returns {never} */
  transferToFixedLength () { throw fixed('transferred') }
}

/** @param {ArrayBuffer} buffer */
function nodeFor (buffer) {
  const node = /** @type {import('../nodes/buffer-node').BufferNode | undefined} */ (nodeOf(buffer))
  if (node === undefined) throw new TypeError('The ArrayBuffer is none of a pool')
  return node
}

/** @param {string} what */
function fixed (what) {
  return new TypeError(`An ArrayBuffer of a pool cannot be ${what}`)
}

module.exports = { PersistentArrayBuffer, Zeros }
