'use strict'

const assert = require('node:assert/strict')
const { authSettings } = require('../lib/auth/auth-settings')
const { Secrets } = require('../lib/auth/secrets')
const { addCookie, authSession, makeCookie, readCookie, setCookie } = require('../lib/auth/session-cookie')
const { Config } = require('../lib/config/config')

function secretsWith (values = {}) {
  const config = new Config(null, { chttpd_auth: { secret: 'secret', ...values } })
  const settings = authSettings(config)
  return { config, settings, secrets: new Secrets(settings, config) }
}

describe('session cookies', () => {
  const { secrets, settings } = secretsWith()
  const proves = (cookie, salt) => {
    const { data, mac } = readCookie(cookie)
    return secrets.verify(data, mac, salt)
  }

  it('prove a name and a time with the right salt alone', () => {
    const text = makeCookie('jan', 'salt', 1700000000, secrets)
    const cookie = readCookie(text)
    assert.equal(cookie.name, 'jan')
    assert.equal(cookie.time, 1700000000)
    assert.equal(proves(text, 'salt'), true)
    assert.equal(proves(text, 'salt2'), false)
  })

  it('with a byte changed prove nothing', () => {
    const bytes = Buffer.from(makeCookie('jan', 'salt', 1700000000, secrets), 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] ^= 1
      let valid
      try {
        valid = proves(changed.toString('base64url'), 'salt')
      } catch (error) {
        valid = error.status !== 400
      }
      assert.equal(valid, false, `byte ${i}`)
    }
  })

  it('are CouchDB\'s', () => {
    const couch = secretsWith({ secret: '7ec94aea6652426da2dc0d2975b43a3e' }).secrets
    const made = 'YWphbjo2QjAyMkVCMzoP40hoxl6Wx6tlXil8mldvG2wxrHQtnFcIcZHcld7SfQ'
    assert.equal(makeCookie('ajan', '596a6e18be67c9d6e81f34f8833e28df', 0x6B022EB3, couch), made)
  })

  it('are made with the first of the hash algorithms, and checked with all', () => {
    const both = secretsWith({ hash_algorithms: 'sha512, sha' }).secrets
    const old = secretsWith({ hash_algorithms: 'sha' }).secrets
    assert.equal(both.sign('x').length, 64)
    assert.equal(both.verify('x', old.sign('x')), true)
    assert.equal(both.verify('x', secrets.sign('x')), false)
    assert.equal(secretsWith({ hash_algorithms: 'md5, nonsense' }).secrets.sign('x').length, 32)
  })

  it('outlive a change of the secret by the time of a session', () => {
    const { config, secrets: changing } = secretsWith()
    const signature = changing.sign('x')
    config.set('chttpd_auth', 'secret', 'another')
    assert.equal(changing.verify('x', signature), true)
    assert.notDeepEqual(changing.sign('x'), signature)
    const later = Date.now() + 601_000
    const { now } = Date
    try {
      Date.now = () => later
      assert.equal(changing.verify('x', signature), false)
    } finally {
      Date.now = now
    }
  })

  it('get a secret when there is none', () => {
    const { config, secrets: bare } = secretsWith({ secret: '' })
    assert.equal(bare.verify('x', bare.sign('x')), true)
    assert.match(config.get('chttpd_auth', 'secret'), /^[0-9a-f]{32}$/)
  })

  it('are found among others', () => {
    assert.equal(authSession('a=b; AuthSession=xyz; c=d'), 'xyz')
    assert.equal(authSession('a=b'), '')
    assert.equal(authSession('XAuthSession=b'), '')
  })

  it('have the attributes that the configuration says', () => {
    const plain = { baseUrl: '', socket: {} }
    assert.match(setCookie('x', plain, settings.now), /^AuthSession=x; Version=1; Expires=\w{3}, \d\d-\w{3}-\d{4} \d\d:\d\d:\d\d GMT; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    const other = secretsWith({ allow_persistent_cookies: false, cookie_domain: 'example.com', same_site: 'STRICT' }).settings
    assert.equal(setCookie('x', { baseUrl: '/db', socket: { encrypted: true } }, other.now), 'AuthSession=x; Version=1; Domain=example.com; Path=/db; Secure; HttpOnly; SameSite=Strict')
    for (const none of ['', 'nonsense']) assert.doesNotMatch(setCookie('x', plain, secretsWith({ same_site: none }).settings.now), /SameSite/)
  })

  it('take the place of ours and leave others\'', () => {
    const headers = new Map([['Set-Cookie', ['their=1', 'AuthSession=old; Path=/']]])
    addCookie({ getHeader: name => headers.get(name), setHeader: (name, value) => headers.set(name, value) }, 'AuthSession=new')
    assert.deepEqual(headers.get('Set-Cookie'), ['their=1', 'AuthSession=new'])
  })
})
