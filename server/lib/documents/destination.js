'use strict'

const { badRequest } = require('@potoroo/errors')
const { revision } = require('./query')

/**
 * Reads where a COPY goes to: `other` or `other?rev=1-…`.
 *
 * @param {string | undefined} header `Destination`
 * @returns {{ _id: string, _rev?: string }}
 * @throws bad_request
 */
function readDestination (header) {
  if (header === undefined) throw badRequest('Destination header is mandatory for COPY.')
  if (/^https?:\/\//.test(header)) throw badRequest('Destination URL must be relative.')
  const [path, query = ''] = header.split('?', 2)
  const rev = new URLSearchParams(query).get('rev')
  try {
    return { _id: decodeURIComponent(path), ...(rev !== null && { _rev: revision(rev) }) }
  } catch (error) {
    throw error instanceof URIError ? badRequest('Invalid Destination header') : error
  }
}

module.exports = { readDestination }
