'use strict'

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))
const BLOCK = 64

/** MD5, a part at a time. @see https://www.rfc-editor.org/rfc/rfc1321 */
class Md5 {
  #state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  #rest = new Uint8Array(BLOCK)
  #words = new Int32Array(16)
  #length = 0

  /** @param {Uint8Array} bytes */
  update (bytes) {
    let at = 0
    const held = this.#length % BLOCK
    this.#length += bytes.length
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length)
      this.#rest.set(bytes.subarray(0, at), held)
      if (held + at < BLOCK) return
      this.#block(this.#rest, 0)
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#block(bytes, at)
    this.#rest.set(bytes.subarray(at))
  }

  /** @returns {Uint8Array} 16 bytes */
  end () {
    const bits = this.#length * 8
    const held = this.#length % BLOCK
    const padding = new Uint8Array(held < 56 ? BLOCK - held : 2 * BLOCK - held)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, bits >>> 0, true)
    view.setUint32(padding.length - 4, Math.floor(bits / 2 ** 32), true)
    this.update(padding)
    const digest = new DataView(new ArrayBuffer(16))
    this.#state.forEach((word, i) => digest.setInt32(4 * i, word, true))
    return new Uint8Array(digest.buffer)
  }

  /** @param {Uint8Array} bytes @param {number} at */
  #block (bytes, at) {
    const words = this.#words
    for (let i = 0; i < 16; i++, at += 4) words[i] = bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24
    let [a, b, c, d] = this.#state
    for (let i = 0; i < 64; i++) {
      const round = i >> 4
      let mix, word
      if (round === 0) {
        mix = (b & c) | (~b & d)
        word = i
      } else if (round === 1) {
        mix = (d & b) | (~d & c)
        word = (5 * i + 1) & 15
      } else if (round === 2) {
        mix = b ^ c ^ d
        word = (3 * i + 5) & 15
      } else {
        mix = c ^ (b | ~d)
        word = (7 * i) & 15
      }
      const sum = (a + mix + SINES[i] + words[word]) | 0
      const shift = SHIFTS[round * 4 + (i & 3)]
      a = d
      d = c
      c = b
      b = (b + (sum << shift | sum >>> (32 - shift))) | 0
    }
    this.#state[0] += a
    this.#state[1] += b
    this.#state[2] += c
    this.#state[3] += d
  }
}

module.exports = { Md5 }
