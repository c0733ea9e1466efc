'use strict'

const { readBanner } = require('../service/banner')

/** @typedef {import('../config/config').Config} Config */

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * The headers that every answer has: who answers, and what browsers are not to do with it. They
 * are put together when the configuration changes, not for each request.
 */
class SecurityHeaders {
  #config
  #settings

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#config = config
    this.#settings = config.section({ headers: readHeaders })
  }

  /**
   * @param {PotorooRequest} req
   * @returns {string[]} name, value, name, value …; not to be changed
   */
  of (req) {
    const { plain, secure, hosts } = this.#settings.now.headers
    const list = req.socket.encrypted === true ? secure : plain
    return hosts ? list.concat('X-Frame-Options', frameHosts(this.#config, req)) : list
  }
}

/** @param {Config} config */
function readHeaders (config) {
  const hosts = config.get('chttpd', 'enable_xframe_options') === 'true' && config.get('x_frame_options', 'same_origin') !== 'true'
  const plain = [
    'Server', config.boolean('chttpd', 'server_header_versions') ? readBanner().header : 'CouchDB',
    // Attachments are of the type that they say: a picture is no script.
    'X-Content-Type-Options', 'nosniff',
    'Referrer-Policy', 'same-origin'
  ]
  if (!hosts && config.get('chttpd', 'enable_xframe_options') !== 'false') plain.push('X-Frame-Options', 'SAMEORIGIN')
  const transport = config.get('ssl', 'strict_transport_security')
  return { hosts, plain, secure: transport === '' ? plain : [...plain, 'Strict-Transport-Security', transport] }
}

/**
 * With `[x_frame_options] hosts`, as CouchDB answers it.
 * @param {Config} config
 * @param {PotorooRequest} req
 * @see https://docs.couchdb.org/en/stable/config/http.html#x-frame-options
 */
function frameHosts (config, req) {
  const own = `${req.socket.encrypted === true ? 'https' : 'http'}://${req.headers.host}`
  const hosts = config.get('x_frame_options', 'hosts').split(',').map(host => host.trim())
  const isListed = hosts.includes(own) || (hosts.length === 1 && hosts[0] === '*')
  return isListed && req.headers.host !== undefined ? `ALLOW-FROM ${own}` : 'DENY'
}

module.exports = { SecurityHeaders }
