'use strict'

const fs = require('node:fs')
const { validateHeaderValue } = require('node:http')
const path = require('node:path')
const { createError } = require('@potoroo/errors')
const fauxton = require('@potoroo/fauxton')
const send = require('send')
const { contentSecurityPolicy } = require('../../http/content-security-policy')
const { sendJsonText } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** In a clone of the repository they are fetched by its setup. */
const present = fs.existsSync(path.join(fauxton.folder, 'index.html'))

/** CouchDB brings its documentation along. */
const DOCUMENTATION = 'https://docs.couchdb.org/en/stable/'

/**
 * `GET /_utils` and all below it: Fauxton.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function utils (req, res) {
  const place = req.url.replace(/\?.*$/s, '').replace(/^\/+[^/]+/, '')
  if (place === '') return redirect(res, 301, `${req.baseUrl ?? ''}/_utils/`)
  // [chttpd_auth] authentication_redirect sends browsers here; in this release it is a page like the others.
  if (place === '/session.html') return redirect(res, 302, `${req.baseUrl ?? ''}/_utils/#/login`)
  if (place === '/docs' || place.startsWith('/docs/')) return redirect(res, 302, DOCUMENTATION + encodeURI(req.params.path.slice('docs/'.length)))
  if (!present) throw createError('NOT_IMPLEMENTED', { reason: 'The files of Fauxton are not installed' })
  return sendFile(req, res, place)
}

/** @param {PotorooResponse} res @param {number} status @param {string} location */
function redirect (res, status, location) {
  sendJsonText(res, status, '', { Location: location })
}

/**
 * The library sees to types, ranges, conditions, and paths that lead out of the folder.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {string} place
 */
function sendFile (req, res, place) {
  const policy = contentSecurityPolicy(req.service.config, 'utils')
  // Later it would be thrown where nobody catches it.
  if (policy !== undefined) validateHeaderValue('Content-Security-Policy', policy)
  return /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
    res.on('close', resolve)
    // Files from the registry have one date all; what changes with a release is its number.
    send(req, place, { root: fauxton.folder, dotfiles: 'deny', cacheControl: false, lastModified: false, etag: false })
      .on('directory', () => reject(createError('NO_ROUTE')))
      .on('error', error => reject(refusal(error)))
      .on('stream', file => res.once('close', () => file.destroy()))
      .on('headers', () => {
        res.setHeader('ETag', `"${fauxton.version}"`)
        res.setHeader('Cache-Control', 'private, must-revalidate')
        if (policy !== undefined) res.setHeader('Content-Security-Policy', policy)
      })
      .pipe(res)
  }))
}

/** @param {any} error of `send` */
function refusal (error) {
  if (error.status === 416) return Object.assign(createError('RANGE_NOT_SATISFIABLE'), { headers: error.headers })
  if (error.status === 412) return createError('PRECONDITION_FAILED')
  return error.status < 500 ? createError('NO_ROUTE') : error
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_utils', who: 'anyone', handler: utils },
  { method: 'GET', path: '/_utils/:path+', who: 'anyone', handler: utils }
]
