'use strict'

const { isObject } = require('@potoroo/document-store')
const { createError, formatTerm } = require('@potoroo/errors')

/**
 * The results of a rewrite function: an answer, if there is a `code`, or another request.
 *
 * @typedef {object} RewriteResult
 * @property {number} [code]
 * @property {string} [path] relative to the design document
 * @property {string} [method]
 * @property {Record<string, string>} [query]
 * @property {Record<string, string>} [headers]
 * @property {string} [body]
 */

/** In the order of the result each is looked at. */
const members = {
  method: requireText,
  path: requireText,
  body: requireText,
  headers: requireTexts,
  query: requireTexts,
  /** @param {string} name @param {any} value */
  code (name, value) { if (!Number.isInteger(value) || value < 200 || value >= 600) throw bad(`bad ${name}`) }
}

/**
 * @param {any} result
 * @returns {RewriteResult}
 * @throws rewrite_error where it is nothing of the kind
 * @see https://docs.couchdb.org/en/stable/api/ddoc/rewrites.html
 */
function checkResult (result) {
  if (!isObject(result)) throw bad('bad rewrite')
  for (const name of Object.keys(result)) if (Object.hasOwn(members, name)) members[/** @type {keyof typeof members} */ (name)](name, result[name])
  if (result.code === undefined && result.path === undefined) throw bad('Rewrite result must produce a new path.')
  return result
}

/** @param {string} name @param {any} value */
function requireText (name, value) { if (typeof value !== 'string') throw bad(`bad ${name}`) }

/** @param {string} name @param {any} value */
function requireTexts (name, value) {
  if (!isObject(value)) throw bad(`bad ${name}`)
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'string') throw bad(`object key/value must be strings ${formatName(key)}=${formatTerm(each)}`)
  }
}

/** @param {string} name */
function formatName (name) { return `<<"${name}">>` }

/** @param {string} reason */
function bad (reason) { return createError('FUNCTION_ERROR', { error: 'rewrite_error', reason }) }

module.exports = { checkResult }
