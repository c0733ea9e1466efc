'use strict'

const { publicName } = require('@potoroo/document-store')
const { absoluteUrl } = require('../http/absolute-url')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * The absolute URL of what was written, as `Location` says it.
 *
 * @param {PotorooRequest} req
 * @param {...string} segments after the root: database, document, attachment
 */
function locationOf (req, ...segments) {
  return absoluteUrl(req, [publicName(segments[0]), ...segments.slice(1)].map(segment => '/' + encode(segment)).join(''))
}

/** The characters that CouchDB leaves as they are: letters, digits and `_.-:`. @param {string} segment */
function encode (segment) {
  const text = encodeURIComponent(segment)
  return /%3A|[!'()*~]/.test(text) ? text.replaceAll('%3A', ':').replace(/[!'()*~]/g, inHex) : text
}

/** @param {string} character */
function inHex (character) { return `%${character.charCodeAt(0).toString(16).toUpperCase()}` }

module.exports = { locationOf }
