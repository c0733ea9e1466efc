'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')
const { put, remove, request } = require('./support/request')
const { server } = require('./support/server')
const { setting } = require('./support/setting')

/** CouchDB believes everybody: see docs/differences.md. */
const ours = process.env.TEST_URL === undefined

describe('Location', () => {
  const db = new TestDatabase()
  const locationOf = ({ headers }) => headers.get('location')

  it('keeps colons, and escapes what CouchDB escapes', async () => {
    const base = server.origin + db.path()
    assert.equal(locationOf(await db.put('org:a', {})), `${base}/org:a`)
    assert.equal(locationOf(await db.put('a%3Ab.c-d_e', {})), `${base}/a:b.c-d_e`)
    assert.equal(locationOf(await db.put("!'()*~+%20é", {})), `${base}/%21%27%28%29%2A%7E%20%20%C3%A9`)
    assert.equal(locationOf(await db.put('_design/x:y', {})), `${base}/_design%2Fx:y`)
    assert.equal(locationOf(await db.post('', { _id: 'x:y' })), `${base}/x:y`)
    assert.equal(locationOf(await db.put('doc:1/att:a', 'x')), `${base}/doc:1/att:a`)
    assert.equal(locationOf(await request('COPY', db.path('x:y'), { headers: { Destination: 'x:z' } })), `${base}/x:z`)
  })

  it('of a database is where it was asked', async () => {
    const name = `${db.name}-(b)`
    assert.equal(locationOf(await put(`/${name}`)), `${server.origin}/${db.name}-%28b%29`)
    await remove(`/${name}`)
  })

  it('without a Host is the address that was connected to', async () => {
    const connection = await RawConnection.open()
    await connection.send(`PUT ${db.path('old')} HTTP/1.0\r\nAuthorization: ${server.authorization}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
    assert.ok((await connection.closed()).includes(`\r\nLocation: http://127.0.0.1:${new URL(server.origin).port}${db.path('old')}\r\n`))
  })

  const proxied = { 'X-Forwarded-Host': 'db.example.org:8443, inner', 'X-Forwarded-Proto': 'https' }
  const via = headers => db.put(`d${Math.random()}`, {}, { headers }).then(locationOf).then(location => location.replace(/d0\.\d+$/, 'd'))

  it('is not what clients say that a proxy said', async function () {
    if (!ours) this.skip()
    assert.equal(await via(proxied), `${server.origin}${db.path('d')}`)
    assert.equal(await via({ 'X-Forwarded-Ssl': 'on' }), `${server.origin}${db.path('d')}`)
  })

  describe('behind a proxy that is trusted', () => {
    before(function () { if (!ours) this.skip() })
    setting('chttpd', 'trusted_proxies', 'loopback')

    it('is what the proxy was asked', async () => {
      const path = db.path('d')
      const { host } = new URL(server.origin)
      assert.equal(await via(proxied), `https://db.example.org:8443${path}`)
      assert.equal(await via({ 'X-Forwarded-Host': 'db.example.org' }), `http://db.example.org${path}`)
      assert.equal(await via({ 'X-Forwarded-Ssl': 'on' }), `https://${host}${path}`)
      assert.equal(await via({ 'X-Forwarded-Ssl': 'off', 'X-Forwarded-Proto': 'https' }), `https://${host}${path}`)
      assert.equal(await via({ 'X-Forwarded-Proto': 'javascript' }), `http://${host}${path}`)
      assert.equal(locationOf(await put(`/${db.name}-proxied`, undefined, { headers: proxied })), `https://db.example.org:8443/${db.name}-proxied`)
      await remove(`/${db.name}-proxied`)
    })

    it('is no host that is none', async () => {
      for (const host of ['a/b', 'a@b', 'a?b', 'a b', '']) assert.equal(await via({ 'X-Forwarded-Host': host }), `${server.origin}${db.path('d')}`, host)
    })

    describe('by headers of other names', () => {
      setting('chttpd', 'x_forwarded_host', 'X-Asked')
      setting('chttpd', 'x_forwarded_proto', 'X-Scheme')

      it('is what those say', async () => {
        assert.equal(await via({ 'X-Asked': 'other.example', 'X-Scheme': 'https', ...proxied }), `https://other.example${db.path('d')}`)
      })
    })
  })
})
