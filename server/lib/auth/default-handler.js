'use strict'

const { badRequest } = require('@potoroo/errors')
const { clientAddress } = require('./client-address')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('node:net').Socket} Socket */

/**
 * Basic authentication.
 * @see https://docs.couchdb.org/en/stable/api/server/authn.html#basic-authentication
 */
class DefaultHandler {
  #credentials
  #settings
  /** Per connection what came last, which mostly comes again. @type {WeakMap<object, { encoded: string, digest: string }>} */
  #last = new WeakMap()

  /**
   * @param {import('./credentials').Credentials} credentials
   * @param {import('./auth-settings').AuthSettings} settings
   */
  constructor (credentials, settings) {
    this.#credentials = credentials
    this.#settings = settings
  }

  /**
   * @param {PotorooRequest} req
   * @returns {import('./authenticator').Verdict} at once where the same credentials were verified before;
   *   null for other schemes, which are others' business
   * @throws unauthorized, forbidden; bad_request where it is no base64
   */
  authenticate (req) {
    const { authorization } = req.headers
    if (authorization === undefined || !/^basic /i.test(authorization)) return null
    const encoded = authorization.slice(6).trim()
    const client = clientAddress(req, this.#settings.now.peers)
    const known = this.#credentials.known(this.#digestOf(encoded, req.socket), client)
    if (known !== undefined) return known
    const pair = decode(encoded)
    return pair && this.#verify(pair, client)
  }

  /** @param {string} encoded @param {Socket} socket */
  #digestOf (encoded, socket) {
    const last = this.#last.get(socket)
    if (last !== undefined && last.encoded === encoded) return last.digest
    const digest = this.#credentials.digest(encoded)
    this.#last.set(socket, { encoded, digest })
    return digest
  }

  /** @param {{ name: string, password: string }} given @param {string} client */
  async #verify ({ name, password }, client) {
    const record = await this.#credentials.check(name, password, client)
    this.#credentials.requireSecondFactor(record, client)
    return Object.freeze({ name: record.name, roles: record.roles, authenticated: /** @type {const} */ ('default') })
  }
}

/** Null where there is no password, and for `_:_`, by which browsers forget one. @param {string} encoded */
function decode (encoded) {
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) throw badRequest('Authorization header has invalid base64 value')
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon === -1 || text === '_:_' ? null : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}

module.exports = { DefaultHandler }
