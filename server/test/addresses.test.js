'use strict'

const assert = require('node:assert/strict')
const { Config } = require('../lib/config/config')
const { addresses } = require('../lib/transport/addresses')

const of = (chttpd, options = {}) => addresses(new Config(null, { chttpd }), options)

describe('addresses to listen on', () => {
  it('are the one by default where none is named', () => {
    for (const bind of ['', ' ', ' , ']) {
      assert.deepEqual(of({ bind_address: bind }), [{ host: '127.0.0.1', port: 5984, secure: false }], bind)
    }
    assert.deepEqual(of({ bind_address: '' }, { host: '::1', port: 1 }), [{ host: '::1', port: 1, secure: false }])
  })

  it('are sockets, and hosts', () => {
    assert.deepEqual(of({ bind_address: 'any, unix:/run/p.sock', port: 1 }), [
      { host: undefined, port: 1, secure: false },
      { path: '/run/p.sock', mode: 0o660, secure: false }
    ])
  })

  it('have the permissions by default where those of the file make no sense', () => {
    const modeOf = mode => of({ bind_address: '/run/p.sock', socket_mode: mode })[0].mode
    assert.deepEqual(['', '0', '888', 'rw', '600', '0777'].map(modeOf), [0o660, 0o660, 0o660, 0o660, 0o600, 0o777])
  })
})
