'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { KeyedDigest } = require('./keyed-digest')
const { readToken } = require('./json-web-token')
const { readKey } = require('./jwt-keys')
const { rolesOf } = require('./roles-claim')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** Tokens that are remembered. */
const MOST_VERIFIED = 10_000

/**
 * JSON Web Tokens that others issue and sign.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#jwt-authentication
 */
class JwtHandler {
  #config
  #log
  /** Keys as they were read: `rsa:kid` → key. @type {Map<string, import('node:crypto').KeyObject>} */
  #keys = new Map()
  #settings
  #digest = new KeyedDigest()
  /** Tokens that were good, until their time is over; from the one verified first. @type {Map<string, { user: import('./authenticator').User, until: number }>} */
  #verified = new Map()

  /**
   * @param {import('../config/config').Config} config
   * @param {(level: 'error', text: string) => void} log
   */
  constructor (config, log) {
    this.#config = config
    this.#settings = config.section(schema)
    this.#log = log
    config.on('change', section => {
      if (section !== 'jwt_keys' && section !== 'jwt_auth') return
      this.#keys.clear()
      this.#verified.clear()
    })
  }

  /**
   * @param {PotorooRequest} req
   * @returns {import('./authenticator').Verdict} null for other schemes
   * @throws bad_request, unauthorized where the token is not good
   */
  authenticate (req) {
    const { authorization } = req.headers
    if (authorization === undefined || !/^bearer /i.test(authorization)) return null
    const token = authorization.slice(7).trim()
    const digest = this.#digest.of(token)
    const known = this.#verified.get(digest)
    if (known !== undefined && known.until > Date.now() / 1000) return known.user
    return this.#verify(token, digest)
  }

  /** @param {string} token @param {string} digest */
  #verify (token, digest) {
    const required = this.#required()
    const claims = readToken(token, required, (type, kid) => this.#key(type, kid))
    const roles = Object.freeze(rolesOf(claims, this.#config.texts('jwt_auth')))
    if (typeof claims.sub !== 'string') throw createError('UNAUTHORIZED', { reason: 'Token missing sub claim.' })
    const user = Object.freeze({ name: claims.sub, roles, authenticated: /** @type {const} */ ('jwt') })
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size < MOST_VERIFIED) break
      this.#verified.delete(oldest)
    }
    this.#verified.delete(digest)
    this.#verified.set(digest, { user, until: required.has('exp') ? Math.floor(claims.exp) : Infinity })
    return user
  }

  #required () {
    const { claims } = this.#settings.now
    if (claims !== null) return claims
    this.#log('error', '[jwt_auth] required_claims is set to an invalid value.')
    throw createError('INTERNAL', { error: 'misconfigured_server', reason: 'JWT is not configured correctly' })
  }

  /** @param {'hmac' | 'rsa' | 'ec'} type @param {string} kid */
  #key (type, kid) {
    const name = `${type}:${kid}`
    let key = this.#keys.get(name)
    if (key === undefined) {
      const keys = this.#config.texts('jwt_keys')
      if (!Object.hasOwn(keys, name)) throw badRequest('Unknown kid')
      key = readKey(type, keys[name])
      this.#keys.set(name, key)
    }
    return key
  }
}

/** @type {{ claims: (config: import('../config/config').Config) => ReturnType<typeof readClaims> }} */
const schema = { claims: config => readClaims(config.get('jwt_auth', 'required_claims')) }

const CLAIMS = new Set(['exp', 'iat', 'iss', 'kid', 'nbf', 'typ'])

/**
 * `exp, nbf, {iss, "somebody"}`
 *
 * @param {string} text
 * @returns {Map<string, string | true> | null} null where it is nothing of the kind
 */
function readClaims (text) {
  const found = [...text.matchAll(/([a-z]+)|\{([a-z]+)\s*,\s*"([^"]+)"\}/g)]
  const claims = new Map(found.map(([, name, key, value]) => /** @type {[string, string | true]} */ ([name ?? key, value ?? true])))
  const isWrong = claims.size !== found.length || (found.length === 0 && text.trim() !== '') || [...claims.keys()].some(name => !CLAIMS.has(name))
  return isWrong ? null : claims
}

module.exports = { JwtHandler }
