'use strict'

const { addCookie, authSession, makeCookie, readCookie, setCookie } = require('./session-cookie')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../users/users').UserRecord} UserRecord */

/**
 * The cookie of `POST /_session`. It is renewed once a tenth of its time is over.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#cookie-authentication
 */
class CookieHandler {
  #users
  #settings
  #secrets
  /** @type {WeakMap<import('../users/users').UserRecord, import('./authenticator').User>} */
  #known = new WeakMap()

  /**
   * @param {import('../users/users').Users} users
   * @param {import('./auth-settings').AuthSettings} settings
   * @param {import('./secrets').Secrets} secrets
   */
  constructor (users, settings, secrets) {
    this.#users = users
    this.#settings = settings
    this.#secrets = secrets
  }

  /**
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @returns {import('./authenticator').Verdict} null without a cookie, or with one that is no longer good
   * @throws bad_request where it is malformed; unauthorized where the user's document has conflicts
   */
  authenticate (req, res) {
    const { cookie } = req.headers
    if (cookie === undefined) return null
    const text = authSession(cookie)
    if (text === '') return null
    const session = readCookie(text)
    const record = this.#users.find(session.name)
    return record instanceof Promise ? record.then(found => this.#check(session, found, req, res)) : this.#check(session, record, req, res)
  }

  /**
   * @param {ReturnType<typeof readCookie>} session
   * @param {import('../users/users').UserRecord | null} record
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   */
  #check ({ time, data, mac }, record, req, res) {
    const { timeout } = this.#settings.now
    const left = time + timeout - Math.floor(Date.now() / 1000)
    // Not (left > 0), for NaN.
    if (record === null || !(left > 0) || !this.#secrets.verify(data, mac, record.hash.salt)) return null
    this.#users.requireResolved(record)
    if (left < timeout * 0.9) this.start(record, req, res)
    return this.#userOf(record)
  }

  /** The same object each time: what depends on who somebody is, is remembered under it. @param {UserRecord} record */
  #userOf (record) {
    let user = this.#known.get(record)
    if (user === undefined) {
      user = Object.freeze({ name: record.name, roles: record.roles, authenticated: /** @type {const} */ ('cookie') })
      this.#known.set(record, user)
    }
    return user
  }

  /**
   * Gives the user a session.
   *
   * @param {UserRecord} record
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   */
  start (record, req, res) {
    addCookie(res, setCookie(makeCookie(record.name, record.hash.salt, Date.now() / 1000, this.#secrets), req, this.#settings.now))
  }

  /**
   * Ends a session, as far as the client is concerned.
   *
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   */
  end (req, res) {
    addCookie(res, setCookie('', req, this.#settings.now))
  }
}

module.exports = { CookieHandler }
