'use strict'

const { defaults } = require('../config/defaults')
const { readPeers } = require('./trusted-proxies')

/** @typedef {import('../config/config').Config} Config */

/**
 * The configuration of authentication, read once and again after a change. Settings
 * of `[chttpd_auth]` are found in `[couch_httpd_auth]` too, where CouchDB had them before 3.2.
 * @see https://docs.couchdb.org/en/stable/config/auth.html
 */
class AuthSettings {
  #config
  /** @type {ReturnType<typeof read> | null} */
  #values = null

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#config = config
    config.on('change', section => { if (SECTIONS.has(section)) this.#values = null })
  }

  /** All of them, as they are now. */
  get now () {
    this.#values ??= read(this.#config)
    return this.#values
  }
}

const SECTIONS = new Set(['chttpd', 'chttpd_auth', 'couch_httpd_auth', 'chttpd_auth_lockout', 'couch_passwords_cache', 'couchdb', 'jwt_auth', 'jwt_keys'])

/** A whole number, not less than `least`. @param {Config} config @param {string} key */
function authInteger (config, key, least = 0) {
  const text = config.get('chttpd_auth', key)
  const number = text.trim() === '' ? NaN : Number(text)
  return Number.isSafeInteger(number) && number >= least ? number : Number(defaults.chttpd_auth[key])
}

/** @param {Config} config */
function read (config) {
  /** @param {string} key */
  const text = key => config.get('chttpd_auth', key)
  return Object.freeze({
    handlers: handlerNames(config.get('chttpd', 'authentication_handlers')),
    requireUser: config.boolean('chttpd', 'require_valid_user'),
    requireUserExceptForUp: config.boolean('chttpd', 'require_valid_user_except_for_up'),
    peers: readPeers(config),
    database: config.get('chttpd_auth', 'authentication_db') || '_users',
    usersSuffix: config.get('couchdb', 'users_db_suffix'),
    timeout: authInteger(config, 'timeout', 1),
    secret: text('secret'),
    hashAlgorithms: list(text('hash_algorithms')),
    persistentCookies: text('allow_persistent_cookies') !== 'false',
    sameSite: text('same_site').trim().toLowerCase(),
    cookieDomain: text('cookie_domain'),
    cacheSize: authInteger(config, 'auth_cache_size', 1),
    allowConflicts: text('allow_conflicted_user_docs') === 'true',
    publicFields: new Set(list(text('public_fields'))),
    passwordRules: text('password_regexp'),
    upgrade: text('upgrade_hash_on_auth') !== 'false',
    hashing: Object.freeze({ scheme: text('password_scheme'), prf: text('pbkdf2_prf'), iterations: authInteger(config, 'iterations', 1) }),
    limits: Object.freeze({ least: authInteger(config, 'min_iterations', 1), most: authInteger(config, 'max_iterations', 1) }),
    proxy: readProxy(text),
    lockout: readLockout(config),
    passwords: readPasswords(config)
  })
}

/** @param {(key: string) => string} text */
function readProxy (text) {
  return Object.freeze({
    useSecret: text('proxy_use_secret') === 'true',
    name: text('x_auth_username').toLowerCase(),
    roles: text('x_auth_roles').toLowerCase(),
    token: text('x_auth_token').toLowerCase()
  })
}

/** @param {Config} config */
function readLockout (config) {
  /** @param {keyof import('../config/defaults').Settings['chttpd_auth_lockout']} key */
  const number = key => config.integer('chttpd_auth_lockout', key)
  return Object.freeze({ mode: config.get('chttpd_auth_lockout', 'mode'), threshold: number('threshold'), size: number('max_objects'), lifetime: number('max_lifetime') })
}

/** @param {Config} config */
function readPasswords (config) {
  /** @param {keyof import('../config/defaults').Settings['couch_passwords_cache']} key */
  const number = key => config.integer('couch_passwords_cache', key)
  return Object.freeze({ remember: config.get('couch_passwords_cache', 'enable') !== 'false', size: number('max_objects'), idle: number('max_idle') })
}

/** `{chttpd_auth, cookie_authentication_handler}, …` → `['cookie', …]` @param {string} text */
function handlerNames (text) {
  return [...text.matchAll(/\{\s*\w+\s*,\s*([a-z]+)_authent[a-z]+_handler\s*\}/g)].map(([, name]) => name)
}

/** @param {string} text */
function list (text) {
  return text.split(',').map(part => part.trim()).filter(Boolean)
}

module.exports = { AuthSettings }
