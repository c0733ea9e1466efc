'use strict'

/** @typedef {import('../config/config').Config} Config */

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * Cross-origin requests, as CouchDB configures them: `[chttpd] enable_cors` and `[cors]`
 * origins, credentials, methods, headers, max_age.
 *
 * By default they are allowed, with credentials, from pages of this machine (`origins =
 * loopback`: localhost, 127.0.0.1 and [::1] at any port), so that a page under development
 * replicates as it stands, and from nowhere else: were every origin allowed, any page on the
 * web could use the database of whoever looks at it. `null` (files, sandboxed frames) is not
 * loopback, because any site can make a frame with that origin.
 */
class Cors {
  #config
  /** @type {ReturnType<typeof readSettings> | null} */
  #settings = null

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#config = config
    config.on('change', section => {
      if (section === 'cors' || section === 'chttpd' || section === 'httpd') this.#settings = null
    })
  }

  /**
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @returns {boolean} whether the request was a preflight and is answered
   */
  handle (req, res) {
    const { origin } = req.headers
    if (origin === undefined) return false
    const settings = this.#read()
    if (!settings.enabled) return false
    res.setHeader('Vary', 'Origin')
    const method = req.method === 'OPTIONS' ? req.headers['access-control-request-method'] : undefined
    const allowed = settings.allows(origin)
    if (allowed) allow(req, res, origin, settings, method)
    if (method === undefined) return false
    res.statusCode = 204
    res.end()
    return true
  }

  /** Whether pages of this origin may do what pages of this server may. Not for `*`: that is everybody. @param {string} origin */
  allows (origin) {
    const { enabled, lists, credentials } = this.#read()
    return enabled && credentials && lists(origin)
  }

  #read () {
    this.#settings ??= readSettings(this.#config)
    return this.#settings
  }
}

/**
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {string} origin
 * @param {ReturnType<typeof readSettings>} settings
 * @param {string | undefined} preflightMethod
 */
function allow (req, res, origin, settings, preflightMethod) {
  res.setHeader('Access-Control-Allow-Origin', settings.credentials || !settings.any ? origin : '*')
  if (settings.credentials) res.setHeader('Access-Control-Allow-Credentials', 'true')
  if (preflightMethod === undefined) {
    res.setHeader('Access-Control-Expose-Headers', EXPOSED)
    return
  }
  res.setHeader('Access-Control-Allow-Methods', settings.methods)
  res.setHeader('Access-Control-Allow-Headers', settings.headers === '*' ? req.headers['access-control-request-headers'] ?? '' : settings.headers)
  res.setHeader('Access-Control-Max-Age', settings.maxAge)
  if (req.headers['access-control-request-private-network'] === 'true') res.setHeader('Access-Control-Allow-Private-Network', 'true')
}

const EXPOSED = 'accept-ranges, cache-control, content-disposition, content-encoding, content-length, content-md5, content-range, content-type, date, etag, location, server, x-couch-request-id, x-couch-update-newrev, x-couchdb-body-time'

/** @param {Config} config */
function readSettings (config) {
  const origins = list(config.get('cors', 'origins'))
  const any = origins.includes('*')
  const exact = new Set(origins.filter(origin => origin !== 'loopback'))
  const loopback = origins.includes('loopback')
  /** @param {string} origin */
  const lists = origin => exact.has(origin.toLowerCase()) || (loopback && isLoopback(origin))
  return {
    // `[httpd]` was the section's name before CouchDB 2, and is where Fauxton's page has its switch.
    enabled: config.boolean('chttpd', 'enable_cors') && config.boolean('httpd', 'enable_cors'),
    any,
    /** @param {string} origin */
    allows: origin => any || lists(origin),
    lists,
    credentials: config.boolean('cors', 'credentials'),
    methods: config.get('cors', 'methods'),
    headers: config.get('cors', 'headers'),
    maxAge: config.get('cors', 'max_age')
  }
}

/** @param {string} text */
function list (text) {
  return text.split(',').map(part => part.trim().toLowerCase()).filter(Boolean)
}

/** @param {string} origin */
function isLoopback (origin) {
  return /^https?:\/\/(localhost|([a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(origin)
}

module.exports = { Cors, isLoopback }
