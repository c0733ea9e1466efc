'use strict'

const assert = require('node:assert/strict')
const { serve } = require('..')

const basic = (name, password) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

describe('a flood of wrong passwords', function () {
  this.timeout(600_000)

  let server

  before(async () => {
    server = await serve({
      port: 0,
      storage: 'memory',
      admins: { anna: 'secret' },
      log: () => {},
      config: { chttpd: { trusted_proxies: 'loopback' }, chttpd_auth: { iterations: 40000 } }
    })
  })
  after(() => server.close())

  const session = (name, password, client) => fetch(`${server.url}/_session`, { headers: { Authorization: basic(name, password), 'X-Forwarded-For': client } })

  it('holds up neither who was known, nor who logs in from elsewhere, nor who asks for nothing', async () => {
    assert.equal((await session('anna', 'secret', '192.0.2.1')).status, 200)
    let over = 0
    const flood = Promise.all(Array.from({ length: 60 }, async (_, i) => {
      const { status } = await session(`nobody ${i}`, 'x', '192.0.2.66')
      over++
      return status
    }))
    assert.equal((await session('anna', 'secret', '192.0.2.1')).status, 200)
    assert.equal((await fetch(server.url)).status, 200)
    assert.equal((await session('anna', 'wrong', '192.0.2.2')).status, 401)
    assert.equal((await session('someone', 'wrong', '192.0.2.3')).status, 401)
    // Without turns, all of it would have gone before.
    assert.ok(over < 40, `${over} of the flood were answered before`)
    assert.ok((await flood).every(status => status === 401))
  })
})
