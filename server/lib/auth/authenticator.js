'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { verifyPassword } = require('./password')
const { makeCookie, readCookie, authSession } = require('./session-cookie')

/** @typedef {{ name: string | null, roles: string[], authenticated?: 'default' | 'cookie' }} User */

/** @type {User} */
const ANONYMOUS = Object.freeze({ name: null, roles: [] })

/** Verified credentials that are remembered. */
const CACHE_SIZE = 10_000

/**
 * Finds out who sends a request: Basic, or the cookie of `POST /_session`.
 *
 * Deriving a key from a password costs a tenth of a second, so what was verified once is
 * remembered under a hash of it until a user or an administrator changes.
 */
class Authenticator {
  #users
  #config
  /** @type {Map<string, User>} */
  #verified = new Map()
  /** @type {Map<string, Promise<User>>} */
  #pending = new Map()
  /** @type {Map<string, import('./users').UserRecord | null>} */
  #records = new Map()
  #cacheKey = crypto.randomBytes(16).toString('hex')
  /** What was read before the last change must not be remembered after it. */
  #generation = 0
  /** Per connection, the credentials that its last request came with. @type {WeakMap<object, { authorization: string, user: User, generation: number }>} */
  #last = new WeakMap()
  #party

  /**
   * @param {import('./users').Users} users
   * @param {import('../config').Config} config
   * @param {{ adminParty?: boolean }} [options] adminParty: everybody is an administrator
   */
  constructor (users, config, { adminParty = false } = {}) {
    this.#users = users
    this.#config = config
    this.#party = adminParty ? Object.freeze({ name: null, roles: ['_admin'] }) : null
    config.on('change', section => {
      if (section === 'admins' || section === 'chttpd_auth') this.forget()
    })
  }

  /** A user or an administrator changed. */
  forget () {
    this.#generation++
    this.#pending.clear()
    this.#verified.clear()
    this.#records.clear()
  }

  /** Who it is, where that needs no waiting; otherwise undefined. */
  known (req) {
    const { authorization, cookie } = req.headers
    if (isBasic(authorization)) return this.#knownBasic(req.socket, authorization)
    if (cookie !== undefined && authSession(cookie)) return undefined
    if (this.#requiresUser(req)) throw createError('UNAUTHORIZED', { reason: 'Authentication required.' })
    return this.#party ?? ANONYMOUS
  }

  /** A connection mostly sends the same credentials again, which then are not hashed. */
  #knownBasic (socket, authorization) {
    const last = this.#last.get(socket)
    if (last?.authorization === authorization && last.generation === this.#generation) return last.user
    const user = this.#verified.get(this.#digest(authorization))
    if (user !== undefined) this.#last.set(socket, { authorization, user, generation: this.#generation })
    return user
  }

  /**
   * @returns {Promise<User>}
   * @throws unauthorized when name or password are wrong
   */
  async authenticate (req, res) {
    const { authorization, cookie } = req.headers
    if (isBasic(authorization)) return this.#basic(authorization)
    const user = await this.#cookie(authSession(cookie), req, res)
    if (user !== null) return user
    if (this.#requiresUser(req)) throw createError('UNAUTHORIZED', { reason: 'Authentication required.' })
    return this.#party ?? ANONYMOUS
  }

  #requiresUser (req) {
    return this.#party === null && this.#config.boolean('chttpd', 'require_valid_user') && !/^\/(_up|_session)?(\?|$)/.test(req.url)
  }

  #digest (authorization) {
    return crypto.hash('sha256', this.#cacheKey + authorization, 'base64')
  }

  #basic (authorization) {
    const key = this.#digest(authorization)
    const credentials = parseBasic(authorization)
    let pending = this.#pending.get(key)
    if (pending === undefined) {
      pending = this.#verifyAndRemember(key, credentials).finally(() => { if (this.#pending.get(key) === pending) this.#pending.delete(key) })
      this.#pending.set(key, pending)
    }
    return pending
  }

  async #verifyAndRemember (key, { name, password }) {
    const generation = this.#generation
    const user = await this.verify(name, password)
    if (generation !== this.#generation) return user
    if (this.#verified.size >= CACHE_SIZE) this.#verified.clear()
    this.#verified.set(key, user)
    return user
  }

  /**
   * @param {string} name
   * @param {string} password
   * @returns {Promise<User>}
   */
  async verify (name, password) {
    const record = await this.#record(name)
    if (record === null || !await verifyPassword(password, record.hash)) {
      throw createError('UNAUTHORIZED', { reason: 'Name or password is incorrect.' })
    }
    return Object.freeze({ name, roles: record.roles, authenticated: 'default' })
  }

  async #record (name) {
    if (this.#records.has(name)) return this.#records.get(name)
    const generation = this.#generation
    const record = await this.#users.find(name)
    // Names that do not exist are not remembered: there are more of them than memory.
    if (record !== null && generation === this.#generation) this.#records.set(name, record)
    return record
  }

  async #cookie (text, req, res) {
    const cookie = readCookie(text)
    const record = await this.#record(cookie.name)
    const now = Date.now() / 1000
    const left = cookie.time + this.timeout - now
    if (record === null || left <= 0 || !cookie.verify(this.#secret + record.hash.salt)) return null
    if (left < this.timeout * 0.9) res.setHeader('Set-Cookie', await this.cookieFor(record.name, req))
    return Object.freeze({ name: record.name, roles: record.roles, authenticated: 'cookie' })
  }

  get timeout () { return this.#config.integer('chttpd_auth', 'timeout') }

  get #secret () { return this.#config.get('chttpd_auth', 'secret') }

  /** The Set-Cookie header that logs a user in. */
  async cookieFor (name, req) {
    const record = await this.#record(name)
    return this.#setCookie(makeCookie(name, this.#secret + record.hash.salt, Date.now() / 1000), req, true)
  }

  /** The one that logs out. */
  emptyCookie (req) { return this.#setCookie('', req, false) }

  #setCookie (value, req, lasts) {
    const parts = [`AuthSession=${value}`, 'Version=1', `Path=${req.baseUrl || '/'}`, 'HttpOnly']
    if (lasts && this.#config.boolean('chttpd_auth', 'allow_persistent_cookies')) parts.push(`Max-Age=${this.timeout}`)
    if (req.socket.encrypted) parts.push('Secure')
    const sameSite = this.#config.get('chttpd_auth', 'same_site')
    if (sameSite !== '') parts.push(`SameSite=${sameSite}`)
    return parts.join('; ')
  }
}

/** Other schemes are others' business: the request is then anonymous, as in CouchDB. */
function isBasic (authorization) {
  return authorization !== undefined && /^basic /i.test(authorization)
}

function parseBasic (authorization) {
  const match = /^basic +([a-z0-9+/=_-]+) *$/i.exec(authorization)
  const text = match === null ? '' : Buffer.from(match[1], 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) throw createError('UNAUTHORIZED', { reason: 'Name or password is incorrect.' })
  return { name: text.slice(0, colon), password: text.slice(colon + 1) }
}

module.exports = { Authenticator, ANONYMOUS }
