'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { get, put, request } = require('./support/request')

describe('Headers that browsers and scanners look for', () => {
  const db = new TestDatabase()

  before(async function () {
    // CouchDB has them from a proxy before it.
    if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip()
  })

  async function configured (section, values, action) {
    const path = key => `/_node/_local/_config/${section}/${key}`
    for (const [key, value] of Object.entries(values)) assert.equal((await put(path(key), JSON.stringify(value))).status, 200)
    try {
      await action()
    } finally {
      for (const key of Object.keys(values)) await request('DELETE', path(key))
    }
  }

  it('are in every answer', async () => {
    const rev = await db.write('d')
    await db.put(`d/a?rev=${rev}`, '<script>alert(1)</script>', { headers: { 'Content-Type': 'text/html' } })
    for (const path of ['/', '/none', '/%zz', '/_utils/', db.path('d'), db.path('_all_docs'), db.path('d/a')]) {
      const { headers } = await get(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('referrer-policy'), 'same-origin', path)
      assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN', path)
      assert.equal(headers.get('x-powered-by'), null)
      assert.match(headers.get('server'), /^CouchDB\/3[.\d]+ \(Potoroo\/[.\d]+\)$/)
    }
    assert.equal((await db.get('d/a')).headers.get('content-security-policy'), 'sandbox')
  })

  it('say no versions where [chttpd] server_header_versions is false', async () => {
    await configured('chttpd', { server_header_versions: 'false' }, async () => {
      assert.equal((await get('/')).headers.get('server'), 'CouchDB')
    })
  })

  it('let themselves be framed as [x_frame_options] says', async () => {
    const frame = async () => (await get('/')).headers.get('x-frame-options')
    await configured('chttpd', { enable_xframe_options: 'true' }, async () => {
      assert.equal(await frame(), 'DENY')
      await configured('x_frame_options', { same_origin: 'true' }, async () => assert.equal(await frame(), 'SAMEORIGIN'))
      await configured('x_frame_options', { hosts: '*' }, async () => assert.match(await frame(), /^ALLOW-FROM http:\/\//))
    })
    await configured('chttpd', { enable_xframe_options: 'false' }, async () => assert.equal(await frame(), null))
  })

  it('hold nothing that came in a name or a type of an attachment', async () => {
    const types = ['text/plain\r\nX-Injected: 1', 'text/plain\nX-Injected: 1', 'text/plain\0', 'text/\u6f22', 'x'.repeat(5000)]
    for (const [index, type] of types.entries()) {
      const { status } = await db.put(`t${index}`, { _attachments: { a: { content_type: type, data: 'YQ==' } } })
      if (status !== 201) continue
      for (const headers of [{}, { Range: 'bytes=0-0' }, { Accept: 'multipart/related' }, { Range: 'bytes=0-0,0-0' }]) {
        const answer = await db.get(`t${index}/a`, { headers })
        assert.ok(answer.status < 300, `${index}: ${answer.status}`)
        assert.equal(answer.headers.get('x-injected'), null)
      }
      assert.ok((await db.get(`t${index}?attachments=true`, { headers: { Accept: 'multipart/related' } })).status === 200)
    }
    const name = 'a"\r\nX-Injected: 1\r\n'
    assert.equal((await db.put('n', { _attachments: { [name]: { content_type: 'text/plain', data: 'YQ==' } } })).status, 201)
    const related = await db.get('n?attachments=true', { headers: { Accept: 'multipart/related' } })
    assert.equal(related.status, 200)
    assert.ok(!/^X-Injected/m.test(related.text), related.text)
    const injected = await put(`${db.path('x')}/${encodeURIComponent(name)}`, 'a', { headers: { 'Content-Type': 'text/plain' } })
    assert.equal(injected.headers.get('x-injected'), null)
    const id = await put(db.path(encodeURIComponent('i\r\nX-Injected: 1')), {})
    assert.equal(id.headers.get('x-injected'), null)
  })
})
