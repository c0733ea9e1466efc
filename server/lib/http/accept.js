'use strict'

/**
 * Whether the client takes a content type, which it does when it says nothing.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} type `multipart/mixed`
 */
function accepts (req, type) {
  const accept = req.headers.accept
  if (accept === undefined) return true
  const major = `${type.split('/', 1)[0]}/*`
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const best = ranges.find(({ range }) => range === type) ?? ranges.find(({ range }) => range === major) ?? ranges.find(({ range }) => range === '*/*')
  return best !== undefined && best.quality > 0
}

/**
 * Whether the client takes content of this encoding. A client that says nothing takes none.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} encoding `gzip`
 */
function acceptsEncoding (req, encoding) {
  const accept = req.headers['accept-encoding']
  if (typeof accept !== 'string') return false
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const best = ranges.find(({ range }) => range === encoding) ?? ranges.find(({ range }) => range === '*')
  return best !== undefined && best.quality > 0
}

/** @param {string} text */
function readRange (text) {
  const [range, ...parameters] = text.split(';').map(part => part.trim())
  const quality = parameters.find(parameter => parameter.startsWith('q='))
  return { range, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
}

module.exports = { accepts, acceptsEncoding }
