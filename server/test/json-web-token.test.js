'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { readToken } = require('../lib/auth/json-web-token')
const { readKey } = require('../lib/auth/jwt-keys')
const { rolesOf } = require('../lib/auth/roles-claim')

const NOW = 1_700_000_000
const encode = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const CURVES = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/** Keys that sign tokens, and the configuration's form of those that check them. */
function keysFor (alg) {
  if (alg.startsWith('HS')) {
    const secret = crypto.randomBytes(32)
    return { sign: secret, type: 'hmac', text: secret.toString('base64') }
  }
  const { privateKey, publicKey } = alg.startsWith('RS')
    ? crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })
    : crypto.generateKeyPairSync('ec', { namedCurve: CURVES[alg] })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  return { sign: privateKey, type: alg.startsWith('RS') ? 'rsa' : 'ec', pem, text: String(pem).replaceAll('\n', '\\n') }
}

function sign (alg, key, claims, header = {}) {
  const message = `${encode({ alg, ...header })}.${encode(claims)}`
  const hash = `sha${alg.slice(2)}`
  const signature = alg.startsWith('HS')
    ? crypto.createHmac(hash, key).update(message).digest()
    : crypto.sign(hash, Buffer.from(message), { key, dsaEncoding: 'ieee-p1363' })
  return `${message}.${signature.toString('base64url')}`
}

const verdict = action => {
  try {
    action()
    return 'ok'
  } catch (error) {
    return `${error.status} ${error.reason}`
  }
}

describe('JSON Web Tokens', () => {
  const keyring = new Map()
  const keyOf = (type, kid) => {
    const text = keyring.get(`${type}:${kid}`)
    if (text === undefined) throw Object.assign(new Error(), { status: 400, reason: 'Unknown kid' })
    return readKey(type, text)
  }
  const read = (token, required = []) => readToken(token, new Map(required.map(claim => Array.isArray(claim) ? claim : [claim, true])), keyOf, NOW)
  const told = (token, required) => verdict(() => read(token, required))

  beforeEach(() => keyring.clear())

  for (const alg of ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512']) {
    it(`signed by ${alg} are read, and with a byte changed are not`, () => {
      const { sign: key, type, text } = keysFor(alg)
      keyring.set(`${type}:_default`, text)
      const token = sign(alg, key, { sub: 'jan' })
      assert.deepEqual(read(token), { sub: 'jan' })
      const [header, , signature] = token.split('.')
      const bad = alg.startsWith('HS') ? '400 Bad HMAC' : '400 Bad signature'
      assert.equal(told(`${header}.${encode({ sub: 'anna' })}.${signature}`), bad)
      assert.equal(told(`${header}.${token.split('.')[1]}.`), bad)
      const bytes = Buffer.from(signature, 'base64url')
      bytes[3] ^= 1
      assert.equal(told(`${header}.${token.split('.')[1]}.${bytes.toString('base64url')}`), bad)
    })
  }

  it('are checked with the key that they name', () => {
    const [one, other] = [keysFor('HS256'), keysFor('HS256')]
    keyring.set('hmac:one', one.text).set('hmac:other', other.text)
    assert.deepEqual(read(sign('HS256', other.sign, { sub: 'x' }, { kid: 'other' })), { sub: 'x' })
    assert.equal(told(sign('HS256', other.sign, { sub: 'x' }, { kid: 'one' })), '400 Bad HMAC')
    for (const kid of ['none', '__proto__', 1, {}, null]) assert.equal(told(sign('HS256', other.sign, {}, { kid })), '400 Unknown kid')
    assert.equal(told(sign('HS256', other.sign, {})), '400 Unknown kid')
    assert.equal(told(sign('HS256', other.sign, {}), ['kid']), '400 Missing kid claim')
  })

  it('cannot be signed with what is public', () => {
    const rsa = keysFor('RS256')
    keyring.set('rsa:_default', rsa.text)
    for (const secret of [rsa.pem, rsa.text]) assert.equal(told(sign('HS256', secret, { sub: 'admin' })), '400 Unknown kid')
    keyring.set('hmac:_default', rsa.text)
    assert.equal(told(sign('HS256', rsa.pem, { sub: 'admin' })), '400 Not a valid key')
  })

  it('cannot go without a signature', () => {
    for (const alg of ['none', 'None', 'NONE', 'HS1', 'PS256', '', null, ['HS256'], 'constructor', '__proto__']) {
      assert.equal(told(`${encode({ alg })}.${encode({ sub: 'admin' })}.`), '400 Invalid alg header parameter', String(alg))
    }
    assert.equal(told(`${encode({})}.${encode({ sub: 'admin' })}.`), '400 Missing alg header parameter')
  })

  it('are not taken by a key of another curve', () => {
    const key = keysFor('ES384')
    keyring.set('ec:_default', key.text)
    assert.equal(told(sign('ES256', key.sign, { sub: 'x' })), '400 Bad signature')
  })

  it('need a key that is one', () => {
    const rsa = keysFor('RS256')
    const privatePem = rsa.sign.export({ type: 'pkcs8', format: 'pem' })
    for (const text of ['', 'x', privatePem]) assert.equal(verdict(() => readKey('rsa', text)), '400 Not a valid key')
    assert.equal(verdict(() => readKey('ec', rsa.text)), '400 not an EC public key')
    assert.equal(verdict(() => readKey('rsa', keysFor('ES256').text)), '400 not an RSA public key')
    for (const text of ['', '!!!', '=']) assert.equal(verdict(() => readKey('hmac', text)), '400 Not a valid key')
  })

  it('are three parts of JSON', () => {
    for (const bad of ['', 'a', 'a.b', 'a.b.c.d', '!.e30.x', 'e30.e30', `${encode('x')}.e30.x`]) assert.equal(told(bad), '400 Malformed token', bad)
    for (const bad of [[], 1, null, '"x"']) assert.equal(told(`${encode(bad)}.${encode({})}.x`), '400 Not an object', JSON.stringify(bad))
  })

  it('have the claims that are required', () => {
    const { sign: key, text } = keysFor('HS256')
    keyring.set('hmac:_default', text)
    for (const [claims, required, expected] of [
      [{}, ['exp'], '400 Missing exp claim'],
      [{ exp: NOW }, ['exp'], '401 exp not in future'],
      [{ exp: NOW - 1 }, ['exp'], '401 exp not in future'],
      [{ exp: 'never' }, ['exp'], '401 exp not in future'],
      [{ exp: NOW + 1 }, ['exp'], 'ok'],
      [{ exp: 0 }, [], 'ok'],
      [{}, ['nbf'], '400 Missing nbf claim'],
      [{ nbf: NOW + 1 }, ['nbf'], '401 nbf not in past'],
      [{ nbf: NOW - 1 }, ['nbf'], 'ok'],
      [{ nbf: NOW }, ['nbf'], '401 nbf not in past'],
      [{ nbf: NOW + 1 }, [], '401 nbf not in past'],
      [{ nbf: NOW + 1, exp: NOW + 2 }, ['exp'], '401 nbf not in past'],
      [{ nbf: 'soon' }, [], '401 nbf not in past'],
      [{ nbf: NOW - 1 }, [], 'ok'],
      [{}, ['iat'], '400 Missing iat claim'],
      [{ iat: 'x' }, ['iat'], '400 Invalid iat claim'],
      [{ iat: 1 }, ['iat'], 'ok'],
      [{}, [['iss', 'us']], '400 Missing iss claim'],
      [{ iss: 'them' }, [['iss', 'us']], '400 Invalid iss claim'],
      [{ iss: 'us' }, [['iss', 'us']], 'ok']
    ]) assert.equal(told(sign('HS256', key, claims), required), expected, JSON.stringify([claims, required]))
    assert.equal(told(sign('HS256', key, {}), ['typ']), '400 Missing typ header parameter')
    assert.equal(told(sign('HS256', key, {}, { typ: 'x' }), ['typ']), '400 Invalid typ header parameter')
    assert.equal(told(sign('HS256', key, {}, { typ: 'JWT' }), ['typ']), 'ok')
  })

  it('name roles as a list or a text, at a name or a path', () => {
    const byName = { roles_claim_name: '_couchdb.roles' }
    assert.deepEqual(rolesOf({ '_couchdb.roles': ['a', 'b'] }, byName), ['a', 'b'])
    assert.deepEqual(rolesOf({ '_couchdb.roles': 'a, b ,c' }, byName), ['a', 'b', 'c'])
    assert.deepEqual(rolesOf({}, byName), [])
    assert.deepEqual(rolesOf({}, { roles_claim_name: 'constructor' }), [])
    for (const bad of [[1], 1, null, {}]) assert.equal(verdict(() => rolesOf({ '_couchdb.roles': bad }, byName)), '400 Malformed token')
    const byPath = { ...byName, roles_claim_path: String.raw`access.security\.settings.roles` }
    assert.deepEqual(rolesOf({ access: { 'security.settings': { roles: ['x'] } } }, byPath), ['x'])
    assert.equal(verdict(() => rolesOf({ access: {} }, byPath)), '404 missing json key: security.settings')
    assert.equal(verdict(() => rolesOf({ access: 1 }, byPath)), '404 json_mismatch')
  })
})
