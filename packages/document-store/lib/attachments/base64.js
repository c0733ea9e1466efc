'use strict'

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Characters that are decoded at a time, a multiple of 4. */
const SLICE = 256 * 1024

/**
 * Takes line breaks and blanks out, which CouchDB allows anywhere.
 *
 * @param {string} text
 */
function withoutBlanks (text) {
  return /\s/.test(text) ? text.replace(/[ \t\r\n]+/g, '') : text
}

/** @param {string} text without blanks */
function isBase64 (text) {
  return text.length % 4 === 0 && BASE64.test(text)
}

/**
 * Returns how many bytes it stands for.
 *
 * @param {string} text
 */
function decodedLength (text) {
  return text.length * 3 / 4 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
}

/**
 * Decodes a long text a slice at a time, so that its bytes are never all in memory.
 *
 * @param {string} text
 */
async function * decodeSlices (text) {
  for (let at = 0; at < text.length; at += SLICE) yield Buffer.from(text.slice(at, at + SLICE), 'base64')
}

module.exports = { withoutBlanks, isBase64, decodedLength, decodeSlices }
