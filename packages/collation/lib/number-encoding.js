'use strict'

/**
 * Numbers as text that is ordered as they are: the 63 bits of a double below its sign, from the
 * highest on, six to a character from '0' to 'o', without zeros at the end, and \0. The bits of
 * greater numbers are greater. In negative numbers each digit is turned round, and what ends them
 * is above all digits, so that the longer one is first.
 *
 *   'e' digit … '~'     negative
 *   'f' digit … \0      0 and above
 *
 * A whole number below a million takes 3 to 7 characters.
 */
const NEGATIVE = 'e'
const POSITIVE = 'f'
const ZERO = 48
const NINE = ZERO + 63
const NEGATIVE_END = 126
const DIGITS = 11

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
const [LOW, HIGH] = isLittleEndian() ? [0, 1] : [1, 0]

function isLittleEndian () {
  float[0] = 1
  return words[0] === 0
}

/**
 * @param {number} number finite
 * @returns {string}
 */
function encodeNumber (number) {
  if (number >= 0) {
    split(number)
    return POSITIVE + digitsOf(ZERO, 1) + '\0'
  }
  split(-number)
  return NEGATIVE + digitsOf(NINE, -1) + '~'
}

let high = 0
let low = 0

/** @param {number} number */
function split (number) {
  float[0] = number
  high = words[HIGH]
  low = words[LOW]
  if (number === 0) high = 0 // -0
}

/** @param {number} origin @param {number} direction */
function digitsOf (origin, direction) {
  let text = ''
  let head = high
  for (let i = 0; i < 5; i++) {
    if (head === 0 && low === 0) return text
    text += String.fromCharCode(origin + direction * (head >>> 25))
    head = (head & 0x1ffffff) << 6
  }
  // One bit is left of the high word, on top.
  let rest = (head >>> 30) * 0x100000000 + low
  for (let shift = 2 ** 27; rest !== 0; shift /= 64) {
    const digit = shift >= 1 ? Math.floor(rest / shift) : rest * 8
    text += String.fromCharCode(origin + direction * digit)
    rest = shift >= 1 ? rest - digit * shift : 0
  }
  return text
}

/**
 * @param {string} text
 * @param {number} at where the number begins
 * @returns {{ value: number, end: number }} end: behind it
 */
function decodeNumber (text, at) {
  const negative = text[at] === NEGATIVE
  const terminator = negative ? NEGATIVE_END : 0
  let [head, tail] = [0, 0]
  let count = 0
  let i = at + 1
  for (let code = text.charCodeAt(i); code !== terminator; code = text.charCodeAt(++i), count++) {
    const digit = negative ? NINE - code : code - ZERO
    if (count < 5) head = head * 64 + digit
    else tail = tail * 64 + digit
  }
  for (let n = Math.min(count, 5); n < 5; n++) head *= 64
  for (let n = Math.max(count, 5); n < DIGITS; n++) tail *= 64
  return { value: negative ? -join(head, tail) : join(head, tail), end: i + 1 }
}

/** @param {number} head 30 bits @param {number} tail 33 bits and 3 of filling */
function join (head, tail) {
  const rest = tail / 8
  words[HIGH] = head * 2 + Math.floor(rest / 0x100000000)
  words[LOW] = rest % 0x100000000
  return float[0]
}

module.exports = { encodeNumber, decodeNumber }
