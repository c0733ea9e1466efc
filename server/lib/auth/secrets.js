'use strict'

const crypto = require('node:crypto')

/** CouchDB's names of hashes → OpenSSL's. MD4 and MD5 are not among them. */
const HASHES = new Map(/** @type {Array<[string, string]>} */ ([
  ['sha', 'sha1'], ['sha224', 'sha224'], ['sha256', 'sha256'], ['sha384', 'sha384'], ['sha512', 'sha512'],
  ['sha3_224', 'sha3-224'], ['sha3_256', 'sha3-256'], ['sha3_384', 'sha3-384'], ['sha3_512', 'sha3-512'],
  ['blake2b', 'blake2b512'], ['blake2s', 'blake2s256'], ['ripemd160', 'ripemd160']
]).filter(([, name]) => crypto.getHashes().includes(name)))

/**
 * Signs cookies, and checks them and the tokens of proxies, with `[chttpd_auth] secret`. A secret
 * that was replaced is good for checking for another `timeout` seconds. Signatures are made with the
 * first of `hash_algorithms` and checked with any.
 */
class Secrets {
  #settings
  #config
  #current
  /** @type {Array<{ secret: string, until: number }>} */
  #former = []

  /**
   * @param {import('./auth-settings').AuthSettings} settings
   * @param {import('../config/config').Config} config
   */
  constructor (settings, config) {
    this.#settings = settings
    this.#config = config
    this.#current = settings.now.secret
    config.on('change', section => { if (section === 'chttpd_auth' || section === 'couch_httpd_auth') this.#replace() })
  }

  #replace () {
    const { secret, timeout } = this.#settings.now
    if (secret === this.#current) return
    const now = Date.now()
    const former = this.#former.filter(({ until }) => until > now)
    this.#former = this.#current === '' ? former : [...former, { secret: this.#current, until: now + timeout * 1000 }]
    this.#current = secret
  }

  /** There is always one. */
  ensure () {
    if (this.#settings.now.secret === '') this.#config.set('chttpd_auth', 'secret', crypto.randomBytes(16).toString('hex'))
  }

  /**
   * @param {string | Buffer} message
   * @param {string} [extra] secret of the user
   * @returns {Buffer}
   */
  sign (message, extra = '') {
    this.ensure()
    return mac(this.#hashes()[0], this.#current + extra, message)
  }

  /**
   * @param {string | Buffer} message
   * @param {Buffer} signature
   * @param {string} [extra]
   * @returns {boolean}
   */
  verify (message, signature, extra = '') {
    const now = Date.now()
    const secrets = [this.#current, ...this.#former.filter(({ until }) => until > now).map(({ secret }) => secret)]
    return secrets.some(secret => secret !== '' && this.#hashes().some(hash => {
      const expected = mac(hash, secret + extra, message)
      return expected.length === signature.length && crypto.timingSafeEqual(expected, signature)
    }))
  }

  /** @returns {string[]} */
  #hashes () {
    const known = this.#settings.now.hashAlgorithms.filter(name => HASHES.has(name))
    return (known.length === 0 ? ['sha256'] : known).map(name => /** @type {string} */ (HASHES.get(name)))
  }
}

/** @param {string} hash @param {string} key @param {string | Buffer} message */
function mac (hash, key, message) {
  return crypto.createHmac(hash, key).update(message).digest()
}

module.exports = { Secrets }
