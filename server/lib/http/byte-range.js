'use strict'

const { createError } = require('@potoroo/errors')

/** More ranges than this are answered with all of the content, as CouchDB does. */
const MOST = 9

/**
 * Reads a `Range` header.
 *
 * @param {string | undefined} header `bytes=0-99,200-`
 * @param {number} length bytes of the content
 * @returns {Array<{ from: number, to: number }> | null} both ends included; null for all of it:
 *   no header, not understood, one of them from the first byte on without an end, or too many ranges
 * @throws requested_range_not_satisfiable, with `Content-Range` in its `headers`
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
function parseRange (header, length) {
  const match = /^\s*bytes\s*=(.*)$/i.exec(header ?? '')
  if (match === null) return null
  const specs = match[1].split(',').map(spec => /^\s*(\d*)\s*-\s*(\d*)\s*$/.exec(spec))
  if (specs.length > MOST || specs.some(spec => spec === null || (spec[1] === '' && spec[2] === ''))) return null
  const ranges = /** @type {RegExpExecArray[]} */ (specs)
  if (ranges.some(([, first, last]) => last === '' && Number(first) === 0)) return null
  return ranges.map(([, first, last]) => resolve(first, last, length))
}

/** @param {string} first @param {string} last @param {number} length */
function resolve (first, last, length) {
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (from <= to && (last === '' || first === '' || Number(first) <= Number(last))) return { from, to }
  throw Object.assign(createError('RANGE_NOT_SATISFIABLE'), { headers: { 'Content-Range': `bytes */${length}` } })
}

/** `bytes 0-99/1000` @param {{ from: number, to: number }} range @param {number} length */
function contentRange ({ from, to }, length) {
  return `bytes ${from}-${to}/${length}`
}

module.exports = { parseRange, contentRange }
