'use strict'

const assert = require('node:assert/strict')
const { RawConnection } = require('./support/raw')
const { TestDatabase } = require('./support/database')
const { request, get, put, head } = require('./support/request')

// A CouchDB may have been built without it.
describe('Fauxton', function () {
  const policy = "child-src 'self' data: blob:; default-src 'self'; img-src 'self' data:; font-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; frame-src https://blog.couchdb.org;"
  let page

  before(async function () {
    page = await get('/_utils/')
    if (page.status === 404) this.skip()
  })

  it('is a page at /_utils/, to which /_utils leads', async () => {
    const { status, headers } = await get('/_utils')
    assert.equal(status, 301)
    assert.match(headers.get('location'), /\/_utils\/$/)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type'), /^text\/html/)
    assert.match(page.text, /<title>Project Fauxton<\/title>/)
    assert.equal(page.headers.get('cache-control'), 'private, must-revalidate')
    assert.deepEqual((await get('/_utils/index.html')).bytes, page.bytes)
  })

  it('needs nobody to have logged in, and lets nobody write', async () => {
    assert.equal((await get('/_utils/', { headers: { Authorization: '' } })).status, 200)
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const { status, headers } = await request(method, '/_utils/index.html')
      assert.equal(status, 405)
      assert.equal(headers.get('allow'), 'GET,HEAD')
    }
  })

  it('has all that its page loads, each of its type', async () => {
    const places = [...page.text.matchAll(/(?:src|href)="(dashboard\.assets\/[^"]+)"/g)].map(([, place]) => place)
    assert.ok(places.length >= 5)
    const types = { '.js': /^(text|application)\/javascript/, '.css': /^text\/css/, '.png': /^image\/png/ }
    for (const place of places) {
      const { status, headers, bytes } = await get(`/_utils/${place}`)
      assert.equal(status, 200)
      assert.equal(Number(headers.get('content-length')), bytes.length)
      assert.match(headers.get('content-type'), types[/\.\w+$/.exec(place)[0]])
    }
  })

  it('answers HEAD with the same headers', async () => {
    const { status, headers, bytes } = await head('/_utils/')
    assert.equal(status, 200)
    assert.equal(bytes.length, 0)
    for (const name of ['content-length', 'content-type', 'etag', 'content-security-policy']) assert.equal(headers.get(name), page.headers.get(name))
  })

  it('is not sent again to who has it', async () => {
    const etag = page.headers.get('etag')
    // fetch adds a Cache-Control that asks for it all the same.
    const connection = await RawConnection.open()
    await connection.request('GET', '/_utils/', { 'If-None-Match': etag, Connection: 'close' })
    assert.match(await connection.closed(), /^HTTP\/1\.1 304 [^]*\r\n\r\n$/)
    assert.equal((await get('/_utils/', { headers: { 'If-None-Match': '"another"' } })).status, 200)
    assert.equal((await get('/_utils/', { headers: { 'If-Match': '"another"' } })).status, 412)
  })

  it('is sent in ranges', async () => {
    const { status, headers, bytes } = await get('/_utils/', { headers: { Range: 'bytes=10-19' } })
    assert.equal(status, 206)
    assert.equal(headers.get('content-range'), `bytes 10-19/${page.bytes.length}`)
    assert.deepEqual(bytes, page.bytes.subarray(10, 20))
    const beyond = await get('/_utils/', { headers: { Range: 'bytes=900000-' } })
    assert.equal(beyond.status, 416)
    assert.equal(beyond.headers.get('content-range'), `bytes */${page.bytes.length}`)
  })

  for (const path of ['/../package.json', '/%2e%2e/package.json', '/dashboard.assets/..%2f..%2fpackage.json', '/..%5c..%5cpackage.json', '//etc/passwd',
    '/dashboard.assets', '/dashboard.assets/', '/index.html/', '/index.html%00.png', '/.git/config', '/nowhere']) {
    it(`has nothing at ${path}`, async () => {
      const connection = await RawConnection.open()
      await connection.request('GET', `/_utils${path}`, { Connection: 'close' })
      const answer = await connection.closed()
      assert.match(answer, /^HTTP\/1\.1 404 /)
      assert.match(answer, /\{"error":"not_found","reason":"missing"\}/)
    })
  }

  it('leads from /_utils/docs to the documentation, and nowhere else', async () => {
    const places = {
      '/_utils/docs': '',
      '/_utils/docs/index.html': 'index.html',
      '/_utils/docs/intro/api.html%23x': 'intro/api.html#x',
      '/_utils/docs/%0d%0aSet-Cookie:a=b': '%0D%0ASet-Cookie:a=b',
      '/_utils/docs//evil.example/': 'evil.example'
    }
    for (const [path, place] of Object.entries(places)) {
      const { status, headers } = await get(path)
      assert.equal(status, 302)
      assert.equal(headers.get('location'), `https://docs.couchdb.org/en/stable/${place}`)
    }
  })

  it('lets those log in who are sent to session.html', async () => {
    const { status, headers } = await get('/_utils/session.html?return=%2Ftodos&reason=x')
    assert.equal(status, 302)
    assert.match(headers.get('location'), /\/_utils\/#\/login$/)
  })

  describe('has a Content-Security-Policy that', () => {
    const node = '/_node/_local/_config/csp'
    const db = new TestDatabase()
    const changed = []

    async function configure (key, value) {
      changed.push(key)
      assert.equal((await put(`${node}/${key}`, JSON.stringify(value))).status, 200)
    }

    const policyOf = async path => (await get(path)).headers.get('content-security-policy')

    afterEach(async () => {
      for (const key of changed.splice(0)) await request('DELETE', `${node}/${key}`)
    })

    it('is CouchDB\'s', async () => assert.equal(await policyOf('/_utils/'), policy))

    it('is what [csp] utils_header_value says', async () => {
      await configure('utils_header_value', "default-src 'none'")
      assert.equal(await policyOf('/_utils/'), "default-src 'none'")
    })

    it('goes with [csp] utils_enable, and the older enable', async () => {
      await configure('utils_enable', 'false')
      assert.equal(await policyOf('/_utils/'), policy)
      await configure('header_value', "default-src 'self'")
      assert.equal(await policyOf('/_utils/'), "default-src 'self'")
      await configure('enable', 'false')
      assert.equal(await policyOf('/_utils/'), null)
    })

    it('is that of [csp] attachments_… for an attachment', async () => {
      await put(db.path('doc/note.html'), '<p>', { headers: { 'Content-Type': 'text/html' } })
      const path = db.path('doc/note.html')
      assert.equal(await policyOf(path), 'sandbox')
      await configure('attachments_header_value', 'sandbox allow-scripts')
      assert.equal(await policyOf(path), 'sandbox allow-scripts')
      await configure('attachments_enable', 'false')
      assert.equal(await policyOf(path), null)
    })
  })
})
