'use strict'

/*
 * Bits as ASCII: seven a character, the lowest first. Levels and JavaScript keep such texts a byte a character.
 *
 * Numbers are Rice codes where small ones are many: of a number n, n >>> k zeros and a one, and then its lowest k bits. If
 * some may be far above the others, they are Golomb's exponential codes: of q, which is (n >>> k) + 1, as many zeros as it has bits
 * behind the first, a one, those bits, and the lowest k bits of n.
 */

/** Bits that are written or read at once, at most. */
const MOST = 24

class BitWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0
  #bits = 0
  /** How many of `#bits` count: fewer than seven. */
  #count = 0

  /** @param {number} value @param {number} width bits of it, at most `MOST` */
  put (value, width) {
    let bits = this.#bits | (value << this.#count)
    let count = this.#count + width
    if (this.#length + 5 > this.#bytes.length) this.#grow()
    while (count >= 7) {
      this.#bytes[this.#length++] = bits & 127
      bits >>>= 7
      count -= 7
    }
    this.#bits = bits
    this.#count = count
  }

  /** @param {number} value below 2^31 @param {number} k at most `MOST` */
  putRice (value, k) {
    let zeros = value >>> k
    for (; zeros + 1 > MOST; zeros -= MOST) this.put(0, MOST)
    const rest = value & ((1 << k) - 1)
    if (zeros + 1 + k <= MOST) return this.put((rest << (zeros + 1)) | (1 << zeros), zeros + 1 + k)
    this.put(1 << zeros, zeros + 1)
    this.put(rest, k)
  }

  /** @param {number} value below 2^31 - 2^k @param {number} k at most `MOST` */
  putGolomb (value, k) {
    const quotient = (value >>> k) + 1
    const width = widthOf(quotient) - 1
    this.put(0, Math.max(0, width - MOST))
    this.put(1 << Math.min(width, MOST), Math.min(width, MOST) + 1)
    this.#putLong(quotient & ((1 << width) - 1), width)
    this.put(value & ((1 << k) - 1), k)
  }

  /** @param {number} value @param {number} width at most 31 */
  #putLong (value, width) {
    this.put(value & ((1 << Math.min(width, 15)) - 1), Math.min(width, 15))
    if (width > 15) this.put(value >>> 15, width - 15)
  }

  #grow () {
    const bytes = Buffer.allocUnsafe(2 * this.#bytes.length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }

  /** How many bits there are. */
  get length () { return 7 * this.#length + this.#count }

  /** Returns what was put since the last time, in whole characters. */
  take () {
    if (this.#count > 0) this.put(0, 7 - this.#count)
    const text = this.#bytes.latin1Slice(0, this.#length)
    this.#length = 0
    return text
  }
}

/** Reads Rice codes. Behind the end of a text all bits are zero. */
class RiceReader {
  #text = ''
  #at = 0
  #bits = 0
  #count = 0

  /** @param {string} text @param {number} bit where to begin */
  open (text, bit) {
    this.#text = text
    this.#at = Math.floor(bit / 7) + 1
    const skipped = bit % 7
    this.#bits = (this.#at <= text.length ? text.charCodeAt(this.#at - 1) : 0) >>> skipped
    this.#count = 7 - skipped
  }

  /**
   * Reads some numbers, each of which is added to the one before.
   *
   * @param {number} k
   * @param {Float64Array | Int32Array | null} out null: they are left out
   * @param {number} from where the first goes
   * @param {number} to
   * @param {number} sum added to the first
   * @param {number} more added to each besides
   * @returns {number} the last
   */
  sums (k, out, from, to, sum, more) {
    return k === 0 ? this.#ones(out, from, to, sum, more) : this.#codes(k, out, from, to, sum, more)
  }

  /**
   * The same without lowest bits: each one in a row of bits is a number.
   *
   * @param {Float64Array | Int32Array | null} out
   * @param {number} from
   * @param {number} to
   * @param {number} sum
   * @param {number} more
   */
  #ones (out, from, to, sum, more) {
    const text = this.#text
    const { length } = text
    let at = this.#at
    let bits = this.#bits
    let count = this.#count
    for (let i = from; i < to; i++) {
      while (bits === 0) {
        sum += count
        if (at >= length) break
        bits = text.charCodeAt(at++)
        count = 7
      }
      const zeros = 31 - Math.clz32(bits & -bits)
      sum += zeros + more
      bits = bits >>> zeros >>> 1
      count -= zeros + 1
      if (out !== null) out[i] = sum
    }
    this.#keep(at, bits, count)
    return sum
  }

  /**
   * @param {number} k
   * @param {Float64Array | Int32Array | null} out
   * @param {number} from
   * @param {number} to
   * @param {number} sum
   * @param {number} more
   */
  #codes (k, out, from, to, sum, more) {
    const text = this.#text
    const { length } = text
    const mask = (1 << k) - 1
    let at = this.#at
    let bits = this.#bits
    let count = this.#count
    for (let i = from; i < to; i++) {
      while (count < MOST) {
        if (at < length) bits |= text.charCodeAt(at) << count
        at++
        count += 7
      }
      const zeros = 31 - Math.clz32(bits & -bits)
      const used = zeros + 1 + k
      if (bits !== 0 && used <= count) {
        sum += ((zeros << k) | ((bits >>> zeros >>> 1) & mask)) + more
        bits = used < 32 ? bits >>> used : 0
        count -= used
      } else {
        this.#keep(at, bits, count)
        sum += this.#long(k) + more
        at = this.#at
        bits = this.#bits
        count = this.#count
      }
      if (out !== null) out[i] = sum
    }
    this.#keep(at, bits, count)
    return sum
  }

  /** @param {number} at @param {number} bits @param {number} count */
  #keep (at, bits, count) {
    this.#at = at
    this.#bits = bits
    this.#count = count
  }

  /** Reads a number of many bits. @param {number} k */
  #long (k) {
    let zeros = 0
    while (this.#bits === 0 && this.#at <= this.#text.length + 1) {
      zeros += this.#count
      this.#count = 0
      this.#fill(1)
    }
    const more = 31 - Math.clz32(this.#bits & -this.#bits)
    this.#drop(more + 1)
    this.#fill(k)
    const low = this.#bits & ((1 << k) - 1)
    this.#drop(k)
    return (zeros + more) * 2 ** k + low
  }

  /** @param {number} width */
  #fill (width) {
    while (this.#count < width) {
      if (this.#at < this.#text.length) this.#bits |= this.#text.charCodeAt(this.#at) << this.#count
      this.#at++
      this.#count += 7
    }
  }

  /** @param {number} width */
  #drop (width) {
    this.#bits >>>= width
    this.#count -= width
  }
}

/** Reads Golomb's exponential codes. */
class GolombReader {
  #text
  #bit

  /** @param {string} text @param {number} bit where to begin */
  constructor (text, bit) {
    this.#text = text
    this.#bit = bit
  }

  /** @param {number} k */
  next (k) {
    let width = 0
    while (this.#take(1) === 0 && width < 31) width++
    const quotient = this.#take(Math.min(width, 15)) | (width > 15 ? this.#take(width - 15) << 15 : 0) | (1 << width)
    return (quotient - 1) * 2 ** k + this.#take(k)
  }

  /** @param {number} width */
  #take (width) {
    const number = bitsAt(this.#text, this.#bit, width)
    this.#bit += width
    return number
  }
}

/** Reads a number of some bits. @param {string} text @param {number} bit where it begins @param {number} width at most `MOST` */
function bitsAt (text, bit, width) {
  if (width === 0) return 0
  let at = Math.floor(bit / 7)
  const skipped = bit - 7 * at
  let bits = text.charCodeAt(at) >>> skipped
  for (let count = 7 - skipped; count < width; count += 7) bits |= text.charCodeAt(++at) << count
  return bits & ((1 << width) - 1)
}

/** How many of the bits of each character are ones. */
const ONES = Uint8Array.from({ length: 128 }, (_, code) => code.toString(2).replaceAll('0', '').length)

/** How many of some bits are ones. @param {string} text @param {number} from @param {number} to behind the last */
function onesIn (text, from, to) {
  const first = Math.floor(from / 7)
  const last = Math.floor(to / 7)
  let count = -ONES[text.charCodeAt(first) & ((1 << (from - 7 * first)) - 1)]
  for (let at = first; at < last; at++) count += ONES[text.charCodeAt(at)]
  return count + ONES[text.charCodeAt(last) & ((1 << (to - 7 * last)) - 1)]
}

/** How many bits a number has. @param {number} number below 2^31 */
function widthOf (number) { return 32 - Math.clz32(number) }

/**
 * The parameter with which Rice codes of numbers are short, about.
 *
 * @param {number} sum of them
 * @param {number} count
 */
function riceOf (sum, count) { return count === 0 ? 0 : Math.min(MOST, Math.max(0, widthOf(Math.floor(0.69 * sum / count)))) }

module.exports = { BitWriter, GolombReader, MOST, RiceReader, bitsAt, onesIn, riceOf, widthOf }
