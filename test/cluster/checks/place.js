'use strict'

const zlib = require('node:zlib')

/** Bytes of the instance id before the sequences of the shards. */
const INSTANCE = 6

/**
 * Returns the place of a change: shards number their changes apart. A client may not look into a sequence; here it shows that no shard gives
 * a number twice or goes back.
 *
 * @param {string | number} seq
 * @param {string} id of the document that has changed
 * @returns {{ shard: number, number: number }}
 */
function placeOf (seq, id) {
  const vector = vectorOf(seq)
  const shard = vector.length === 1 ? 0 : Math.floor(zlib.crc32(id) / (2 ** 32 / vector.length))
  return { shard, number: vector[shard] }
}

/** @param {string | number} seq @returns {number[]} the number of each shard */
function vectorOf (seq) {
  const text = /^\d+-s([\w-]+)$/.exec(String(seq))?.[1]
  if (text === undefined) return [Number.parseInt(String(seq), 10)]
  const numbers = []
  let [number, factor] = [0, 1]
  for (const byte of Buffer.from(text, 'base64url').subarray(INSTANCE)) {
    number += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
    factor = 1
  }
  return numbers
}

module.exports = { placeOf, vectorOf }
