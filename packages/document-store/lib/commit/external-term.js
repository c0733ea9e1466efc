'use strict'

/**
 * JSON text as the term that CouchDB holds it as, in Erlang's external format: objects are lists of
 * pairs in a tuple, strings are binaries. The text is read as it stands, so members keep their order,
 * and `1` and `1.0` are two things.
 *
 *   70 float64                   a float
 *   97 byte                      an integer of 0 to 255
 *   98 int32                     an integer
 *   100 uint16 bytes             an atom: true, false, null
 *   104 byte terms               a tuple
 *   106                          the empty list
 *   107 uint16 bytes             a list of integers of 0 to 255 alone, at most 65,535
 *   108 uint32 terms 106         a list
 *   109 uint32 bytes             a binary
 *   110 byte byte bytes          a larger integer: length, sign, magnitude (little endian)
 *   111 uint32 byte bytes        the same of more than 255 bytes
 *
 * @see https://www.erlang.org/doc/apps/erts/erl_ext_dist.html
 */

const os = require('node:os')
const { Turn } = require('../json/turn')

const [FLOAT, BYTE, INTEGER, ATOM, TUPLE, NIL, BYTES, LIST, BINARY, BIG, LARGE_BIG] = [70, 97, 98, 100, 104, 106, 107, 108, 109, 110, 111]

const [QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON, BACKSLASH] = [34, 43, 44, 45, 46, 48, 57, 58, 92]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]
const [CAPITAL_E, LETTER_E, LETTER_F, LETTER_N] = [69, 101, 102, 110]

/** Bytes that a character of JSON takes at most: a bracket may open a list and, with its other one, close it. */
const EXPANSION = 6

/** Bytes that are kept for the next term. */
const KEPT = 256 * 1024

/** Bytes of JSON between two looks at the clock. */
const SLICE = 64 * 1024

/** Bytes of a term below which it is at hand. */
const SHORT = 1024

/** Digits of an integer that JavaScript surely holds. */
const SURE_DIGITS = 15

const MOST_BYTES = 0xffff

const POWERS = Array.from({ length: SURE_DIGITS + 1 }, (_, i) => 10 ** i)

const float = new Float64Array(1)
const floatBytes = new Uint8Array(float.buffer)

/** Hexadecimal digits by their codes. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()))

/** Digits behind those that may be added with halves of 32 bits: each step stays exact. */
const MORE_DIGITS = 5

const WORD = 2 ** 32
const isLittleEndian = os.endianness() === 'LE'

/** Writes one term after the other, each from the beginning of its buffer. */
class TermWriter {
  #kept = Buffer.allocUnsafeSlow(KEPT)
  #bytes = this.#kept
  #at = 0
  /** Short terms by their length: to make one takes longer than to write it. @type {Buffer[]} */
  #short = new Array(SHORT)
  /** JSON that is no longer than that. */
  #text = Buffer.allocUnsafeSlow(KEPT)
  /** The places where the terms of open containers begin. @type {number[]} */
  #starts = []
  /** How many items it has. @type {number[]} */
  #counts = []

  /**
   * @param {number} characters of JSON that the term will hold
   * @param {number} bytes of it besides
   */
  begin (characters, bytes) {
    const most = characters * EXPANSION + bytes
    if (this.#bytes.length < most) this.#bytes = Buffer.allocUnsafeSlow(most)
    this.#at = 0
    this.#byte(131)
  }

  /** @returns {Buffer} good until the next term begins */
  end () {
    const length = this.#at
    if (length < SHORT && this.#bytes === this.#kept) {
      this.#short[length] ??= this.#kept.subarray(0, length)
      return this.#short[length]
    }
    const term = this.#bytes.subarray(0, length)
    this.#bytes = this.#kept
    return term
  }

  /** @param {number} value */
  #byte (value) { this.#bytes[this.#at++] = value }

  /** @param {number} value */
  #uint32 (value) {
    this.#setUint32(this.#at, value)
    this.#at += 4
  }

  /**
   * Much less work than Buffer's own, for so little.
   *
   * @param {number} at
   * @param {number} value
   */
  #setUint32 (at, value) {
    const bytes = this.#bytes
    bytes[at] = value >>> 24
    bytes[at + 1] = value >>> 16
    bytes[at + 2] = value >>> 8
    bytes[at + 3] = value
  }

  /** @param {number} count of the terms that follow, more than none; behind them comes `nil` */
  list (count) {
    this.#byte(LIST)
    this.#uint32(count)
  }

  /** Ends a list, or is one without terms. */
  nil () { this.#byte(NIL) }

  /** @param {number} count of the terms that follow */
  tuple (count) {
    this.#byte(TUPLE)
    this.#byte(count)
  }

  /** @param {string} name */
  atom (name) {
    this.#byte(ATOM)
    this.#byte(0)
    this.#byte(name.length)
    for (let i = 0; i < name.length; i++) this.#byte(name.charCodeAt(i))
  }

  /**
   * A binary of 16 bytes, of their 32 hexadecimal digits.
   *
   * @param {string} digits
   * @returns {boolean} false, with nothing written, where they are none
   */
  digest (digits) {
    if (digits.length !== 32) return false
    const bytes = this.#bytes
    const at = this.#at + 5
    for (let i = 0; i < 16; i++) {
      const byte = digitAt(digits, 2 * i) << 4 | digitAt(digits, 2 * i + 1)
      if (byte < 0) return false
      bytes[at + i] = byte
    }
    this.#byte(BINARY)
    this.#uint32(16)
    this.#at = at + 16
    return true
  }

  /** @param {string} value @param {BufferEncoding} [encoding] of the bytes */
  binary (value, encoding = 'utf8') {
    const length = this.#bytes.write(value, this.#at + 5, encoding)
    this.#byte(BINARY)
    this.#uint32(length)
    this.#at += length
  }

  /** @param {number} value */
  integer (value) {
    if (value >= 0 && value <= 255) {
      this.#byte(BYTE)
      this.#byte(value)
    } else if (value >= -(2 ** 31) && value < 2 ** 31) {
      this.#byte(INTEGER)
      this.#uint32(value)
    } else this.#bigNumber(value)
  }

  /** @param {number} value a generation may be larger than a word */
  #bigNumber (value) {
    const size = Math.abs(value)
    const high = Math.floor(size / WORD)
    if (high < WORD) this.#big(high, size >>> 0, value < 0)
    else this.#longBig(BigInt(value))
  }

  /**
   * An integer of at most 64 bits, of its two halves: a BigInt costs many times as much.
   *
   * @param {number} high
   * @param {number} low
   * @param {boolean} isNegative
   */
  #big (high, low, isNegative) {
    const bytes = this.#bytes
    const at = this.#at
    const length = high === 0 ? 4 : 8 - (Math.clz32(high) >>> 3)
    bytes[at] = BIG
    bytes[at + 1] = length
    bytes[at + 2] = isNegative ? 1 : 0
    for (let i = 0; i < 4; i++) bytes[at + 3 + i] = low >>> 8 * i
    for (let i = 4; i < length; i++) bytes[at + 3 + i] = high >>> 8 * i
    this.#at = at + 3 + length
  }

  /** @param {bigint} value */
  #longBig (value) {
    const size = value < 0n ? -value : value
    const digits = size.toString(16)
    const magnitude = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').reverse()
    const isLarge = magnitude.length > 255
    this.#byte(isLarge ? LARGE_BIG : BIG)
    if (isLarge) this.#uint32(magnitude.length)
    else this.#byte(magnitude.length)
    this.#byte(value < 0n ? 1 : 0)
    this.#at += magnitude.copy(this.#bytes, this.#at)
  }

  /** @param {string} text JSON without white space, of any value */
  json (text) {
    // Bytes of an array are read much faster than characters of a string.
    const from = text.length * 3 <= KEPT ? this.#text : Buffer.from(text)
    const length = from === this.#text ? from.write(text) : from.length
    // A number by itself ends where the text does, and not with what an earlier one left behind it.
    if (length < from.length) from[length] = 0
    this.#items(from, 0, length)
  }

  /**
   * An object whose members stand together, or in several places.
   *
   * @param {Buffer} bytes JSON without white space
   * @param {number[]} ranges start and end of each place, in turns: behind each there is a comma or a bracket
   */
  members (bytes, ranges) {
    this.tuple(1)
    if (ranges.length === 0) return this.nil()
    this.#starts.push(this.#at)
    this.#counts.push(-1)
    this.#at += 5
    this.tuple(2)
    for (let i = 0; i < ranges.length; i += 2) {
      if (i > 0) this.#next(0)
      this.#items(bytes, ranges[i], ranges[i + 1])
    }
    this.#close(0)
  }

  /** The same of a long text: others run in between. @param {string} text */
  async jsonInTurns (text) {
    const from = Buffer.from(text)
    const turn = new Turn()
    for (let i = 0; i < from.length;) {
      i = this.#items(from, i, Math.min(i + SLICE, from.length))
      if (turn.isLong) await turn.end()
    }
  }

  /** @param {Buffer} from @param {number} i @param {number} end @returns {number} where the next item begins, at `end` or behind */
  #items (from, i, end) {
    while (i < end) {
      const code = from[i]
      if (code === QUOTE) i = this.#string(from, i + 1)
      else if (code === COMMA) i = this.#next(i)
      else if (code === COLON) i++
      else if (code <= NINE) i = this.#number(from, i)
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) i = this.#open(from, i, code)
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) i = this.#close(i)
      else i = this.#literal(i, code)
    }
    return i
  }

  /** @param {Buffer} from @param {number} i @param {number} code */
  #open (from, i, code) {
    const isObject = code === OPEN_OBJECT
    const end = from[i + 1]
    if (isObject) this.tuple(1)
    if (end === CLOSE_OBJECT || end === CLOSE_ARRAY) {
      this.nil()
      return i + 2
    }
    this.#starts.push(this.#at)
    this.#counts.push(isObject ? -1 : 1)
    this.#at += 5
    if (isObject) this.tuple(2)
    return i + 1
  }

  /**
   * Members are counted backwards.
   *
   * @param {number} i
   */
  #next (i) {
    const counts = this.#counts
    const last = counts.length - 1
    if (counts[last] > 0) counts[last]++
    else {
      counts[last]--
      this.tuple(2)
    }
    return i + 1
  }

  /** @param {number} i */
  #close (i) {
    const start = /** @type {number} */ (this.#starts.pop())
    const count = /** @type {number} */ (this.#counts.pop())
    if (count > 0 && count <= MOST_BYTES && this.#areBytes(start + 5)) this.#pack(start, count)
    else {
      this.#bytes[start] = LIST
      this.#setUint32(start + 1, Math.abs(count))
      this.nil()
    }
    return i + 1
  }

  /**
   * Whether all items from there on are integers of a byte, each of which takes two.
   *
   * @param {number} from
   */
  #areBytes (from) {
    const bytes = this.#bytes
    const end = this.#at
    while (from < end && bytes[from] === BYTE) from += 2
    return from === end
  }

  /** @param {number} start @param {number} count */
  #pack (start, count) {
    const bytes = this.#bytes
    bytes[start] = BYTES
    bytes[start + 1] = count >>> 8
    bytes[start + 2] = count
    for (let i = 0; i < count; i++) bytes[start + 3 + i] = bytes[start + 6 + 2 * i]
    this.#at = start + 3 + count
  }

  /** @param {Buffer} from @param {number} start */
  #string (from, start) {
    const bytes = this.#bytes
    const at = this.#at
    const shift = at + 5 - start
    let i = start
    let code = from[i]
    while (code !== QUOTE && code !== BACKSLASH) {
      bytes[shift + i] = code
      code = from[++i]
    }
    if (code !== QUOTE) return this.#escaped(from, start - 1, i)
    bytes[at] = BINARY
    this.#setUint32(at + 1, i - start)
    this.#at = shift + i
    return i + 1
  }

  /** @param {Buffer} from @param {number} start @param {number} i */
  #escaped (from, start, i) {
    for (; from[i] !== QUOTE; i++) if (from[i] === BACKSLASH) i++
    this.binary(JSON.parse(from.utf8Slice(start, i + 1)))
    return i + 1
  }

  /** @param {Buffer} from @param {number} start */
  #number (from, start) {
    const isNegative = from[start] === MINUS
    let i = isNegative ? start + 1 : start
    const sure = i + SURE_DIGITS
    let value = 0
    let code = from[i]
    while (code >= ZERO && code <= NINE && i < sure) {
      value = value * 10 + code - ZERO
      code = from[++i]
    }
    if (code >= ZERO && code <= NINE) return this.#longNumber(from, start, i, value)
    if (code === DOT || code === LETTER_E || code === CAPITAL_E) return this.#float(from, start, i, value)
    this.integer(isNegative ? -value : value)
    return i
  }

  /**
   * @param {number} upper what the digits before `middle` say: with the few after it they are more than JavaScript surely holds
   * @param {Buffer} from
   * @param {number} start
   * @param {number} middle
   */
  #longNumber (from, start, middle, upper) {
    let i = middle
    let lower = 0
    for (; from[i] >= ZERO && from[i] <= NINE; i++) lower = lower * 10 + from[i] - ZERO
    if (from[i] === DOT || from[i] === LETTER_E || from[i] === CAPITAL_E) return this.#float(from, start, i, 0)
    const power = i - middle <= MORE_DIGITS ? POWERS[i - middle] : Infinity
    const low = (upper >>> 0) * power + lower
    const high = Math.floor(upper / WORD) * power + Math.floor(low / WORD)
    if (high < WORD) this.#big(high, low >>> 0, from[start] === MINUS)
    else this.#longBig(BigInt(from.latin1Slice(start, i)))
    return i
  }

  /**
   * A quotient of two exact numbers of few digits is as exact as what `Number` finds.
   *
   * @param {Buffer} from
   * @param {number} start
   * @param {number} point
   * @param {number} whole
   */
  #float (from, start, point, whole) {
    let i = point
    let digits = whole
    if (from[i] === DOT) for (i++; from[i] >= ZERO && from[i] <= NINE; i++) digits = digits * 10 + from[i] - ZERO
    const isShort = i - start <= SURE_DIGITS && from[i] !== LETTER_E && from[i] !== CAPITAL_E
    while (isOfNumber(from[i])) i++
    const size = isShort ? digits / POWERS[i - point - 1] : 0
    this.#double(!isShort ? Number(from.latin1Slice(start, i)) : from[start] === MINUS ? -size : size)
    return i
  }

  /** @param {number} value */
  #double (value) {
    float[0] = value
    this.#byte(FLOAT)
    for (let i = 7; i >= 0; i--) this.#byte(floatBytes[isLittleEndian ? i : 7 - i])
  }

  /** @param {number} i @param {number} code */
  #literal (i, code) {
    const name = code === LETTER_N ? 'null' : code === LETTER_F ? 'false' : 'true'
    this.atom(name)
    return i + name.length
  }
}

/** Returns the number of a hexadecimal digit; -1 of another character. @param {string} text @param {number} at */
function digitAt (text, at) {
  const code = text.charCodeAt(at)
  return code < DIGITS.length ? DIGITS[code] : -1
}

/** @param {number} code */
function isOfNumber (code) {
  return (code >= ZERO && code <= NINE) || code === DOT || code === LETTER_E || code === CAPITAL_E || code === PLUS || code === MINUS
}

module.exports = { TermWriter }
