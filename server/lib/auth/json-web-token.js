'use strict'

const crypto = require('node:crypto')
const { badRequest, createError } = require('@potoroo/errors')

/** Nothing but these; `none` is none of them. An elliptic curve belongs to each of its algorithms. */
const ALGORITHMS = new Map([
  ['HS256', { type: 'hmac', hash: 'sha256' }],
  ['HS384', { type: 'hmac', hash: 'sha384' }],
  ['HS512', { type: 'hmac', hash: 'sha512' }],
  ['RS256', { type: 'rsa', hash: 'sha256' }],
  ['RS384', { type: 'rsa', hash: 'sha384' }],
  ['RS512', { type: 'rsa', hash: 'sha512' }],
  ['ES256', { type: 'ec', hash: 'sha256', curve: 'prime256v1' }],
  ['ES384', { type: 'ec', hash: 'sha384', curve: 'secp384r1' }],
  ['ES512', { type: 'ec', hash: 'sha512', curve: 'secp521r1' }]
])

/**
 * The claims of a token, after its required claims and its signature were checked.
 *
 * @param {string} token
 * @param {Map<string, string | true>} required claims; with a text, that has to be its value
 * @param {(type: 'hmac' | 'rsa' | 'ec', kid: string) => crypto.KeyObject} keyOf throws where there is none
 * @param {number} [now] seconds
 * @returns {Record<string, any>}
 * @throws bad_request, or unauthorized where its time is over or not yet come, in CouchDB's words
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
function readToken (token, required, keyOf, now = Math.floor(Date.now() / 1000)) {
  const parts = token.split('.')
  if (parts.length !== 3) throw badRequest('Malformed token')
  const header = decode(parts[0])
  requireHeader(header, required)
  const claims = decode(parts[1])
  requireClaims(claims, required, now)
  if (required.has('kid') && header.kid === undefined) throw badRequest('Missing kid claim')
  verify(header, parts, keyOf)
  return claims
}

/** @param {string} part */
function decode (part) {
  if (!/^[A-Za-z0-9_-]*$/.test(part)) throw badRequest('Malformed token')
  let value
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    throw badRequest('Malformed token')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('Not an object')
  return value
}

/** @param {any} header @param {Map<string, string | true>} required */
function requireHeader ({ typ, alg }, required) {
  if (required.has('typ') && typ !== 'JWT') throw badRequest(typ === undefined ? 'Missing typ header parameter' : 'Invalid typ header parameter')
  if (alg === undefined) throw badRequest('Missing alg header parameter')
  if (!ALGORITHMS.has(alg)) throw badRequest('Invalid alg header parameter')
}

/** Checks of claims, in the order in which they are looked at. */
const CHECKS = new Map(Object.entries({
  /** @param {any} value @param {string | true | undefined} wanted */
  iss: (value, wanted) => { if (wanted !== true && value !== wanted) throw badRequest('Invalid iss claim') },
  /** @param {any} value */
  iat: value => { if (!Number.isInteger(value)) throw badRequest('Invalid iat claim') },
  /** @param {any} value @param {string | true | undefined} wanted @param {number} now */
  nbf: (value, wanted, now) => { if (!(typeof value === 'number' && value < now)) throw createError('UNAUTHORIZED', { reason: 'nbf not in past' }) },
  /** @param {any} value @param {string | true | undefined} wanted @param {number} now */
  exp: (value, wanted, now) => { if (!(typeof value === 'number' && value > now)) throw createError('UNAUTHORIZED', { reason: 'exp not in future' }) }
}))

/** @param {Record<string, any>} claims @param {Map<string, string | true>} required @param {number} now */
function requireClaims (claims, required, now) {
  for (const [name, check] of CHECKS) {
    // The issuer of a token that is not valid yet has said so, whatever is required.
    if (!required.has(name) && !(name === 'nbf' && Object.hasOwn(claims, name))) continue
    if (!Object.hasOwn(claims, name)) throw badRequest(`Missing ${name} claim`)
    check(claims[name], required.get(name), now)
  }
}

/** @param {any} header @param {string[]} parts @param {(type: 'hmac' | 'rsa' | 'ec', kid: string) => crypto.KeyObject} keyOf */
function verify ({ alg, kid = '_default' }, [header, payload, signature], keyOf) {
  const { type, hash, curve } = /** @type {{ type: 'hmac' | 'rsa' | 'ec', hash: string, curve?: string }} */ (ALGORITHMS.get(alg))
  if (typeof kid !== 'string') throw badRequest('Unknown kid')
  const key = keyOf(type, kid)
  const given = Buffer.from(signature, 'base64url')
  const message = Buffer.from(`${header}.${payload}`)
  if (type === 'hmac') {
    const expected = crypto.createHmac(hash, key).update(message).digest()
    if (expected.length !== given.length || !crypto.timingSafeEqual(expected, given)) throw badRequest('Bad HMAC')
    return
  }
  const isCurve = curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve
  if (!isCurve || !crypto.verify(hash, message, { key, dsaEncoding: 'ieee-p1363' }, given)) throw badRequest('Bad signature')
}

module.exports = { readToken }
