'use strict'

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

module.exports = { accepts, acceptsEncoding, prefersHtml }
