'use strict'

const { createError } = require('@potoroo/errors')
const { isLoopback } = require('../http/cors')
const { sendError } = require('../http/response')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * Before a server at which everybody is an administrator: only this machine's own programs and
 * pages may come. A page of the web may make its name mean 127.0.0.1 (DNS rebinding), but not
 * change what the browser says in `Host` and `Origin`.
 *
 * @param {(req: any, res: any) => void} handle
 * @returns {(req: any, res: any) => void}
 */
function loopbackOnly (handle) {
  return (/** @type {PotorooRequest} */ req, /** @type {PotorooResponse} */ res) => {
    const { host, origin } = req.headers
    const isOurs = (host === undefined || isLoopback(`http://${host}`)) && (origin === undefined || isLoopback(origin))
    if (isOurs && req.headers['sec-fetch-site'] !== 'cross-site') return handle(req, res)
    sendError(res, createError('FORBIDDEN', { reason: 'Everybody is an administrator here, so only pages of this machine may come.' }), () => {})
  }
}

module.exports = { loopbackOnly }
