'use strict'

/** Places in JSON text of which it is known that it is JSON. */

const [TAB, LINE, RETURN, SPACE, QUOTE, BACKSLASH] = [9, 10, 13, 32, 34, 92]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

const LITERAL = /[^\s,:[\]{}"]*/y

/** By the character after the backslash. @type {Record<string, number>} */
const ESCAPES = { b: 8, t: 9, n: 10, f: 12, r: 13, '"': QUOTE, '\\': BACKSLASH, '/': 47 }

/** @param {number} code */
function isBlank (code) { return code === SPACE || code === LINE || code === RETURN || code === TAB }

/** Behind the white space that begins there, if any does. @param {string} text @param {number} at */
function pastBlank (text, at) {
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** Behind the quotes that end the string that begins there. @param {string} text @param {number} start */
function endOfString (text, start) {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/** Behind the number, `true`, `false` or `null` that begins there. @param {string} text @param {number} start */
function endOfLiteral (text, start) {
  LITERAL.lastIndex = start
  LITERAL.test(text)
  return LITERAL.lastIndex
}

/** Behind the value that begins there. @param {string} text @param {number} start */
function endOfValue (text, start) {
  let at = start
  let depth = 0
  do {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth++
      at++
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--
      at++
    } else if (depth === 0) at = endOfLiteral(text, at)
    else at++
  } while (depth > 0)
  return at
}

/**
 * Behind the value that begins there, if it differs from another text in nothing but white space and
 * in how characters are escaped.
 *
 * @param {string} text
 * @param {number} start
 * @param {string} other of an object or an array, without white space
 * @returns {number} -1 if it is another one
 */
function endOfSame (text, start, other) {
  const end = start + other.length
  // V8 compares whole strings much faster than it looks for one at a place.
  if (text.slice(start, end) === other) return end
  let at = start
  let inString = false
  for (let i = 0; i < other.length; i++) {
    const code = other.charCodeAt(i)
    if (!inString) at = pastBlank(text, at)
    if (code === QUOTE) inString = !inString
    const sent = text.charCodeAt(at)
    if (sent !== BACKSLASH && code !== BACKSLASH) {
      if (sent !== code) return -1
      at++
    } else if (unitAt(text, at) === unitAt(other, i)) {
      at += widthAt(text, at)
      i += widthAt(other, i) - 1
    } else return -1
  }
  return at
}

/**
 * The UTF-16 unit that stands there in a string, escaped or not.
 *
 * @param {string} text
 * @param {number} at
 */
function unitAt (text, at) {
  if (text.charCodeAt(at) !== BACKSLASH) return text.charCodeAt(at)
  return ESCAPES[text[at + 1]] ?? parseInt(text.slice(at + 2, at + 6), 16)
}

/** @param {string} text @param {number} at */
function widthAt (text, at) {
  if (text.charCodeAt(at) !== BACKSLASH) return 1
  return text[at + 1] === 'u' ? 6 : 2
}

module.exports = { endOfLiteral, endOfSame, endOfString, endOfValue, pastBlank }
