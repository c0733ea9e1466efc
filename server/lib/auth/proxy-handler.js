'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * Takes the word of a proxy in front for who somebody is: its headers name the user and roles, and with
 * `proxy_use_secret` a token proves that it knows `[chttpd_auth] secret`.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#proxy-authentication
 */
class ProxyHandler {
  #settings
  #secrets

  /**
   * @param {import('./auth-settings').AuthSettings} settings
   * @param {import('./secrets').Secrets} secrets
   */
  constructor (settings, secrets) {
    this.#settings = settings
    this.#secrets = secrets
  }

  /** @param {PotorooRequest} req @returns {import('./authenticator').Verdict} null without the headers, or with a token that is wrong */
  authenticate (req) {
    const { name: nameHeader, roles: rolesHeader, token: tokenHeader, useSecret } = this.#settings.now.proxy
    if (req.headers[nameHeader] === undefined) return null
    const name = single(req, nameHeader)
    const roles = single(req, rolesHeader)
    if (name === null || name === '' || roles === null) return null
    if (useSecret && !this.#isSigned(name, single(req, tokenHeader))) return null
    return Object.freeze({ name, roles: readRoles(roles), authenticated: /** @type {const} */ ('proxy') })
  }

  /** @param {string} name @param {string | null} token */
  #isSigned (name, token) {
    return token !== null && /^([0-9a-f]{2})+$/i.test(token) && this.#secrets.verify(name, Buffer.from(token, 'hex'))
  }
}

/**
 * A header's text; '' where it is not there. Null where it came twice: one of the two is not the proxy's.
 * Bytes above ASCII are UTF-8.
 *
 * @param {PotorooRequest} req
 * @param {string} header
 */
function single ({ headers, rawHeaders = [] }, header) {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i].toLowerCase() === header) count++
  return count > 1 ? null : Buffer.from(headers[header] ?? '', 'latin1').toString('utf8')
}

/** @param {string} text */
function readRoles (text) {
  return text.split(',').map(role => role.trim()).filter(Boolean)
}

module.exports = { ProxyHandler }
