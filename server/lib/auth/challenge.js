'use strict'

const { absoluteUrl } = require('../http/absolute-url')
const { accepts } = require('../http/accept')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * How somebody who is refused is told to say who they are: by `WWW-Authenticate`, which makes browsers
 * ask for a password, or where they want HTML and nothing else, by being sent to `authentication_redirect`.
 *
 * @param {PotorooRequest} req
 * @param {string} reason of the refusal
 * @returns {{ status: number, headers: Record<string, string> }}
 */
function challenge (req, reason) {
  const { config } = req.service
  const type = req.headers['x-couchdb-www-authenticate'] ?? config.get('chttpd', 'WWW-Authenticate')
  if (type !== '') return { status: 401, headers: { 'WWW-Authenticate': type } }
  if (config.boolean('chttpd', 'require_valid_user')) return { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="server"' } }
  const redirect = config.get('chttpd_auth', 'authentication_redirect')
  if (!redirect.startsWith('/') || accepts(req, 'application/json') || !accepts(req, 'text/html')) return { status: 401, headers: {} }
  const path = req.url.split('?', 1)[0]
  return { status: 302, headers: { Location: absoluteUrl(req, `${redirect}?return=${encodeURIComponent(path)}&reason=${encodeURIComponent(reason)}`) } }
}

module.exports = { challenge }
