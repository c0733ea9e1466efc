'use strict'

/*
 * Lengths of fields in seven bits: exact up to 24, then with four significant bits, as Lucene's SmallFloat has them in
 * eight. Relevance needs no more. Fields of more than 30,000 terms count as those.
 *
 * See org.apache.lucene.util.SmallFloat.
 */

const EXACT = 24
const MOST = 127

/** @param {number} length terms of a field @returns {number} 0 to 127, which grows with the length */
function encodeLength (length) {
  if (length < EXACT) return length
  const rest = length - EXACT
  const bits = 32 - Math.clz32(rest)
  const code = bits < 4 ? rest : ((rest >>> (bits - 4)) & 7) | ((bits - 3) << 3)
  return Math.min(MOST, EXACT + code)
}

/** @param {number} code */
function decodeLength (code) {
  if (code < EXACT) return code
  const rest = code - EXACT
  const shift = (rest >>> 3) - 1
  return EXACT + (shift < 0 ? rest & 7 : ((rest & 7) | 8) << shift)
}

/** The length that each code stands for. */
const LENGTHS = Float64Array.from({ length: MOST + 1 }, (_, code) => decodeLength(code))

module.exports = { LENGTHS, encodeLength }
