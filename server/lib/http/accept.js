'use strict'

const zlib = require('node:zlib')
const Negotiator = require('negotiator')

/**
 * Whether the client takes a content type, which it does when it says nothing.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} type `multipart/mixed`
 */
function accepts (req, type) {
  return new Negotiator(req).mediaType([type]) !== undefined
}

/**
 * Whether the client names HTML and wants it rather than JSON, as browsers do that open a page.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 */
function prefersHtml ({ headers: { accept = '' } }) {
  if (accept.length > 1000 || !/text\/html/i.test(accept)) return false
  const ranges = new Map(accept.toLowerCase().split(',').map(part => {
    const [range, ...parameters] = part.split(';').map(each => each.trim())
    const quality = Number(parameters.find(each => each.startsWith('q='))?.slice(2) ?? 1)
    return [range, quality]
  }))
  const html = ranges.get('text/html') ?? 0
  return html > (ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0)
}

/**
 * Whether the client takes content of this encoding. A client that says nothing takes none.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} encoding `gzip`
 */
function acceptsEncoding (req, encoding) {
  return new Negotiator(req).encoding([encoding]) !== undefined
}

/** The encodings that an answer can be made in, the best first. Older versions of Node.js have no zstd. */
const ENCODINGS = ['zstd', 'gzip'].filter(encoding => encoding === 'gzip' || 'createZstdCompress' in zlib)

/**
 * The encoding that the client and this server like best; undefined where the client takes none of ours.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @returns {'zstd' | 'gzip' | undefined}
 */
function preferredEncoding (req) {
  return /** @type {any} */ (new Negotiator(req).encoding(ENCODINGS, { preferred: ENCODINGS }))
}

module.exports = { accepts, acceptsEncoding, preferredEncoding, prefersHtml }
