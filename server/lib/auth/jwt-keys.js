'use strict'

const crypto = require('node:crypto')
const { badRequest } = require('@potoroo/errors')

/**
 * A key of `[jwt_keys]`: base64 of a shared secret for `hmac`, and for `rsa` and `ec` a public key
 * as PEM, its lines ended with `\n` in two characters.
 *
 * @param {'hmac' | 'rsa' | 'ec'} type what the key was configured for: it is good for nothing else,
 *   so that nobody can sign with a public key as though it were a shared secret
 * @param {string} text
 * @returns {crypto.KeyObject}
 * @throws bad_request, in CouchDB's words
 */
function readKey (type, text) {
  return type === 'hmac' ? readSecret(text) : readPublicKey(type, text)
}

/** @param {string} text */
function readSecret (text) {
  const secret = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  // With an empty secret anybody could sign.
  if (secret.length === 0) throw badRequest('Not a valid key')
  return crypto.createSecretKey(secret)
}

/** @param {string} type @param {string} text */
function readPublicKey (type, text) {
  const pem = text.replaceAll('\\n', '\n')
  const key = /-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(pem) ? parsePublicKey(pem) : null
  if (key === null) throw badRequest('Not a valid key')
  if (key.asymmetricKeyType !== type) throw badRequest(`not an ${type.toUpperCase()} public key`)
  return key
}

/** @param {string} pem */
function parsePublicKey (pem) {
  try {
    return crypto.createPublicKey(pem)
  } catch {
    return null
  }
}

module.exports = { readKey }
