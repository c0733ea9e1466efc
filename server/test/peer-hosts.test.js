'use strict'

const assert = require('node:assert/strict')
const { Config } = require('../lib/config/config')
const { peerHosts } = require('../lib/replication/peer-hosts')

const USER = { name: 'ann', roles: [] }

describe('hosts that users may have replications ask', () => {
  const listening = [{ address: '0.0.0.0', port: 5984, family: 'IPv4' }]
  const may = (settings, host, address = null, { port = 80, user = USER } = {}) =>
    peerHosts(new Config(null, { replicator: settings }), () => listening).refusal(/** @type {any} */ (user), { host, address, port }) === null

  it('are all but this machine, its link and the metadata of clouds', () => {
    for (const address of ['10.1.2.3', '192.168.0.1', '172.16.0.1', '8.8.8.8', 'fd12::1', '2001:db8::1', '::ffff:10.0.0.1']) assert.ok(may({}, 'db.example.org', address), address)
    for (const address of ['127.0.0.1', '0.0.0.0', '::', '::1', '169.254.1.1', 'fe80::1', 'febf::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', 'fe80::1%eth0']) assert.ok(!may({}, 'db.example.org', address), address)
  })

  it('are all for administrators', () => {
    assert.ok(may({ denied_hosts: '*' }, '127.0.0.1', '127.0.0.1', { user: { name: 'root', roles: ['_admin'] } }))
  })

  it('are this server at its own port alone', () => {
    assert.ok(may({}, 'localhost', '127.0.0.1', { port: 5984 }))
    assert.ok(!may({}, 'localhost', '127.0.0.1', { port: 5985 }))
    assert.ok(!may({}, 'localhost', '::1', { port: 5984 }), 'where it does not listen')
    assert.ok(!may({ denied_hosts: 'localhost' }, 'localhost', '127.0.0.1', { port: 5984 }))
  })

  it('are those below a name, or the name', () => {
    const settings = { allowed_hosts: '*.example.org, db.example.com' }
    for (const host of ['a.example.org', 'a.b.example.org.', 'A.EXAMPLE.ORG', 'db.example.com']) assert.ok(may(settings, host, '192.0.2.1'), host)
    for (const host of ['example.org', 'xexample.org', 'a.db.example.com', 'example.com', 'a.example.org.evil.test']) assert.ok(!may(settings, host, '192.0.2.1'), host)
  })

  it('are no special ones by a wildcard, which somebody else may have lead anywhere', () => {
    assert.ok(!may({ allowed_hosts: '*' }, 'a.example.org', '169.254.169.254'))
    assert.ok(!may({ allowed_hosts: '*.example.org' }, 'a.example.org', '127.0.0.1'))
    assert.ok(may({ allowed_hosts: 'a.example.org' }, 'a.example.org', '127.0.0.1'))
    assert.ok(may({ allowed_hosts: '127.0.0.0/8' }, 'a.example.org', '::ffff:127.0.0.1'))
  })

  it('are denied before they are allowed', () => {
    const settings = { allowed_hosts: '10.0.0.0/8', denied_hosts: '10.1.0.0/16' }
    assert.ok(may(settings, 'a', '10.2.0.1'))
    assert.ok(!may(settings, 'a', '10.1.0.1'))
    assert.ok(!may(settings, 'a', '::ffff:10.1.0.1'))
  })

  it('are judged by name where only a proxy knows the address', () => {
    assert.ok(may({}, 'db.example.org'))
    assert.ok(!may({}, 'metadata.google.internal'))
    assert.ok(!may({ denied_hosts: '*.internal' }, 'db.internal'))
  })
})
