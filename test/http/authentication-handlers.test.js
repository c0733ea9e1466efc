'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get } = require('./support/request')
const { Settings } = require('./support/settings')
const { NOBODY, TestUsers } = require('./support/users')

const handler = name => `{chttpd_auth, ${name}_authentication_handler}`

/** Handlers by these names, in this order. CouchDB takes such a change when it starts, so there this is for one that was started so. */
async function enable (settings, names) {
  const { body } = await get('/_session', NOBODY)
  if (body.info.authentication_handlers.join() === names.join()) return
  await settings.set('chttpd', 'authentication_handlers', names.map(handler).join(', '))
}

async function requireHandlers (test, names) {
  const { body } = await get('/_session', NOBODY)
  if (body.info.authentication_handlers.join() !== names.join()) test.skip()
}

const as = headers => get('/_session', { headers: { ...NOBODY.headers, ...headers } })

describe('authentication_handlers', () => {
  const settings = new Settings()
  const users = new TestUsers()
  const NAMES = ['jwt', 'proxy', 'cookie', 'default']

  beforeEach(async function () {
    await enable(settings, NAMES)
    await requireHandlers(this, NAMES)
  })

  it('are asked in their order, and those left out are not asked', async function () {
    const jan = await users.add()
    const both = { ...jan.as.headers, 'X-Auth-CouchDB-UserName': 'eva' }
    assert.equal((await as(both)).body.info.authenticated, 'proxy')
    if (process.env.TEST_URL !== undefined) return // CouchDB would have to be started again.
    await settings.set('chttpd', 'authentication_handlers', [handler('default'), handler('proxy')].join(','))
    assert.equal((await as(both)).body.info.authenticated, 'default')
    await settings.set('chttpd', 'authentication_handlers', `${handler('default')}, ${handler('null')}, {chttpd_auth, other}`)
    const { body } = await as({ 'X-Auth-CouchDB-UserName': 'eva' })
    assert.deepEqual(body, { ok: true, userCtx: { name: null, roles: [] }, info: { authentication_handlers: ['default'] } })
  })

  it('are those by default where none is set, so that somebody can sign in', async function () {
    if (process.env.TEST_URL !== undefined) return // CouchDB would have to be started again.
    await settings.set('chttpd', 'authentication_handlers', '')
    const jan = await users.add()
    const { body } = await as(jan.as.headers)
    assert.deepEqual([body.userCtx.name, body.info.authentication_handlers], [jan.name, ['cookie', 'default']])
  })

  describe('proxy', () => {
    it('takes the name and the roles of the headers', async () => {
      const { body } = await as({ 'X-Auth-CouchDB-UserName': 'eva', 'X-Auth-CouchDB-Roles': 'users , blogger,editors' })
      assert.deepEqual(body.userCtx, { name: 'eva', roles: ['users', 'blogger', 'editors'] })
      assert.equal(body.info.authenticated, 'proxy')
      assert.deepEqual((await as({ 'X-Auth-CouchDB-UserName': 'eva' })).body.userCtx, { name: 'eva', roles: [] })
      assert.equal((await as({ 'X-Auth-CouchDB-Roles': '_admin' })).body.userCtx.name, null)
    })

    it('takes headers of other names', async () => {
      await settings.set('chttpd_auth', 'x_auth_username', 'X-Name')
      await settings.set('chttpd_auth', 'x_auth_roles', 'X-Roles')
      assert.deepEqual((await as({ 'X-Name': 'eva', 'X-Roles': 'a' })).body.userCtx, { name: 'eva', roles: ['a'] })
      assert.equal((await as({ 'X-Auth-CouchDB-UserName': 'eva' })).body.userCtx.name, null)
    })

    it('wants a token where that is configured', async () => {
      await settings.set('chttpd_auth', 'secret', 'the_secret')
      await settings.set('chttpd_auth', 'proxy_use_secret', true)
      const sign = (hash, name, secret = 'the_secret') => crypto.createHmac(hash, secret).update(name).digest('hex')
      const sent = token => as({ 'X-Auth-CouchDB-UserName': 'foo', 'X-Auth-CouchDB-Roles': 'a', ...(token !== undefined && { 'X-Auth-CouchDB-Token': token }) })
      // From CouchDB's documentation.
      assert.equal(sign('sha256', 'foo'), '3f0786e96b20b0102b77f1a49c041be6977cfb3bf78c41a12adc121cd9b4e68a')
      for (const token of [sign('sha256', 'foo'), sign('sha1', 'foo'), sign('sha256', 'foo').toUpperCase()]) assert.equal((await sent(token)).body.userCtx.name, 'foo')
      for (const token of [sign('sha256', 'bar'), sign('sha256', 'foo', 'other'), sign('sha512', 'foo'), sign('sha256', 'foo').slice(2)]) {
        assert.equal((await sent(token)).body.userCtx.name, null, token)
      }
      if (process.env.TEST_URL === undefined) for (const token of [undefined, '', 'zz', 'abc']) assert.equal((await sent(token)).body.userCtx.name, null) // CouchDB answers 500.
    })
  })

  describe('jwt', () => {
    const secret = crypto.randomBytes(32)
    const encode = value => Buffer.from(JSON.stringify(value)).toString('base64url')
    const later = () => Math.floor(Date.now() / 1000) + 600
    const tokenOf = (claims, header = {}, key = secret) => {
      const message = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`
      return `${message}.${crypto.createHmac('sha256', key).update(message).digest('base64url')}`
    }
    const bearer = (...token) => as({ Authorization: `Bearer ${tokenOf(...token)}` })

    beforeEach(() => settings.set('jwt_keys', 'hmac:_default', secret.toString('base64')))

    it('takes who has a token that is signed and good', async () => {
      const { body } = await bearer({ sub: 'eva', exp: later(), '_couchdb.roles': ['editors'] })
      assert.deepEqual(body.userCtx, { name: 'eva', roles: ['editors'] })
      assert.equal(body.info.authenticated, 'jwt')
      assert.deepEqual((await bearer({ sub: 'eva', exp: later(), '_couchdb.roles': 'a, b' })).body.userCtx.roles, ['a', 'b'])
      assert.deepEqual((await bearer({ sub: 'eva', exp: later() })).body.userCtx.roles, [])
    })

    it('refuses others in CouchDB\'s words', async () => {
      const exp = later()
      assertRefused(await bearer({ sub: 'eva' }), 400, 'bad_request', 'Missing exp claim')
      assertRefused(await bearer({ sub: 'eva', exp: 1 }), 401, 'unauthorized', 'exp not in future')
      assertRefused(await bearer({ exp }), 401, 'unauthorized', 'Token missing sub claim.')
      assertRefused(await bearer({ sub: 'eva', exp }, {}, 'other'), 400, 'bad_request', 'Bad HMAC')
      assertRefused(await bearer({ sub: 'eva', exp }, { kid: 'other' }), 400, 'bad_request', 'Unknown kid')
      assertRefused(await bearer({ sub: 'eva', exp }, { alg: 'none' }), 400, 'bad_request', 'Invalid alg header parameter')
      assertRefused(await bearer({ sub: 'eva', exp }, { alg: undefined }), 400, 'bad_request', 'Missing alg header parameter')
      assertRefused(await as({ Authorization: 'Bearer a.b' }), 400, 'bad_request', 'Malformed token')
      assertRefused(await as({ Authorization: 'Bearer a.b.c' }), 400, 'bad_request', 'Malformed token')
      assertRefused(await bearer({ sub: 'eva', exp, '_couchdb.roles': [1] }), 400, 'bad_request', 'Malformed token')
    })

    it('wants the claims that are configured', async () => {
      await settings.set('jwt_auth', 'required_claims', 'exp, nbf, {iss, "us"}')
      const claims = { sub: 'eva', exp: later(), nbf: 1, iss: 'us' }
      assert.equal((await bearer(claims)).body.userCtx.name, 'eva')
      assertRefused(await bearer({ ...claims, nbf: later() }), 401, 'unauthorized', 'nbf not in past')
      assertRefused(await bearer({ ...claims, iss: 'them' }), 400, 'bad_request', 'Invalid iss claim')
      assertRefused(await bearer({ ...claims, iss: undefined }), 400, 'bad_request', 'Missing iss claim')
      await settings.set('jwt_auth', 'required_claims', '1')
      assertRefused(await bearer(claims), 500, 'misconfigured_server', 'JWT is not configured correctly')
      await settings.set('jwt_auth', 'required_claims', '')
      assert.equal((await bearer({ sub: 'eva' })).body.userCtx.name, 'eva')
    })

    it('finds roles where that is configured', async () => {
      const claims = { sub: 'eva', exp: later(), mine: ['a'], access: { 'x.y': { roles: ['b'] } } }
      await settings.set('jwt_auth', 'roles_claim_name', 'mine')
      assert.deepEqual((await bearer(claims)).body.userCtx.roles, ['a'])
      await settings.set('jwt_auth', 'roles_claim_path', String.raw`access.x\.y.roles`)
      assert.deepEqual((await bearer(claims)).body.userCtx.roles, ['b'])
      assertRefused(await bearer({ sub: 'eva', exp: later(), access: {} }), 404, 'not_found', 'missing json key: x.y')
      assertRefused(await bearer({ sub: 'eva', exp: later(), access: 1 }), 404, 'not_found', 'json_mismatch')
    })

    it('checks with a public key, and takes no other for it', async () => {
      const { privateKey, publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
      await settings.set('jwt_keys', 'ec:mine', pem.replaceAll('\n', '\\n'))
      const message = `${encode({ alg: 'ES256', kid: 'mine' })}.${encode({ sub: 'eva', exp: later() })}`
      const signature = crypto.sign('sha256', Buffer.from(message), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      assert.equal((await as({ Authorization: `Bearer ${message}.${signature.toString('base64url')}` })).body.userCtx.name, 'eva')
      signature[0] ^= 1
      assertRefused(await as({ Authorization: `Bearer ${message}.${signature.toString('base64url')}` }), 400, 'bad_request', 'Bad signature')
      assertRefused(await bearer({ sub: 'eva', exp: later() }, { kid: 'mine' }, pem), 400, 'bad_request', 'Unknown kid')
    })

    it('keeps no key that was taken out', async () => {
      assert.equal((await bearer({ sub: 'eva', exp: later() })).status, 200)
      const other = crypto.randomBytes(32)
      await settings.set('jwt_keys', 'hmac:_default', other.toString('base64'))
      assertRefused(await bearer({ sub: 'eva', exp: later() }), 400, 'bad_request', 'Bad HMAC')
      assert.equal((await bearer({ sub: 'eva', exp: later() }, {}, other)).status, 200)
    })
  })
})
