'use strict'

const crypto = require('node:crypto')
const { promisify } = require('node:util')

const pbkdf2 = promisify(crypto.pbkdf2)

/**
 * A password's hash, as CouchDB keeps it in user documents and (as one line) in the ini file.
 *
 * @typedef {object} PasswordHash
 * @property {'pbkdf2' | 'simple'} scheme
 * @property {string} [prf] `sha256`, `sha` and so on: what PBKDF2 runs on
 * @property {string} key hexadecimal
 * @property {string} salt used as the bytes of its text
 * @property {number} [iterations]
 */

const DIGESTS = { sha: 'sha1', sha224: 'sha224', sha256: 'sha256', sha384: 'sha384', sha512: 'sha512' }
const KEY_BYTES = { sha: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }

/** More would let a user document keep a core busy for minutes. */
const MAX_ITERATIONS = 10_000_000

/**
 * @param {string} password
 * @param {number} iterations
 * @returns {Promise<PasswordHash>}
 */
async function hashPassword (password, iterations) {
  const salt = crypto.randomBytes(16).toString('hex')
  const key = await pbkdf2(password, salt, iterations, KEY_BYTES.sha256, DIGESTS.sha256)
  return { scheme: 'pbkdf2', prf: 'sha256', key: key.toString('hex'), salt, iterations }
}

/**
 * @param {string} password
 * @param {PasswordHash} hash
 * @returns {Promise<boolean>}
 */
async function verifyPassword (password, hash) {
  const expected = Buffer.from(hash.key, 'hex')
  const actual = await derive(password, hash)
  return actual !== null && expected.length === actual.length && crypto.timingSafeEqual(expected, actual)
}

async function derive (password, { scheme, prf = 'sha', salt, iterations = 0 }) {
  if (scheme === 'simple') return crypto.createHash('sha1').update(password).update(salt).digest()
  if (!Object.hasOwn(DIGESTS, prf) || !(iterations >= 1 && iterations <= MAX_ITERATIONS)) return null
  return pbkdf2(password, salt, iterations, KEY_BYTES[prf], DIGESTS[prf])
}

/**
 * `-pbkdf2:sha256-<key>,<salt>,<iterations>`: an administrator's line in the ini file.
 * @param {PasswordHash} hash
 */
function formatAdmin ({ key, salt, iterations }) {
  return `-pbkdf2:sha256-${key},${salt},${iterations}`
}

/**
 * Reads such a line, and CouchDB's older forms.
 * @param {string} text
 * @returns {PasswordHash | null} null: it is a plain password
 */
function parseAdmin (text) {
  const match = /^-pbkdf2(?::([a-z0-9]+))?-([0-9a-f]+),([^,]*),(\d+)$/.exec(text)
  if (match !== null) return { scheme: 'pbkdf2', prf: match[1] ?? 'sha', key: match[2], salt: match[3], iterations: Number(match[4]) }
  const simple = /^-hashed-([0-9a-f]+),(.*)$/.exec(text)
  return simple && { scheme: 'simple', key: simple[1], salt: simple[2] }
}

/**
 * The hash in a user document, or null where it has none.
 * @param {any} doc
 * @returns {PasswordHash | null}
 */
function fromUserDocument (doc) {
  if (doc.password_scheme === 'pbkdf2') {
    return text(doc.derived_key, doc.salt) ? { scheme: 'pbkdf2', prf: doc.pbkdf2_prf ?? 'sha', key: doc.derived_key, salt: doc.salt, iterations: doc.iterations } : null
  }
  return text(doc.password_sha, doc.salt) ? { scheme: 'simple', key: doc.password_sha, salt: doc.salt } : null
}

function text (...values) {
  return values.every(value => typeof value === 'string')
}

/**
 * The same hash as members of a user document.
 * @param {PasswordHash} hash
 */
function toUserDocument ({ key, salt, iterations }) {
  return { password_scheme: 'pbkdf2', pbkdf2_prf: 'sha256', salt, iterations, derived_key: key }
}

module.exports = { hashPassword, verifyPassword, formatAdmin, parseAdmin, fromUserDocument, toUserDocument }
