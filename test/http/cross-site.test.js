'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, request } = require('./support/request')
const { server } = require('./support/server')

// Headers that a browser adds to a request that some page made it send.
describe('Writes with a session, from pages', () => {
  const db = new TestDatabase()
  const own = () => new URL(server.origin)
  let cookie

  before(async function () {
    // CouchDB leaves this to SameSite.
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
    const { username: name, password } = server.credentials
    const { status, headers } = await post('/_session', { name, password }, { headers: { Authorization: '' } })
    assert.equal(status, 200)
    cookie = headers.get('set-cookie').split(';')[0]
  })

  const send = (method, path, headers, body = undefined) => request(method, db.path(path), { body, headers: { Authorization: '', Cookie: cookie, ...headers } })

  /** Every kind of write, as a page of another origin can have it sent. */
  const writes = [
    ['POST', '', { 'Content-Type': 'text/plain' }, '{"_id":"x"}'],
    ['POST', '_bulk_docs', { 'Content-Type': 'text/plain' }, '{"docs":[{"_id":"x"}]}'],
    ['POST', '', { 'Content-Type': 'application/json' }, '{"_id":"x"}'],
    ['PUT', 'x', {}, '{}'],
    ['PUT', 'x/a', { 'Content-Type': 'text/plain' }, 'a'],
    ['PUT', '_local/x', {}, '{}'],
    ['PUT', '_security', {}, '{}'],
    ['DELETE', 'existing', {}],
    ['POST', '_compact', { 'Content-Type': 'application/json' }, ''],
    ['DELETE', '', {}]
  ]

  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'https://127.0.0.1.evil.example:5984']) {
    it(`are refused to ${origin}`, async () => {
      await db.write('existing')
      for (const [method, path, headers, body] of writes) {
        const answer = await send(method, path, { Origin: origin, ...headers }, body)
        assertRefused(answer, 403, 'forbidden', /session/)
      }
      assert.equal((await db.get('')).body.doc_count, 1)
    })
  }

  it('are refused where the browser says that it is another site\'s, with an origin or without', async () => {
    for (const site of ['cross-site', 'same-site']) {
      assertRefused(await send('PUT', 'x', { 'Sec-Fetch-Site': site }, '{}'), 403, 'forbidden')
      assertRefused(await send('PUT', 'x', { 'Sec-Fetch-Site': site, Origin: 'https://evil.example' }, '{}'), 403, 'forbidden')
    }
  })

  it('are refused to forms of older browsers, which name only their page', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      assertRefused(await send('POST', '', { 'Content-Type': type, Referer: 'https://evil.example/page' }, '{"a":1}'), 403, 'forbidden')
    }
  })

  it('are allowed to pages of this server, and of this machine', async () => {
    const { host } = own()
    for (const [index, headers] of [{ Origin: `http://${host}` }, { Origin: `https://${host}` }, { Origin: 'http://localhost:8080' }, { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' }, { Origin: 'https://potoroo.example', 'X-Forwarded-Host': 'potoroo.example' }].entries()) {
      assert.equal((await send('PUT', `d${index}`, headers, '{}')).status, 201, JSON.stringify(headers))
    }
  })

  it('are allowed to the origins of [cors], but not to everybody where it has *', async () => {
    const path = '/_node/_local/_config/cors/origins'
    const { body: usual } = await get(path)
    try {
      await request('PUT', path, { body: '"https://app.example"' })
      assert.equal((await send('PUT', 'a', { Origin: 'https://app.example' }, '{}')).status, 201)
      assert.equal((await send('PUT', 'b', { Origin: 'https://other.example' }, '{}')).status, 403)
      await request('PUT', path, { body: '"*"' })
      assert.equal((await send('PUT', 'c', { Origin: 'https://other.example' }, '{}')).status, 403)
    } finally {
      await request('PUT', path, { body: JSON.stringify(usual) })
    }
  })

  it('are allowed to what is no browser, as ever', async () => {
    assert.equal((await send('PUT', 'a', {}, '{}')).status, 201)
    assert.equal((await send('POST', '_bulk_docs', { 'Content-Type': 'application/json' }, '{"docs":[{}]}')).status, 201)
  })

  it('and reading is CORS\'s business, as are those who bring their password', async () => {
    await db.write('a')
    const read = await send('GET', 'a', { Origin: 'https://evil.example' })
    assert.equal(read.status, 200)
    assert.equal(read.headers.get('access-control-allow-origin'), null)
    assert.equal((await db.put('b', {}, { headers: { Origin: 'https://evil.example' } })).status, 201)
  })

  it('need JSON where a form could send them', async () => {
    const { host } = own()
    for (const [path, body] of [['', '{}'], ['_bulk_docs', '{"docs":[{}]}'], ['_purge', '{}'], ['_find', '{"selector":{}}'], ['_index', '{}']]) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        assertRefused(await send('POST', path, { 'Content-Type': type, Origin: `http://${host}` }, body), 415, 'bad_content_type')
      }
    }
  })

  it('have no answer that a page could run as a script', async () => {
    await db.write('a')
    for (const path of ['', '_all_docs', 'a', '_changes']) {
      const { text, headers } = await send('GET', `${path}?callback=steal`, { Accept: 'application/javascript' })
      assert.ok(!text.includes('steal('), text)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
  })

  it('cannot be made by GET: nothing that GET reads changes anything', async () => {
    await db.write('existing')
    const before = await db.contents()
    for (const path of ['_compact', '_view_cleanup', '_ensure_full_commit', '_purge', '_bulk_docs', '_index/_bulk_delete', '_revs_limit?value=1', 'existing?_deleted=true', 'existing?batch=ok&_method=DELETE']) await send('GET', path, {})
    await send('GET', 'existing', { 'X-HTTP-Method-Override': 'DELETE' })
    assert.deepEqual(await db.contents(), before)
    assert.equal((await db.get('_revs_limit')).body, 1000)
  })
})
