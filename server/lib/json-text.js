'use strict'

const { parseExact } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')

// A mark in front stays, and is no JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Where JSON names half of a character: one that stands alone is no text. */
const HALF = /\\u[dD][89a-fA-F]/

/**
 * JSON as CouchDB reads it: in UTF-8 without a mark in front, and without strings that UTF-8 cannot hold.
 *
 * @param {Buffer} bytes
 * @returns {any}
 * @throws bad_request "invalid UTF-8 JSON"
 */
function parseJson (bytes) {
  let text, value
  try {
    text = utf8.decode(bytes)
    value = parseExact(text)
  } catch (cause) {
    throw createError('INVALID_JSON', { cause })
  }
  if (text.includes('\\u') && HALF.test(text) && !isWhole(value)) throw createError('INVALID_JSON')
  return value
}

/** Whether all strings in a value are well-formed. It has no cycles, and may be nested deeply. */
function isWhole (value) {
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'string' ? !isWellFormed(next) : typeof next === 'object' && next !== null && !areWhole(next, rest)) return false
  }
  return true
}

function areWhole (object, rest) {
  for (const name of Object.keys(object)) {
    if (!isWellFormed(name)) return false
    rest.push(object[name])
  }
  return true
}

function isWellFormed (text) {
  return /** @type {any} */ (text).isWellFormed()
}

module.exports = { parseJson }
