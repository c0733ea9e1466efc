'use strict'

const { createError } = require('@potoroo/errors')
const { readToken } = require('./json-web-token')
const { readKey } = require('./jwt-keys')
const { rolesOf } = require('./roles-claim')

/**
 * JSON Web Tokens that others issue and sign.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#jwt-authentication
 */
class JwtHandler {
  #config
  #log
  /** Keys as they were read: `rsa:kid` → key. @type {Map<string, import('node:crypto').KeyObject>} */
  #keys = new Map()
  /** @type {ReturnType<typeof readClaims> | undefined} */
  #claims

  /**
   * @param {import('../config').Config} config
   * @param {(level: 'error', text: string) => void} log
   */
  constructor (config, log) {
    this.#config = config
    this.#log = log
    config.on('change', section => {
      if (section === 'jwt_keys') this.#keys.clear()
      if (section === 'jwt_auth') this.#claims = undefined
    })
  }

  /**
   * @returns {import('./authenticator').Verdict} null for other schemes
   * @throws bad_request, unauthorized where the token is not good
   */
  authenticate (req) {
    const { authorization } = req.headers
    if (authorization === undefined || !/^bearer /i.test(authorization)) return null
    const claims = readToken(authorization.slice(7).trim(), this.#required(), (type, kid) => this.#key(type, kid))
    const roles = rolesOf(claims, this.#config.section('jwt_auth'))
    if (typeof claims.sub !== 'string') throw createError('UNAUTHORIZED', { reason: 'Token missing sub claim.' })
    return Object.freeze({ name: claims.sub, roles, authenticated: /** @type {const} */ ('jwt') })
  }

  #required () {
    this.#claims ??= readClaims(this.#config.get('jwt_auth', 'required_claims'))
    if (this.#claims !== null) return this.#claims
    this.#log('error', '[jwt_auth] required_claims is set to an invalid value.')
    throw createError('INTERNAL', { error: 'misconfigured_server', reason: 'JWT is not configured correctly' })
  }

  #key (type, kid) {
    const name = `${type}:${kid}`
    let key = this.#keys.get(name)
    if (key === undefined) {
      const keys = this.#config.section('jwt_keys')
      if (!Object.hasOwn(keys, name)) throw createError('BAD_REQUEST', { reason: 'Unknown kid' })
      key = readKey(type, keys[name])
      this.#keys.set(name, key)
    }
    return key
  }
}

const CLAIMS = new Set(['exp', 'iat', 'iss', 'kid', 'nbf', 'typ'])

/**
 * `exp, nbf, {iss, "somebody"}`
 * @returns {Map<string, string | true> | null} null where it is nothing of the kind
 */
function readClaims (text) {
  const found = [...text.matchAll(/([a-z]+)|\{([a-z]+)\s*,\s*"([^"]+)"\}/g)]
  const claims = new Map(found.map(([, name, key, value]) => [name ?? key, value ?? true]))
  const isWrong = claims.size !== found.length || (found.length === 0 && text.trim() !== '') || [...claims.keys()].some(name => !CLAIMS.has(name))
  return isWrong ? null : claims
}

module.exports = { JwtHandler }
