'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')

/**
 * A password's hash, as CouchDB keeps it in user documents and (as one line) in the ini file.
 *
 * @typedef {object} PasswordHash
 * @property {'pbkdf2' | 'simple' | 'simple+pbkdf2'} scheme `simple` is SHA-1 of password and salt, and
 *   `simple+pbkdf2` is PBKDF2 of that as hexadecimal text
 * @property {string} [prf] `sha256`, `sha` and so on: what PBKDF2 runs on
 * @property {string} key hexadecimal; '' where the document has none: no password is right
 * @property {string} salt used as the bytes of its text
 * @property {number} [iterations]
 */

/**
 * @typedef {object} Hashing
 * @property {string} scheme `pbkdf2` or `simple`
 * @property {string} prf
 * @property {number} iterations
 * @property {string} [salt] to be kept, instead of a new one
 */

/** A thing that derives keys; see KeyDerivation. @typedef {Pick<import('./key-derivation').KeyDerivation, 'derive'>} Deriver */

/** @typedef {{ digest: string, bytes: number }} Prf */

const PRFS = new Map([
  ['sha', { digest: 'sha1', bytes: 20 }],
  ['sha224', { digest: 'sha224', bytes: 28 }],
  ['sha256', { digest: 'sha256', bytes: 32 }],
  ['sha384', { digest: 'sha384', bytes: 48 }],
  ['sha512', { digest: 'sha512', bytes: 64 }]
])

/**
 * @param {string} password
 * @param {Hashing} hashing
 * @param {Deriver} deriver
 * @param {string} [client] whose turn it costs
 * @returns {Promise<PasswordHash>}
 * @throws forbidden where the configuration names no scheme, or no function, that there is
 */
async function hashPassword (password, { scheme, prf, iterations, salt = newSalt() }, deriver, client = '') {
  if (scheme === 'simple') return { scheme, key: simple(password, salt), salt }
  if (scheme !== 'pbkdf2' || !PRFS.has(prf)) throw createError('FORBIDDEN', { reason: 'Server cannot hash passwords at this time.' })
  const key = await deriver.derive(client, { password, salt, iterations, ...(/** @type {Prf} */ (PRFS.get(prf))) })
  return { scheme, prf, key: key.toString('hex'), salt, iterations }
}

function newSalt () { return crypto.randomBytes(16).toString('hex') }

/** @param {string} password @param {string} salt */
function simple (password, salt) {
  return crypto.createHash('sha1').update(password).update(salt).digest('hex')
}

/**
 * @param {string} password
 * @param {PasswordHash} hash
 * @param {Deriver} deriver
 * @param {string} [client]
 * @returns {Promise<boolean>}
 */
async function verifyPassword (password, hash, deriver, client = '') {
  const actual = Buffer.from(await derivedKey(password, hash, deriver, client), 'hex')
  const expected = Buffer.from(hash.key, 'hex')
  return expected.length === actual.length && expected.length > 0 && crypto.timingSafeEqual(expected, actual)
}

/** @param {string} password @param {PasswordHash} hash @param {Deriver} deriver @param {string} client */
async function derivedKey (password, { scheme, prf = 'sha', salt, iterations = 0 }, deriver, client) {
  if (scheme === 'simple') return simple(password, salt)
  const secret = scheme === 'pbkdf2' ? password : simple(password, salt)
  return (await deriver.derive(client, { password: secret, salt, iterations, ...(/** @type {Prf} */ (PRFS.get(prf))) })).toString('hex')
}

/**
 * Takes as long as that many iterations take.
 *
 * @param {string} password
 * @param {Hashing} hashing
 * @param {Deriver} deriver
 * @param {string} client
 */
async function spendIterations (password, { prf, iterations }, deriver, client) {
  if (iterations > 0) await deriver.derive(client, { password, salt: newSalt(), iterations, ...(/** @type {Prf} */ (PRFS.get(prf) ?? PRFS.get('sha256'))) })
}

/**
 * Hashes that cost too little or too much are not asked.
 *
 * @param {PasswordHash} hash
 * @param {{ least: number, most: number }} limits of iterations
 * @throws forbidden, in CouchDB's words
 */
function requireAcceptable ({ scheme, prf = 'sha', iterations }, { least, most }) {
  if (scheme === 'simple') return
  if (!PRFS.has(prf)) throw createError('FORBIDDEN', { reason: 'PRF is invalid' })
  if (!Number.isSafeInteger(iterations) || /** @type {number} */ (iterations) < least) throw createError('FORBIDDEN', { reason: 'Iteration count is too low for this server' })
  if (/** @type {number} */ (iterations) > most) throw createError('FORBIDDEN', { reason: 'Iteration count is too high for this server' })
}

/** `-pbkdf2:sha256-<key>,<salt>,<iterations>` or `-hashed-<key>,<salt>`: an administrator's line in the ini file. @param {PasswordHash} hash */
function formatAdmin ({ scheme, prf, key, salt, iterations }) {
  return scheme === 'simple' ? `-hashed-${key},${salt}` : `-pbkdf2:${prf}-${key},${salt},${iterations}`
}

/**
 * Reads such a line, and CouchDB's older forms.
 * @param {string} text
 * @returns {PasswordHash | null} null: it is a plain password
 */
function parseAdmin (text) {
  const match = /^-pbkdf2(?::(sha|sha224|sha256|sha384|sha512))?-([0-9a-f]+),([^,]*),(\d+)$/.exec(text)
  if (match !== null) return { scheme: 'pbkdf2', prf: match[1] ?? 'sha', key: match[2], salt: match[3], iterations: Number(match[4]) }
  const old = /^-hashed-([0-9a-f]+),(.*)$/.exec(text)
  return old && { scheme: 'simple', key: old[1], salt: old[2] }
}

/** Iterations of a document without `iterations`, in CouchDB. */
const OLD_ITERATIONS = 10000

/**
 * The hash in a user document, or null where it has none.
 * @param {any} doc
 * @returns {PasswordHash | null}
 */
function fromUserDocument ({ password_scheme: scheme = 'simple', password_sha: sha, derived_key: derived, pbkdf2_prf: prf = 'sha', salt = '', iterations = OLD_ITERATIONS }) {
  if (typeof salt !== 'string') return null
  if (scheme === 'simple') return typeof sha === 'string' ? { scheme, key: sha, salt } : null
  if (scheme !== 'pbkdf2' && scheme !== 'simple+pbkdf2') return null
  return typeof derived === 'string' ? { scheme, prf, key: derived, salt, iterations } : null
}

/**
 * The same hash as members of a user document.
 * @param {PasswordHash} hash
 */
function toUserDocument ({ scheme, prf, key, salt, iterations }) {
  if (scheme === 'simple') return { password_scheme: scheme, salt, password_sha: key }
  return { password_scheme: scheme, pbkdf2_prf: prf, salt, iterations, derived_key: key }
}

module.exports = { hashPassword, verifyPassword, spendIterations, requireAcceptable, formatAdmin, parseAdmin, fromUserDocument, toUserDocument }
