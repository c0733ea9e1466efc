'use strict'

const crypto = require('node:crypto')

/** Seconds of which each has its password; the one before and the one after are taken as well. */
const STEP = 30

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const HASHES = new Map([['sha', 'sha1'], ['sha1', 'sha1'], ['sha256', 'sha256'], ['sha512', 'sha512']])

/**
 * Whether a token is what an authenticator shows now, by RFC 6238.
 *
 * @param {any} totp of a user document: `{ key, algorithm, length }`, the key in base32
 * @param {string} token digits
 * @param {number} [now] seconds
 * @returns {boolean} false too where the user's settings are none
 */
function matchesOneTimePassword (totp, token, now = Date.now() / 1000) {
  const { key, algorithm = 'sha', length = 6 } = totp ?? {}
  const secret = typeof key === 'string' ? decodeBase32(key) : null
  if (secret === null || secret.length === 0 || !HASHES.has(algorithm) || !(Number.isInteger(length) && length >= 6 && length <= 10)) return false
  const given = Buffer.from(token)
  let matches = false
  for (const shift of [-STEP, 0, STEP]) {
    const expected = Buffer.from(generate(secret, HASHES.get(algorithm), length, Math.floor((now + shift) / STEP)))
    if (expected.length === given.length && crypto.timingSafeEqual(expected, given)) matches = true
  }
  return matches
}

function generate (secret, hash, length, counter) {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = crypto.createHmac(hash, secret).update(message).digest()
  const at = mac[mac.length - 1] & 15
  const number = mac.readUInt32BE(at) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** @returns {Buffer | null} null where it is no base32 */
function decodeBase32 (text) {
  const bytes = []
  let bits = 0
  let value = 0
  for (const character of text.toUpperCase().replace(/=+$/, '')) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) return null
    value = (value << 5 | digit) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(value >> bits & 0xff)
  }
  return Buffer.from(bytes)
}

module.exports = { matchesOneTimePassword }
