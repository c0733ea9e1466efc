'use strict'

const crypto = require('node:crypto')
const { clientAddress } = require('../auth/client-address')
const { authSession, readCookie } = require('../auth/session-cookie')
const { isUsersDatabase } = require('../users/users')
const { OwnerOnlyError, withoutOwners } = require('./owner-only-error')

/** Credentials that are remembered. */
const CACHE_SIZE = 10_000

/** The part of a session's time in which its cookie is neither renewed nor expired. */
const QUIET = 0.1

/** The user of a request. */
const USER = Symbol('known user')

/** @typedef {import('../service/request-service').RequestAuthenticator} RequestAuthenticator */
/** @typedef {import('../service/request-service').RequestUsers} RequestUsers */
/** @typedef {import('node:http').IncomingHttpHeaders} IncomingHttpHeaders */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** The members of Authenticator and Users that only the owner has. */
const OWNERS = /** @type {const} */ ([
  'ensureAdmin', 'find', 'forget', 'forgetAll', 'forgetDocuments', 'handlers', 'hasAdmins', 'hash', 'hashPlainAdmins', 'heedWrongPassword', 'isKnown',
  'logIn', 'logOut', 'onChange', 'onForget', 'open', 'requireResolved', 'setAdmin', 'settings', 'upgrade'
])

/**
 * Knows who sends a request, if the owner has said so of the same credentials and nothing has changed
 * since: neither the configuration nor any document of `_users`. Passwords are checked by the owner
 * alone.
 *
 * @implements {RequestAuthenticator}
 * @implements {RequestUsers}
 *
 * @typedef {object} Known
 * @property {any} user
 * @property {string} moment of users and configuration that it holds for
 * @property {number} until ms since 1970
 */
class KnownUsers extends withoutOwners(OWNERS) {
  #moment
  #settings
  #cacheKey = crypto.randomBytes(16).toString('hex')
  /** Digest of credentials → who they are. @type {Map<string, Known>} */
  #known = new Map()
  /** Per connection, what its last request came with. @type {WeakMap<object, { text: string, known: Known }>} */
  #last = new WeakMap()

  /**
   * @param {ReturnType<typeof import('../auth/auth-settings').authSettings>} settings
   * @param {() => string} moment changes when a user or the configuration has changed
   */
  constructor (settings, moment) {
    super()
    this.#settings = settings
    this.#moment = moment
  }

  /** @param {any} req @returns {any} the user; undefined where the owner has to be asked. One who is known stays so for the request. */
  known (req) {
    req[USER] ??= this.#find(req)
    return req[USER]
  }

  /** @param {PotorooRequest} req */
  #find (req) {
    const text = this.#credentialsOf(req)
    if (text === null) return undefined
    const moment = this.#moment()
    const last = this.#last.get(req.socket)
    if (last !== undefined && last.text === text && holds(last.known, moment)) return last.known.user
    const known = this.#known.get(this.#digest(text))
    if (known === undefined || !holds(known, moment)) return undefined
    this.#last.set(req.socket, { text, known })
    return known.user
  }

  /** @param {any} req @throws OwnerOnlyError where the owner has to be asked */
  authenticate (req) {
    const user = this.known(req)
    if (user === undefined) throw new OwnerOnlyError('passwords')
    return user
  }

  /** Whether documents of this database are users'. @param {string} name */
  isUsersDatabase (name) { return isUsersDatabase(name, this.#settings.now) }

  /** The database of those who log in. */
  get database () { return this.#settings.now.database }

  /**
   * Returns a function to call with the user once the owner has told it.
   *
   * @param {any} req
   * @returns {(user: any) => void}
   * @throws bad_request where the cookie is malformed
   */
  learner (req) {
    const text = this.#credentialsOf(req)
    // Before the owner looks: what changes meanwhile makes it void.
    const moment = this.#moment()
    const until = this.#untilOf(req.headers)
    return user => {
      // If everybody needs a name, strangers may come to some paths alone.
      const { requireUser, requireUserExceptForUp } = this.#settings.now
      if (text === null || (user.name === null && (requireUser || requireUserExceptForUp))) return
      if (this.#known.size >= CACHE_SIZE) this.#known.clear()
      this.#known.set(this.#digest(text), { user: Object.freeze(user), moment, until })
    }
  }

  /** @param {IncomingHttpHeaders} headers */
  #untilOf ({ authorization, cookie }) {
    if (authorization !== undefined || cookie === undefined) return Infinity
    const session = authSession(cookie)
    if (!session) return Infinity
    const { time } = readCookie(session)
    return (time + this.#settings.now.timeout * QUIET) * 1000
  }

  /**
   * Returns by what a request proves who it is, and from where: Basic, a session's cookie, or nothing at all.
   * Everything else is null, for the owner to look at each time.
   *
   * @param {PotorooRequest} req
   * @returns {string | null}
   */
  #credentialsOf (req) {
    const { headers } = req
    const { authorization, cookie } = headers
    const { proxy, peers } = this.#settings.now
    if (headers[proxy.name] !== undefined || headers[proxy.roles] !== undefined || headers[proxy.token] !== undefined) return null
    // A name is locked for one client, and not for others.
    if (authorization === undefined) return cookie ?? ''
    return cookie === undefined && /^basic /i.test(authorization) ? `${authorization}\n${clientAddress(req, peers)}` : null
  }

  /** @param {string} text */
  #digest (text) { return crypto.hash('sha256', this.#cacheKey + text, 'base64') }
}

/** @param {Known} known @param {string} moment */
function holds (known, moment) { return known.moment === moment && known.until >= Date.now() }

module.exports = { KnownUsers }
