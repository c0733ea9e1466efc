'use strict'

const { ByteCursor } = require('./byte-cursor')

/**
 * A part of a file, with a type of four characters.
 *
 * @typedef {{ type: string, start: number, end: number }} Chunk `start` and `end` are those of its
 *   contents: offsets in the file
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Generator<Chunk>} all of them, also those that no reader knows
 */
function * chunksOf (bytes) {
  const cursor = new ByteCursor(bytes, 0, bytes.length)
  while (cursor.left > 0) {
    const at = cursor.skip(4)
    const type = String.fromCharCode(...bytes.subarray(at, at + 4))
    const size = cursor.number(4)
    const start = cursor.skip(size)
    yield { type, start, end: start + size }
  }
}

module.exports = { chunksOf }
