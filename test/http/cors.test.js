'use strict'

const assert = require('node:assert/strict')
const { request, get } = require('./support/request')

// Requests as a browser makes them of itself before and with a request of PouchDB's from another origin.
describe('cross-origin requests', () => {
  const origin = 'http://localhost:8080'
  const preflight = (headers = {}) => request('OPTIONS', '/some-database/doc', {
    headers: { Authorization: '', Origin: origin, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'authorization,content-type', ...headers }
  })

  before(async function () {
    // A CouchDB has to be told.
    if ((await get('/', { headers: { Origin: origin } })).headers.get('access-control-allow-origin') === null) this.skip()
  })

  it('are asked for and allowed, with credentials', async () => {
    const { status, headers } = await preflight()
    assert.ok(status === 200 || status === 204)
    assert.equal(headers.get('access-control-allow-origin'), origin)
    assert.equal(headers.get('access-control-allow-credentials'), 'true')
    const methods = headers.get('access-control-allow-methods')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'COPY']) assert.ok(methods.includes(method), method)
    const allowed = headers.get('access-control-allow-headers').toLowerCase()
    for (const name of ['accept', 'authorization', 'content-type', 'if-match']) assert.ok(allowed.includes(name), name)
  })

  it('carry the origin in every answer, errors too', async () => {
    for (const path of ['/', '/no-such-database', '/%zz']) {
      const { headers } = await get(path, { headers: { Origin: origin } })
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.equal(headers.get('access-control-allow-credentials'), 'true')
      assert.match(headers.get('vary'), /origin/i)
    }
    const { headers } = await get('/', { headers: { Origin: origin } })
    assert.match(headers.get('access-control-expose-headers').toLowerCase(), /etag/)
  })

  it('are for pages of this machine alone, unless somebody says otherwise', async () => {
    for (const other of ['https://example.com', 'http://localhost.example.com', 'http://127.0.0.1.example.com', 'null', 'http://localhost:8080@example.com']) {
      const { headers } = await preflight({ Origin: other })
      assert.equal(headers.get('access-control-allow-origin'), null, other)
      assert.equal((await get('/', { headers: { Origin: other } })).headers.get('access-control-allow-origin'), null)
    }
  })

  it('are refused where a name is none that a page could have', async () => {
    const path = '/_node/_local/_config/cors/origins'
    const { body: before } = await get(path)
    try {
      for (const other of ['app.example.com', 'https://app.example.com/', 'foo bar', 'loopback, https://a.example/x']) {
        const { status, body } = await request('PUT', path, { body: JSON.stringify(other) })
        assert.deepEqual([status, body.error], [400, 'bad_request'], other)
      }
      for (const origins of ['*', 'null', 'loopback, https://app.example.com:8443', 'capacitor://localhost,file://', 'http://[::1]:80', '']) {
        assert.equal((await request('PUT', path, { body: JSON.stringify(origins) })).status, 200, origins)
      }
    } finally {
      await request('PUT', path, { body: JSON.stringify(before) })
    }
  })

  it('follow the configuration at once', async () => {
    const path = '/_node/_local/_config/cors/origins'
    const { body: before } = await get(path)
    try {
      await request('PUT', path, { body: '"https://example.com"' })
      assert.equal((await preflight({ Origin: 'https://example.com' })).headers.get('access-control-allow-origin'), 'https://example.com')
      assert.equal((await preflight()).headers.get('access-control-allow-origin'), null)
    } finally {
      await request('PUT', path, { body: JSON.stringify(before) })
    }
    assert.equal((await preflight()).headers.get('access-control-allow-origin'), origin)
  })
})
