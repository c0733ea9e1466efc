'use strict'

const assert = require('node:assert/strict')
const { formatAdmin, fromUserDocument, hashPassword, parseAdmin, toUserDocument, verifyPassword } = require('../lib/auth/password')
const { authSession, makeCookie, readCookie } = require('../lib/auth/session-cookie')

describe('passwords', () => {
  it('are kept as CouchDB keeps administrators, and read back', async () => {
    const hash = await hashPassword('secret', 10)
    const line = formatAdmin(hash)
    assert.match(line, /^-pbkdf2:sha256-[0-9a-f]{64},[0-9a-f]{32},10$/)
    assert.deepEqual(parseAdmin(line), hash)
    assert.equal(await verifyPassword('secret', hash), true)
    assert.equal(await verifyPassword('Secret', hash), false)
    assert.equal(await verifyPassword('', hash), false)
  })

  it('never have the same hash twice', async () => {
    assert.notEqual((await hashPassword('a', 1)).key, (await hashPassword('a', 1)).key)
  })

  it('are read in CouchDB\'s older forms', async () => {
    // PBKDF2-HMAC-SHA1, "password" with "salt", 2 iterations: RFC 6070.
    const rfc = parseAdmin('-pbkdf2-ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957,salt,2')
    assert.equal(rfc.prf, 'sha')
    assert.equal(await verifyPassword('password', rfc), true)
    // sha1('ab')
    const simple = parseAdmin('-hashed-da23614e02469a0d7c7bd1bdab5c9c474b1904dc,b')
    assert.equal(await verifyPassword('a', simple), true)
    assert.equal(parseAdmin('plain'), null)
  })

  it('of users are in their documents', async () => {
    const hash = await hashPassword('apple', 3)
    const doc = toUserDocument(hash)
    assert.equal(doc.password_scheme, 'pbkdf2')
    assert.deepEqual(fromUserDocument(doc), hash)
    assert.equal(fromUserDocument({}), null)
    assert.equal(fromUserDocument({ password_scheme: 'pbkdf2', derived_key: 1 }), null)
  })

  it('with hostile hashes are wrong, and cost nothing', async () => {
    for (const change of [{ iterations: 1e12 }, { iterations: 0 }, { iterations: 'x' }, { prf: 'md5' }, { prf: 'constructor' }]) {
      assert.equal(await verifyPassword('a', { scheme: 'pbkdf2', prf: 'sha256', key: '00', salt: 's', iterations: 1, ...change }), false)
    }
  })
})

describe('session cookies', () => {
  it('prove a name and a time with the right key alone', () => {
    const cookie = readCookie(makeCookie('jan', 'secretsalt', 1700000000))
    assert.equal(cookie.name, 'jan')
    assert.equal(cookie.time, 1700000000)
    assert.equal(cookie.verify('secretsalt'), true)
    assert.equal(cookie.verify('secretsalt2'), false)
  })

  it('with a byte changed prove nothing', () => {
    const bytes = Buffer.from(makeCookie('jan', 'key', 1700000000), 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] ^= 1
      let valid
      try {
        valid = readCookie(changed.toString('base64url')).verify('key')
      } catch (error) {
        valid = error.status !== 400
      }
      assert.equal(valid, false, `byte ${i}`)
    }
  })

  it('are found among others', () => {
    assert.equal(authSession('a=b; AuthSession=xyz; c=d'), 'xyz')
    assert.equal(authSession('a=b'), undefined)
  })
})
