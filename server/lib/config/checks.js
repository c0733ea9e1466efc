'use strict'

const { isIP } = require('node:net')
const { LEVELS, SHORT } = require('../log/levels')
const { TrustedProxies } = require('../auth/trusted-proxies')
const { entriesOf } = require('./address-ranges')
const { HostList } = require('../replication/host-list')
const { defaults } = require('./defaults')
const { newerOf } = require('./older')

/** Names of settings that may be `infinity`: limits and sizes, but no times, except for those of searches. */
const LIMIT = /^max_|_limit$|_size$|^(?:search|nouveau)_timeout$/

/** @typedef {(value: string) => string | null} Check what is wrong with a value, or null */

/** @type {Check} */
const port = value => /^\d{1,5}$/.test(value) && Number(value) <= 65535 ? null : 'must be a port, 0 to 65535'

/** @type {Check} */
const address = value => isIP(value) > 0 || value === 'localhost' || value === 'any' ? null : 'must be an IP address'

/** @type {Check} */
const boolean = value => value === 'true' || value === 'false' ? null : 'must be true or false'

/** For a value that goes out as a header: one with other letters throws where the header is set. @type {Check} */
const header = value => /^[\x20-\x7e]*$/.test(value) ? null : 'must be of ASCII\'s letters and signs'

/** Without one that the server has, nobody can sign in to mend it. @type {Check} */
const handlers = value => /\{\s*\w+\s*,\s*(cookie|default|proxy|jwt)_authent[a-z]+_handler\s*\}/.test(value) ? null : 'must name a handler: cookie, default, proxy or jwt'

/** @param {string} value */
const isMode = value => /^0?[0-7]{3}$/.test(value)

/** @type {Check} */
const mode = value => isMode(value) ? null : 'must be permissions such as 660'

/** PBKDF2 takes no more, and this many take minutes. @type {Check} */
const iterations = value => isWhole(value) && Number(value) >= 1 && Number(value) < 2 ** 31 ? null : 'must be a whole number, 1 to 2147483647'

/** Checks of values that requests would fail of, wherever a value comes from. */
const GRAVE = new Set([header, iterations])

/** @type {Check} */
const elsewhere = () => 'is the data folder, which --data names at start'

/** For what whoever can say it over HTTP could harm the server with, or others that share its settings. @type {Check} */
const inFileOnly = () => 'is set in the ini file only'

/** @type {Check} */
const anything = () => null

/** @type {(...words: string[]) => Check} */
const oneOf = (...words) => value => words.includes(value) ? null : `must be one of ${words.join(', ')}`

/** @type {(isEntry: (entry: string) => boolean, words: string) => Check} */
const listOf = (isEntry, words) => value => entriesOf(value).every(isEntry) ? null : `must be a list of ${words}`

/** @type {Check} */
const hosts = listOf(HostList.isEntry, 'host names, such as *.example.org, addresses, and ranges such as 10.0.0.0/8')

/** One that is none matches no page. @type {Check} */
const origins = listOf(entry => /^(?:\*|loopback|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]*)$/i.test(entry), 'loopback, *, and origins such as https://app.example.com, with a scheme and without a path')

/** @type {Check} */
const proxies = listOf(TrustedProxies.isEntry, 'addresses, ranges such as 10.0.0.0/8, loopback and unix')

/** Checks whose values are taken as they are. */
const AS_IT_IS = new Set([address, boolean, elsewhere, hosts, origins, proxies])

const authentication = { authentication_redirect: header, cookie_domain: header, iterations, max_iterations: iterations, min_iterations: iterations }

/**
 * Values that are more than, or other than, what their default tells.
 * @type {Record<string, Record<string, Check>>}
 */
const checks = {
  chttpd: {
    authentication_handlers: handlers,
    port,
    socket_mode: mode,
    'WWW-Authenticate': header,
    workers,
    trusted_proxies: proxies
  },
  chttpd_auth: authentication,
  cluster: ofServer('address', 'cacert_file', 'cert_file', 'idle', 'key_file', 'lifetime', 'listen', 'name', 'secret'),
  cors: { headers: header, methods: header, origins },
  couchdb: {
    database_dir: elsewhere,
    default_security: oneOf('admin_only', 'admin_local', 'everyone'),
    maintenance_mode: oneOf('true', 'false', 'nolb'),
    view_index_dir: elsewhere
  },
  csp: { header_value: header, attachments_header_value: header, showlist_header_value: header, utils_header_value: header },
  log: {
    // Whoever can say where lines go, and has a say in what is in them, could write any file of the server's.
    file: inFileOnly,
    format: oneOf('couchdb', 'json'),
    level: oneOf(...LEVELS, ...Object.keys(SHORT)),
    writer: oneOf('stderr', 'file', 'journald')
  },
  prometheus: { bind_address: address, port },
  query_server_config: { reduce_limit: oneOf('true', 'false', 'log'), reduce_limit_ratio: number },
  replicator: { allowed_hosts: hosts, denied_hosts: hosts },
  // Another key than that which the databases have would keep the server from starting.
  storage: { key_file: inFileOnly },
  ssl: { port, strict_transport_security: header },
  uuids: {
    algorithm: oneOf('sequential', 'random', 'utc_random', 'utc_id', 'uuid_v4', 'uuid_v7'),
    format: oneOf('base_16', 'base_36', 'rfc9562')
  }
}

/** Settings of one server among several, which share what is set over HTTP. @param {string[]} keys */
function ofServer (...keys) { return Object.fromEntries(keys.map(key => [key, inFileOnly])) }

/** @type {Check} */
function number (value) {
  return value !== '' && Number.isFinite(Number(value)) && Number(value) >= 0 ? null : 'must be a number, 0 or more'
}

/** @type {Check} */
function workers (value) { return value === 'auto' || isWhole(value) ? null : 'must be a whole number, 0 or more, or auto' }

/** @param {string} key @param {string} value */
function isUnlimited (key, value) { return value === 'infinity' && LIMIT.test(key) }

/** @param {string} section @param {string} key @returns {Check} */
function checkOf (section, key) {
  const newer = newerOf(section, key)
  if (newer !== undefined) return checkOf(newer, key)
  const own = Object.hasOwn(checks, section) && Object.hasOwn(checks[section], key) ? checks[section][key] : undefined
  const standard = Object.hasOwn(defaults, section) && Object.hasOwn(defaults[section], key) ? defaults[section][key] : ''
  if (own !== undefined) return own
  if (standard === 'true' || standard === 'false') return boolean
  if (!/^\d+$/.test(standard) && standard !== 'infinity') return anything
  return value => isWhole(value) || isUnlimited(key, value) ? null : 'must be a whole number, 0 or more'
}

/** @param {string} value */
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

/** As `fault`, of a value that stands in the ini file, or holds as if it did. @param {string} section @param {string} key @param {string} value */
function faultInFile (section, key, value) { return checkOf(section, key) === inFileOnly ? null : fault(section, key, value) }

/** Whether a value that makes no sense is as none: a list holds without what is wrong in it, and a switch is off. @param {string} section @param {string} key */
function isDefaultInstead (section, key) { return !AS_IT_IS.has(checkOf(section, key)) }

/**
 * As `fault`, of values with which requests would fail. Other values that make no sense are the default's.
 *
 * @param {Record<string, Record<string, string>>} sections
 * @returns {string | null} the first one
 */
function graveFault (sections) {
  for (const [section, values] of Object.entries(sections)) {
    for (const [key, value] of Object.entries(values)) {
      if (GRAVE.has(checkOf(section, key)) && fault(section, key, value) !== null) return fault(section, key, value)
    }
  }
  return null
}

module.exports = { fault, faultInFile, graveFault, isDefaultInstead, isMode, isUnlimited }
