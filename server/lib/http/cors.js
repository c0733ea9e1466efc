'use strict'

const { ifTrue, list, text } = require('../config/schema')

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
  #settings

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#settings = config.section(schema)
  }

  /**
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @returns {boolean} whether the request was a preflight and is answered
   */
  handle (req, res) {
    const { origin } = req.headers
    if (origin === undefined) return false
    const settings = this.#settings.now
    if (!settings.enabled) return false
    res.setHeader('Vary', 'Origin')
    const method = req.method === 'OPTIONS' ? req.headers['access-control-request-method'] : undefined
    const allowed = settings.origins.any || settings.origins.lists(origin)
    if (allowed) allow(req, res, origin, settings, method)
    if (method === undefined) return false
    res.statusCode = 204
    res.end()
    return true
  }

  /** Whether pages of this origin may read what nobody has to log in for. @param {string} origin */
  admits (origin) {
    const { enabled, origins } = this.#settings.now
    return enabled && (origins.any || origins.lists(origin))
  }

  /** Whether pages of this origin may do what pages of this server may. Not for `*`: that is everybody. @param {string} origin */
  allows (origin) {
    const { enabled, origins, credentials } = this.#settings.now
    return enabled && credentials && origins.lists(origin)
  }
}

/**
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {string} origin
 * @param {import('../config/schema').ValuesOf<typeof schema>} settings
 * @param {string | undefined} preflightMethod
 */
function allow (req, res, origin, settings, preflightMethod) {
  res.setHeader('Access-Control-Allow-Origin', settings.credentials || !settings.origins.any ? origin : '*')
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

const schema = {
  // `[httpd]` was the section's name before CouchDB 2, and is where Fauxton's page has its switch.
  /** @param {Config} config */
  enabled: config => config.boolean('chttpd', 'enable_cors') && config.boolean('httpd', 'enable_cors'),
  origins: readOrigins,
  credentials: ifTrue('cors', 'credentials'),
  methods: text('cors', 'methods'),
  headers: text('cors', 'headers'),
  maxAge: text('cors', 'max_age')
}

/** @param {Config} config */
function readOrigins (config) {
  const origins = list('cors', 'origins')(config).map(origin => origin.toLowerCase())
  const exact = new Set(origins.filter(origin => origin !== 'loopback'))
  const loopback = origins.includes('loopback')
  return {
    any: exact.has('*'),
    /** @param {string} origin */
    lists: origin => exact.has(origin.toLowerCase()) || (loopback && isLoopback(origin))
  }
}

/** @param {string} origin */
function isLoopback (origin) {
  return /^https?:\/\/(localhost|([a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(origin)
}

module.exports = { Cors, isLoopback }
