'use strict'

/**
 * Finds where a regular expression ends: at the first slash without a backslash before it, or else at the last one.
 *
 * @param {string} query
 * @param {number} at its first slash
 * @returns {number} behind the last slash; -1: there is none
 */
function regexpEnd (query, at) {
  const from = at + 1
  let end = query.indexOf('/', from)
  while (end !== -1 && end > from && query[end - 1] === '\\') {
    const next = query.indexOf('/', end + 1)
    if (next === -1) break
    end = next
  }
  return end === -1 ? -1 : end + 1
}

module.exports = { regexpEnd }
