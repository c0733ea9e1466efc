'use strict'

const { Secret, TOTP } = require('otpauth')

const HASHES = new Map([['sha', 'SHA1'], ['sha1', 'SHA1'], ['sha256', 'SHA256'], ['sha512', 'SHA512']])

/**
 * Whether a token is what an authenticator shows now, by RFC 6238: for these 30 seconds, those before or those after.
 *
 * @param {any} totp of a user document: `{ key, algorithm, length }`, the key in base32
 * @param {string} token digits
 * @param {number} [now] seconds
 * @returns {boolean} false too where the user's settings are none
 */
function matchesOneTimePassword (totp, token, now = Date.now() / 1000) {
  const { key, algorithm = 'sha', length = 6 } = totp ?? {}
  // The library refuses no key that is empty, and throws for characters of several bytes.
  if (typeof key !== 'string' || !/^[A-Z2-7]{2,}=*$/i.test(key) || !/^[0-9]+$/.test(token)) return false
  if (!HASHES.has(algorithm) || !(Number.isInteger(length) && length >= 6 && length <= 10)) return false
  const secret = Secret.fromBase32(key)
  return TOTP.validate({ token, secret, algorithm: HASHES.get(algorithm), digits: length, timestamp: now * 1000, window: 1 }) !== null
}

module.exports = { matchesOneTimePassword }
