'use strict'

/** The first 32 bits of the fractions of roots of primes. @param {number} count @param {number} power */
function fractions (count, power) {
  const found = []
  for (let n = 2; found.length < count; n++) {
    let isPrime = true
    for (let i = 2; i * i <= n; i++) if (n % i === 0) isPrime = false
    if (isPrime) found.push((n ** power % 1) * 2 ** 32)
  }
  return found.map(Math.floor)
}

const CONSTANTS = fractions(64, 1 / 3)

/** @param {number} word @param {number} by */
function turned (word, by) { return word >>> by | word << (32 - by) }

/** SHA-256 of a short text. @param {Uint8Array} bytes @returns {Uint8Array} 32 bytes @see https://www.rfc-editor.org/rfc/rfc6234 */
function sha256 (bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length * 8 >>> 0)
  const state = Int32Array.from(fractions(8, 1 / 2))
  for (let at = 0; at < padded.length; at += 64) mixBlock(state, view, at)
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => digest.setInt32(4 * i, word))
  return new Uint8Array(digest.buffer)
}

/** @param {Int32Array} state @param {DataView} view @param {number} at */
function mixBlock (state, view, at) {
  const words = new Int32Array(64)
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i)
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15], words[i - 2]]
    words[i] = words[i - 16] + (turned(early, 7) ^ turned(early, 18) ^ early >>> 3) + words[i - 7] + (turned(late, 17) ^ turned(late, 19) ^ late >>> 10)
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let i = 0; i < 64; i++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + CONSTANTS[i] + words[i]) | 0
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] += word
}

module.exports = { sha256 }
