'use strict'

const assert = require('node:assert/strict')
const { authSettings } = require('../lib/auth/auth-settings')
const { clientAddress } = require('../lib/auth/client-address')
const { TrustedProxies } = require('../lib/auth/trusted-proxies')
const { ProxyHandler } = require('../lib/auth/proxy-handler')
const { Secrets } = require('../lib/auth/secrets')
const { Config } = require('../lib/config/config')

function handlerWith (values) {
  const config = new Config(null, values)
  const settings = authSettings(config)
  return { handler: new ProxyHandler(settings, new Secrets(settings, config)), settings }
}

const requestWith = (...pairs) => ({
  rawHeaders: pairs.flat(),
  headers: pairs.reduce((headers, [name, value]) => {
    const key = name.toLowerCase()
    return { ...headers, [key]: Object.hasOwn(headers, key) ? `${headers[key]}, ${value}` : value }
  }, {})
})

describe('what proxies say', () => {
  const { handler } = handlerWith({})
  const NAME = ['X-Auth-CouchDB-UserName', 'jan']

  it('is not believed where somebody else has said it, too', () => {
    assert.equal(handler.authenticate(requestWith(NAME)).name, 'jan')
    assert.equal(handler.authenticate(requestWith(NAME, ['x-auth-couchdb-username', 'anna'])), null)
    assert.equal(handler.authenticate(requestWith(NAME, ['X-Auth-CouchDB-Roles', 'a'], ['X-Auth-CouchDB-Roles', '_admin'])), null)
    assert.equal(handler.authenticate(requestWith(['X-Auth-CouchDB-UserName', ''])), null)
  })

  it('is UTF-8', () => {
    const name = Buffer.from('Zoë').toString('latin1')
    assert.equal(handler.authenticate(requestWith(['X-Auth-CouchDB-UserName', name])).name, 'Zoë')
  })

  it('of a client\'s address is believed from trusted proxies alone', () => {
    const from = (remoteAddress, forwarded, trusted = 'unix', header = '') =>
      clientAddress({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded, 'x-real-ip': '198.51.100.1' } }, { header, proxies: new TrustedProxies(trusted) })
    const forwarded = '203.0.113.9, 198.51.100.7'
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '::ffff:10.0.0.1', '203.0.113.1']) assert.equal(from(address, forwarded), address)
    assert.equal(from(undefined, forwarded), '198.51.100.7')
    assert.equal(from(undefined, forwarded, '10.0.0.1'), '')
    const trusted = '10.0.0.0/8, loopback, 2001:db8::/32, 192.0.2.1'
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', '::1', '2001:db8::5', '192.0.2.1']) assert.equal(from(address, forwarded, trusted), '198.51.100.7', address)
    for (const address of ['11.0.0.1', '::ffff:11.0.0.1', '2001:db9::5', '192.0.2.2', undefined]) assert.equal(from(address, forwarded, trusted), address ?? '', address)
    assert.equal(from('10.0.0.1', undefined, trusted), '10.0.0.1')
    // Proxies behind proxies, and what a client makes up.
    assert.equal(from('10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2,  192.0.2.1', trusted), '203.0.113.9')
    assert.equal(from('10.0.0.1', '10.0.0.3, 10.0.0.2', trusted), '10.0.0.3')
    assert.equal(from('10.0.0.1', '', trusted), '10.0.0.1')
    assert.equal(from('10.0.0.1', forwarded, trusted, 'x-real-ip'), '198.51.100.1')
    assert.equal(from('203.0.113.1', forwarded, trusted, 'x-real-ip'), '203.0.113.1')
  })

  it('is found under the names that the older section of the configuration has', () => {
    const old = { couch_httpd_auth: { x_auth_username: 'X-Old', timeout: 77, require_valid_user: true } }
    const { handler: other, settings } = handlerWith(old)
    assert.equal(other.authenticate(requestWith(['X-Old', 'jan'])).name, 'jan')
    assert.equal(settings.now.timeout, 77)
    assert.equal(handlerWith({ ...old, chttpd_auth: { timeout: 99 } }).settings.now.timeout, 99)
    for (const bad of ['x', '-1', '0', '1.5', '']) assert.equal(handlerWith({ chttpd_auth: { timeout: bad } }).settings.now.timeout, 600, bad)
  })
})
