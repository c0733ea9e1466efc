'use strict'

const assert = require('node:assert/strict')
const { KeyDerivation } = require('../lib/users/key-derivation')
const { formatAdmin, fromUserDocument, hashPassword, parseAdmin, requireAcceptable, toUserDocument, verifyPassword } = require('../lib/users/password')

const deriver = new KeyDerivation()
const pbkdf2 = { scheme: 'pbkdf2', prf: 'sha256', iterations: 10 }
const hash = (password, hashing = {}) => hashPassword(password, { ...pbkdf2, ...hashing }, deriver)
const verify = (password, hashed) => verifyPassword(password, hashed, deriver)

describe('passwords', () => {
  for (const [prf, digits] of [['sha', 40], ['sha224', 56], ['sha256', 64], ['sha384', 96], ['sha512', 128]]) {
    it(`are kept as CouchDB keeps administrators, by ${prf}, and read back`, async () => {
      const hashed = await hash('secret', { prf })
      const line = formatAdmin(hashed)
      assert.match(line, new RegExp(`^-pbkdf2:${prf}-[0-9a-f]{${digits}},[0-9a-f]{32},10$`))
      assert.deepEqual(parseAdmin(line), hashed)
      assert.equal(await verify('secret', hashed), true)
      assert.equal(await verify('Secret', hashed), false)
      assert.equal(await verify('', hashed), false)
    })
  }

  it('are hashed by the old scheme where the configuration says so', async () => {
    const hashed = await hash('secret', { scheme: 'simple' })
    assert.deepEqual(parseAdmin(formatAdmin(hashed)), hashed)
    assert.deepEqual(fromUserDocument(toUserDocument(hashed)), hashed)
    assert.equal(await verify('secret', hashed), true)
    assert.equal(await verify('Secret', hashed), false)
  })

  it('are not hashed by a scheme or a function that there is not', async () => {
    for (const hashing of [{ scheme: 'plain' }, { prf: 'md5' }, { prf: 'constructor' }]) {
      await assert.rejects(hash('secret', hashing), { status: 403, reason: 'Server cannot hash passwords at this time.' })
    }
  })

  it('never have the same hash twice, unless the salt is kept', async () => {
    assert.notEqual((await hash('a')).key, (await hash('a')).key)
    assert.equal((await hash('a', { salt: 's' })).key, (await hash('a', { salt: 's' })).key)
  })

  it('are read in CouchDB\'s older forms', async () => {
    // PBKDF2-HMAC-SHA1, "password" with "salt", 2 iterations: RFC 6070.
    const rfc = parseAdmin('-pbkdf2-ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957,salt,2')
    assert.equal(rfc.prf, 'sha')
    assert.equal(await verify('password', rfc), true)
    // sha1('ab')
    const simple = parseAdmin('-hashed-da23614e02469a0d7c7bd1bdab5c9c474b1904dc,b')
    assert.equal(await verify('a', simple), true)
    assert.equal(parseAdmin('plain'), null)
    assert.equal(parseAdmin('-pbkdf2:md5-00,salt,2'), null)
  })

  it('that were hashed twice, by the old scheme and the new, are right as they were', async () => {
    const simple = await hash('apple', { scheme: 'simple' })
    const { key } = await hash(simple.key, { salt: simple.salt })
    const both = fromUserDocument({ password_scheme: 'simple+pbkdf2', derived_key: key, pbkdf2_prf: 'sha256', iterations: 10, salt: simple.salt })
    assert.equal(await verify('apple', both), true)
    assert.equal(await verify(simple.key, both), false)
  })

  it('of users are in their documents', async () => {
    const hashed = await hash('apple')
    const doc = toUserDocument(hashed)
    assert.deepEqual(Object.keys(doc), ['password_scheme', 'pbkdf2_prf', 'salt', 'iterations', 'derived_key'])
    assert.deepEqual(fromUserDocument(doc), hashed)
    for (const none of [{}, { password_scheme: 'pbkdf2', derived_key: 1 }, { password_scheme: 'plain', salt: 's' }, { password_sha: 'aa', salt: 1 }]) {
      assert.equal(fromUserDocument(none), null, JSON.stringify(none))
    }
  })

  it('with an empty hash are never right', async () => {
    assert.equal(await verify('', { scheme: 'simple', key: '', salt: '' }), false)
  })

  it('with hostile hashes are refused before they cost anything', () => {
    const refused = change => {
      try {
        requireAcceptable({ scheme: 'pbkdf2', prf: 'sha256', key: '00', salt: 's', iterations: 1000, ...change }, { least: 100, most: 10000 })
        return null
      } catch (error) {
        return `${error.status} ${error.reason}`
      }
    }
    assert.equal(refused({}), null)
    for (const iterations of [0, 99, -1, 'x', null, 1.5]) assert.equal(refused({ iterations }), '403 Iteration count is too low for this server')
    for (const iterations of [10001, 1e12]) assert.equal(refused({ iterations }), '403 Iteration count is too high for this server')
    for (const prf of ['md5', 'constructor', '__proto__']) assert.equal(refused({ prf }), '403 PRF is invalid')
  })
})
