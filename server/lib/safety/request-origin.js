'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Types that a form can send without asking; JSON is not among them. */
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i

/**
 * A browser sends a cookie with whatever request any page makes it send. So a write that a cookie
 * vouches for has to come from a page of this server, or of an origin that `[cors]` names. A
 * client that says nothing of where it comes from is no browser, and does as it likes.
 *
 * @param {PotorooRequest} req its `user` is known
 * @param {import('../http/cors').Cors} cors
 * @throws forbidden
 */
function requireOwnOrigin (req, cors) {
  if (req.user.authenticated !== 'cookie' || READS.has(req.method)) return
  const { headers } = req
  const site = headers['sec-fetch-site']
  // Set by the browser itself: no page can forge it.
  if (site === 'same-origin' || site === 'none') return
  const origin = headers.origin ?? (isForm(headers) ? headers.referer : undefined)
  if (origin === undefined && site === undefined) return
  if (origin !== undefined && (isOwn(origin, req, req.service.config) || cors.allows(origin))) return
  throw createError('FORBIDDEN', { reason: 'A page of another origin may not write with your session. See [cors] origins.' })
}

/** @param {PotorooRequest['headers']} headers */
function isForm (headers) {
  return FORM.test(headers['content-type'] ?? '')
}

/**
 * Whether an origin (or a referer) is this server, under the name that the client, or a proxy, called it by.
 *
 * @param {string} text
 * @param {Pick<PotorooRequest, 'headers' | 'socket'>} req
 * @param {import('../config/config').Config} config
 */
function isOwn (text, { headers, socket }, config) {
  const host = hostOf(text)
  if (host === null) return false
  if (/** @type {any} */ (socket).encrypted === true && !text.startsWith('https:')) return false
  const forwarded = config.get('chttpd', 'x_forwarded_host').toLowerCase() || 'x-forwarded-host'
  return host === canonical(headers.host) || host === canonical(headers[forwarded])
}

/** A name and a port, without those that http and https have anyway. @param {string} text */
function hostOf (text) {
  const match = /^https?:\/\/([^/?#\s]+)/i.exec(text)
  return match === null ? null : canonical(match[1])
}

/** @param {string | undefined} host */
function canonical (host) {
  return typeof host === 'string' ? host.toLowerCase().replace(/:(80|443)$/, '') : undefined
}

module.exports = { isOwn, requireOwnOrigin }
