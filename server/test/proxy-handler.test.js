'use strict'

const assert = require('node:assert/strict')
const { AuthSettings } = require('../lib/auth/auth-settings')
const { clientAddress } = require('../lib/auth/client-address')
const { ProxyHandler } = require('../lib/auth/proxy-handler')
const { Secrets } = require('../lib/auth/secrets')
const { Config } = require('../lib/config')

function handlerWith (values) {
  const config = new Config(null, values)
  const settings = new AuthSettings(config)
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

  it('of a client\'s address is believed from private networks alone', () => {
    const from = (remoteAddress, headers = {}) => clientAddress({ socket: { remoteAddress }, headers }, '')
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '::ffff:10.0.0.1', undefined]) assert.equal(from(address, forwarded), '198.51.100.7', address)
    for (const address of ['203.0.113.1', '172.32.0.1', '2001:db8::1', '11.0.0.1']) assert.equal(from(address, forwarded), address)
    assert.equal(from('10.0.0.1'), '10.0.0.1')
    assert.equal(clientAddress({ socket: { remoteAddress: '203.0.113.1' }, headers: { 'x-real-ip': '198.51.100.7' } }, 'x-real-ip'), '198.51.100.7')
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
