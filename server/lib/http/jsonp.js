'use strict'

const { badRequest } = require('@potoroo/errors')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * The function that a client wants to be called with the JSON, where `[chttpd] allow_jsonp` lets it.
 *
 * @param {PotorooRequest} req
 * @returns {string} empty where there is none
 * @throws bad_request "invalid_callback"
 * @see https://docs.couchdb.org/en/stable/config/http.html#chttpd/allow_jsonp
 */
function callbackOf (req) {
  if (req.callback === undefined) req.callback = readCallback(req)
  return req.callback
}

/** @param {PotorooRequest} req */
function readCallback (req) {
  const { search, service } = req
  if (!search || !search.includes('callback') || !service.config.boolean('chttpd', 'allow_jsonp')) return ''
  const callback = new URLSearchParams(search).get('callback') ?? ''
  if (/^[a-zA-Z0-9._[\]]*$/.test(callback)) return callback
  // The error itself goes as plain JSON.
  req.callback = ''
  throw badRequest('invalid_callback')
}

/** Scripts begin so that they are nothing else to who reads them as something else. @param {string} callback */
function opening (callback) { return `/* CouchDB */${callback}(` }

const CLOSING = ');'

/** @param {string} text JSON and a line's end @param {string} callback */
function wrapped (text, callback) { return opening(callback) + text.replace(/\n$/, '') + CLOSING + '\n' }

module.exports = { CLOSING, callbackOf, opening, wrapped }
