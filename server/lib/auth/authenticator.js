'use strict'

const { createError } = require('@potoroo/errors')
const { clientAddress } = require('./client-address')
const { CookieHandler } = require('./cookie-handler')
const { Credentials } = require('./credentials')
const { DefaultHandler } = require('./default-handler')
const { JwtHandler } = require('./jwt-handler')
const { Lockout } = require('../users/lockout')
const { ProxyHandler } = require('./proxy-handler')
const { Secrets } = require('./secrets')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * @typedef {object} User
 * @property {string | null} name null: nobody has said who they are
 * @property {readonly string[]} roles
 * @property {'default' | 'cookie' | 'proxy' | 'jwt'} [authenticated] by which handler
 */

/** The answer of a handler for a request: somebody, or null if it is none of its business. @typedef {User | null | Promise<User | null>} Verdict */

/** @type {User} */
const ANONYMOUS = Object.freeze({ name: null, roles: Object.freeze([]) })

/**
 * Finds out who sends a request, by the handlers that `[chttpd] authentication_handlers` lists, in
 * that order. All that it remembers can be had again from the configuration and `_users`.
 */
class Authenticator {
  #settings
  #cookies
  #credentials
  #lockout
  #handlers
  #party
  /** The handlers that the configuration lists, as far as they exist. */
  #listed = /** @type {string[]} */ ([])
  #active = /** @type {string[]} */ ([])

  /**
   * @param {import('../users/users').Users} users
   * @param {import('../config/config').Config} config
   * @param {import('./auth-settings').AuthSettings} settings
   * @param {import('../users/key-derivation').KeyDerivation} derivation
   * @param {{ log: import('../log/log').Log, adminParty?: boolean, onWrongPassword?: (key: string) => void, closing?: AbortSignal }} options
   *   adminParty: everybody is an administrator; closing ends what waits
   */
  constructor (users, config, settings, derivation, { log, adminParty = false, onWrongPassword, closing }) {
    this.#settings = settings
    this.#party = adminParty ? Object.freeze({ name: null, roles: Object.freeze(['_admin']) }) : null
    const secrets = new Secrets(settings, config)
    /** @param {'warning' | 'error'} level @param {string} text */
    const write = (level, text) => log.quote(level, text)
    this.#lockout = new Lockout(settings, text => write('warning', text), onWrongPassword)
    this.#credentials = new Credentials(users, settings, derivation, this.#lockout, write, closing)
    this.#cookies = new CookieHandler(users, settings, secrets)
    this.#handlers = new Map(/** @type {Array<[string, { authenticate (req: any, res: any): Verdict }]>} */ ([
      ['cookie', this.#cookies],
      ['default', new DefaultHandler(this.#credentials, settings)],
      ['proxy', new ProxyHandler(settings, secrets)],
      ['jwt', new JwtHandler(config, write)]
    ]))
    this.#warn(write)
  }

  /** @param {(level: 'warning' | 'error', text: string) => void} write */
  #warn (write) {
    const { handlers, proxy } = this.#settings.now
    for (const name of handlers) if (!this.#handlers.has(name)) write('error', `[chttpd] authentication_handlers: there is no ${name}`)
    if (handlers.includes('proxy') && !proxy.useSecret) write('warning', 'Whoever reaches this server can say that they are anybody: [chttpd_auth] proxy_use_secret is not true')
  }

  /** Their names, as `GET /_session` lists them. */
  get handlers () {
    const { handlers } = this.#settings.now
    if (handlers !== this.#listed) {
      this.#listed = handlers
      this.#active = handlers.filter(name => this.#handlers.has(name))
    }
    return this.#active
  }

  /**
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @returns {User | Promise<User>} at once where nothing has to be read or derived
   * @throws unauthorized, forbidden, bad_request: credentials that came are not good
   */
  authenticate (req, res) {
    return this.#ask(this.handlers, 0, req, res)
  }

  /** @param {readonly string[]} names @param {number} from @param {PotorooRequest} req @param {PotorooResponse} res @returns {User | Promise<User>} */
  #ask (names, from, req, res) {
    for (let i = from; i < names.length; i++) {
      const user = this.#handlers.get(names[i])?.authenticate(req, res) ?? null
      if (user instanceof Promise) return user.then(found => found ?? this.#ask(names, i + 1, req, res))
      if (user !== null) return user
    }
    return this.#nobody(req)
  }

  /** @param {PotorooRequest} req */
  #nobody (req) {
    if (this.#party !== null) return this.#party
    const { requireUser, requireUserExceptForUp } = this.#settings.now
    if (requireUser || requireUserExceptForUp) requireValidUser(req, requireUserExceptForUp)
    return ANONYMOUS
  }

  /**
   * Starts a session: the cookie is among the answer's headers then, or one that ends a session where
   * this fails for a wrong name or password.
   *
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @param {{ name: string, password: string, token?: string }} credentials `token`: a one-time password
   * @returns {Promise<import('../users/users').UserRecord>}
   */
  async logIn (req, res, { name, password, token }) {
    try {
      const client = clientAddress(req, this.#settings.now.peers)
      const record = await this.#credentials.check(name, password, client)
      this.#credentials.requireSecondFactor(record, client, token)
      this.#cookies.start(record, req, res)
      return record
    } catch (error) {
      if (error.status === 401) this.#cookies.end(req, res)
      throw error
    }
  }

  /** A password was wrong at another server. @param {string} key as `onWrongPassword` was told there */
  heedWrongPassword (key) { this.#lockout.heed(key) }

  /** @param {PotorooRequest} req @param {PotorooResponse} res */
  logOut (req, res) { this.#cookies.end(req, res) }
}

/** Everybody may try to log in. @param {PotorooRequest} req @param {boolean} exceptForUp */
function requireValidUser (req, exceptForUp) {
  const path = req.url.split('?', 1)[0]
  if (req.method === 'POST' && path === '/_session') return
  if (exceptForUp && path === '/_up') return
  throw createError('UNAUTHORIZED', { reason: 'Authentication required.' })
}

module.exports = { Authenticator }
