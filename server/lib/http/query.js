'use strict'

const { parseExact } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')

/**
 * A query parameter's type: takes the text and the name, gives the value or throws.
 * @typedef {(text: string, name: string) => any} ParameterType
 */

/** @type {Record<string, ParameterType>} */
const types = {
  /** @param {string} text */
  string: text => text,
  /** @param {string} text @param {string} name */
  boolean (text, name) {
    // CouchDB takes an empty value neither for yes nor for no.
    const value = text.toLowerCase()
    if (value === 'true') return true
    if (value === 'false') return false
    throw createError('QUERY_PARSE_ERROR', { reason: `Invalid boolean parameter: "${text}"` })
  },
  /** @param {string} text */
  integer (text) {
    const number = Number(text)
    if (text.trim() !== '' && Number.isSafeInteger(number)) return number
    throw createError('QUERY_PARSE_ERROR', { reason: `Invalid value for integer: "${text}"` })
  },
  /** @param {string} text @param {string} name */
  count (text, name) {
    const number = types.integer(text, name)
    if (number >= 0) return number
    throw createError('QUERY_PARSE_ERROR', { reason: `Invalid value for positive integer: "${text}"` })
  },
  /** @param {string} text @param {string} name */
  json (text, name) {
    try {
      return parseExact(text)
    } catch (cause) {
      throw createError('INVALID_JSON', { cause })
    }
  },
  /** @param {string} text @param {string} name */
  array (text, name) {
    const value = types.json(text, name)
    if (Array.isArray(value)) return value
    throw badRequest(`\`${name}\` parameter must be an array.`)
  },
  /** @param {string} text @param {string} name */
  object (text, name) {
    const value = types.json(text, name)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw badRequest(`\`${name}\` parameter must be an object.`)
  }
}

/**
 * One of these words.
 * @param {...string} words
 * @returns {ParameterType}
 */
function oneOf (...words) {
  return (text, name) => {
    if (words.includes(text)) return text
    throw createError('QUERY_PARSE_ERROR', { reason: `Invalid value for ${name}: "${text}"` })
  }
}

/**
 * A query string as `URLSearchParams` reads it. Parameters may be separated by `;`, as CouchDB takes it.
 *
 * @param {string} text what follows the `?`
 * @throws bad_request where `%` begins no byte: CouchDB reads no such URL
 */
function searchOf (text) {
  if (text.includes('%') && /%(?![0-9a-f]{2})/i.test(text)) throw badRequest('invalid_url_encoding')
  return text.includes(';') ? text.replaceAll(';', '&') : text
}

/**
 * Reads a query string by the types that a route declares. Parameters that it does not declare
 * are left out, as CouchDB ignores what it does not know. The first of several values counts.
 *
 * @param {string} search what follows the `?`
 * @param {Record<string, string | ParameterType>} declared name → type
 * @returns {Record<string, any>}
 */
function parseQuery (search, declared) {
  /** @type {Record<string, any>} */
  const values = {}
  if (search === '') return values
  for (const [name, text] of new URLSearchParams(search)) {
    if (!Object.hasOwn(declared, name) || Object.hasOwn(values, name)) continue
    const type = declared[name]
    values[name] = (typeof type === 'function' ? type : types[type])(text, name)
  }
  return values
}

module.exports = { parseQuery, searchOf, oneOf, types }
