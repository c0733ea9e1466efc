'use strict'

const { createError } = require('@potoroo/errors')
const { parseExact } = require('../json/exact-json')
const { carrySent } = require('../json/sent-text')

// A mark in front stays, and is no JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Half of a character, as JSON names it: one that stands alone is no text. */
const HALF = /\\u[dD][89a-fA-F]/

/**
 * JSON as CouchDB reads it: in UTF-8 without a mark in front, and without strings that UTF-8 cannot hold.
 *
 * @param {Buffer} bytes
 * @param {number} [documents] containers around documents, which carry their text: see `carrySent`
 * @returns {any}
 * @throws bad_request "invalid UTF-8 JSON"
 */
function parseJson (bytes, documents) {
  const { text, value } = parse(bytes)
  if (documents !== undefined) carrySent(value, text, documents)
  return value
}

/** @param {Buffer} bytes */
function parse (bytes) {
  try {
    const text = decode(bytes)
    const value = parseExact(text)
    assertWhole(text, value)
    return { text, value }
  } catch (cause) {
    throw createError('INVALID_JSON', { cause })
  }
}

/** @param {Uint8Array} bytes @throws TypeError where they are no UTF-8 */
function decode (bytes) { return utf8.decode(bytes) }

/**
 * @param {string} text JSON
 * @param {any} value that it stands for; has no cycles, and may be nested deeply
 * @throws SyntaxError unless all strings in it are well-formed
 */
function assertWhole (text, value) {
  if (!text.includes('\\u') || !HALF.test(text)) return
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'string') assertWellFormed(next)
    else if (typeof next === 'object' && next !== null) addMembers(next, rest)
  }
}

/** @param {Record<string, any>} object @param {unknown[]} rest */
function addMembers (object, rest) {
  for (const name of Object.keys(object)) {
    assertWellFormed(name)
    rest.push(object[name])
  }
}

/** @param {string} text */
function assertWellFormed (text) {
  if (!(/** @type {any} */ (text)).isWellFormed()) throw new SyntaxError('Half of a character')
}

module.exports = { assertWhole, decode, parseJson }
