'use strict'

const { createError } = require('@potoroo/errors')
const { revision } = require('./query')

/**
 * Reads where a COPY goes to: `other` or `other?rev=1-…`.
 *
 * @param {string | undefined} header `Destination`
 * @returns {{ _id: string, _rev?: string }}
 * @throws bad_request
 */
function readDestination (header) {
  if (header === undefined) throw createError('BAD_REQUEST', { reason: 'Destination header is mandatory for COPY.' })
  if (/^https?:\/\//.test(header)) throw createError('BAD_REQUEST', { reason: 'Destination URL must be relative.' })
  const [path, query = ''] = header.split('?', 2)
  const rev = new URLSearchParams(query).get('rev')
  try {
    return { _id: decodeURIComponent(path), ...(rev !== null && { _rev: revision(rev) }) }
  } catch (error) {
    throw error instanceof URIError ? createError('BAD_REQUEST', { reason: 'Invalid Destination header' }) : error
  }
}

module.exports = { readDestination }
