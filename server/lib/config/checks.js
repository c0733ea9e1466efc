'use strict'

const { isIP } = require('node:net')
const { LEVELS, SHORT } = require('../log/levels')
const { defaults } = require('./defaults')

/** Names of settings that may be `infinity`: limits and sizes, but no times. */
const LIMIT = /^max_|_limit$|_size$/

/** @typedef {(value: string) => string | null} Check what is wrong with a value, or null */

/** @type {Check} */
const port = value => /^\d{1,5}$/.test(value) && Number(value) <= 65535 ? null : 'must be a port, 0 to 65535'

/** @type {Check} */
const address = value => isIP(value) > 0 || value === 'localhost' || value === 'any' ? null : 'must be an IP address'

/** @type {Check} */
const boolean = value => value === 'true' || value === 'false' ? null : 'must be true or false'

/** What goes out as a header. @type {Check} */
const ascii = value => /^[\x20-\x7e]*$/.test(value) ? null : 'must be of ASCII\'s letters and signs'

/** @type {Check} */
const anything = () => null

/** @type {(...words: string[]) => Check} */
const oneOf = (...words) => value => words.includes(value) ? null : `must be one of ${words.join(', ')}`

/**
 * Values that are more than, or other than, what their default tells.
 * @type {Record<string, Record<string, Check>>}
 */
const checks = {
  chttpd: { port, 'WWW-Authenticate': ascii },
  chttpd_auth: { authentication_redirect: ascii, cookie_domain: ascii },
  cors: { headers: ascii, methods: ascii },
  couchdb: { default_security: oneOf('admin_only', 'admin_local', 'everyone'), maintenance_mode: oneOf('true', 'false', 'nolb') },
  log: {
    // Whoever can say where lines go, and has a say in what is in them, could write any file of the server's.
    file: () => 'is set in the ini file only',
    format: oneOf('couchdb', 'json'),
    level: oneOf(...LEVELS, ...Object.keys(SHORT)),
    writer: oneOf('stderr', 'file', 'journald')
  },
  prometheus: { bind_address: address, port },
  query_server_config: { reduce_limit: oneOf('true', 'false', 'log'), reduce_limit_ratio: number },
  ssl: { port, strict_transport_security: ascii },
  uuids: {
    algorithm: oneOf('sequential', 'random', 'utc_random', 'utc_id', 'uuid_v4', 'uuid_v7'),
    format: oneOf('base_16', 'base_36', 'rfc9562')
  }
}

/** @type {Check} */
function number (value) {
  return value !== '' && Number.isFinite(Number(value)) && Number(value) >= 0 ? null : 'must be a number, 0 or more'
}

function isUnlimited (key, value) { return value === 'infinity' && LIMIT.test(key) }

/** @returns {Check} */
function checkOf (section, key) {
  const own = Object.hasOwn(checks, section) && Object.hasOwn(checks[section], key) ? checks[section][key] : undefined
  const standard = Object.hasOwn(defaults, section) && Object.hasOwn(defaults[section], key) ? defaults[section][key] : ''
  if (own !== undefined) return own
  if (standard === 'true' || standard === 'false') return boolean
  if (!/^\d+$/.test(standard) && standard !== 'infinity') return anything
  return value => isWhole(value) || isUnlimited(key, value) ? null : 'must be a whole number, 0 or more'
}

function isWhole (value) { return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)) }

/**
 * Says what is wrong with a new value of a setting. Nothing means what it is by default.
 *
 * @param {string} section
 * @param {string} key
 * @param {string} value
 * @returns {string | null} `[uuids] algorithm must be one of …`, null where it may be
 */
function fault (section, key, value) {
  const wrong = value === '' ? null : checkOf(section, key)(value)
  return wrong === null ? null : `[${section}] ${key} ${wrong}`
}

module.exports = { fault, isUnlimited }
