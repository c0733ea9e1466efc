'use strict'

const { defaults } = require('../config/defaults')
const { ifTrue, integer, list, lowerCase, positive, text, unlessFalse } = require('../config/schema')
const { peers } = require('./trusted-proxies')

/** @typedef {ReturnType<typeof authSettings>} AuthSettings */

/** `{chttpd_auth, cookie_authentication_handler}, …` → `['cookie', …]` @param {string} text */
function namesOf (text) { return [...text.matchAll(/\{\s*\w+\s*,\s*([a-z]+)_authent[a-z]+_handler\s*\}/g)].map(([, name]) => name) }

/**
 * The configuration of authentication.
 * @see https://docs.couchdb.org/en/stable/config/auth.html
 */
const schema = {
  /** Nothing means those by default: nobody could sign in to mend it. @param {import('../config/config').Config} config */
  handlers: config => namesOf(config.get('chttpd', 'authentication_handlers') || defaults.chttpd.authentication_handlers),
  requireUser: ifTrue('chttpd', 'require_valid_user'),
  requireUserExceptForUp: ifTrue('chttpd', 'require_valid_user_except_for_up'),
  peers,
  /** @param {import('../config/config').Config} config */
  database: config => config.get('chttpd_auth', 'authentication_db') || '_users',
  usersSuffix: text('couchdb', 'users_db_suffix'),
  timeout: positive('chttpd_auth', 'timeout'),
  secret: text('chttpd_auth', 'secret'),
  hashAlgorithms: list('chttpd_auth', 'hash_algorithms'),
  persistentCookies: unlessFalse('chttpd_auth', 'allow_persistent_cookies'),
  sameSite: lowerCase('chttpd_auth', 'same_site'),
  cookieDomain: text('chttpd_auth', 'cookie_domain'),
  cacheSize: positive('chttpd_auth', 'auth_cache_size'),
  allowConflicts: ifTrue('chttpd_auth', 'allow_conflicted_user_docs'),
  /** @param {import('../config/config').Config} config */
  publicFields: config => new Set(list('chttpd_auth', 'public_fields')(config)),
  passwordRules: text('chttpd_auth', 'password_regexp'),
  upgrade: unlessFalse('chttpd_auth', 'upgrade_hash_on_auth'),
  hashing: {
    scheme: text('chttpd_auth', 'password_scheme'),
    prf: text('chttpd_auth', 'pbkdf2_prf'),
    iterations: positive('chttpd_auth', 'iterations')
  },
  limits: {
    least: positive('chttpd_auth', 'min_iterations'),
    most: positive('chttpd_auth', 'max_iterations')
  },
  proxy: {
    useSecret: ifTrue('chttpd_auth', 'proxy_use_secret'),
    name: lowerCase('chttpd_auth', 'x_auth_username'),
    roles: lowerCase('chttpd_auth', 'x_auth_roles'),
    token: lowerCase('chttpd_auth', 'x_auth_token')
  },
  lockout: {
    mode: text('chttpd_auth_lockout', 'mode'),
    threshold: integer('chttpd_auth_lockout', 'threshold'),
    size: integer('chttpd_auth_lockout', 'max_objects'),
    lifetime: integer('chttpd_auth_lockout', 'max_lifetime')
  },
  passwords: {
    remember: unlessFalse('couch_passwords_cache', 'enable'),
    size: integer('couch_passwords_cache', 'max_objects'),
    idle: integer('couch_passwords_cache', 'max_idle')
  }
}

/** @param {import('../config/config').Config} config */
function authSettings (config) { return config.section(schema) }

module.exports = { authSettings }
