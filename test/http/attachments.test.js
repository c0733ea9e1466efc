'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const zlib = require('node:zlib')
const { TestDatabase } = require('./support/database')
const { parts } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')
const { head } = require('./support/request')

const as = type => ({ headers: { 'Content-Type': type } })
const md5 = bytes => crypto.createHash('md5').update(bytes).digest('base64')

describe('Attachments', () => {
  const db = new TestDatabase()

  describe('PUT', () => {
    it('creates the document where there is none', async () => {
      const { status, body, headers } = await db.put('d/a.bin', Buffer.from([0, 1, 255]), as('application/x-test'))
      assert.equal(status, 201)
      assert.equal(body.id, 'd')
      assert.match(body.rev, /^1-/)
      assert.match(headers.get('location'), /\/d\/a\.bin$/)
      const read = await db.get('d/a.bin')
      assert.deepEqual([...read.bytes], [0, 1, 255])
      assert.equal(read.headers.get('content-type'), 'application/x-test')
    })

    it('adds to a document, replaces, and keeps the rest of it', async () => {
      let rev = await db.write('d', { n: 1, _attachments: { a: { content_type: 'text/plain', data: 'YQ==' } } })
      rev = (await db.put(`d/b?rev=${rev}`, 'two', as('text/plain'))).body.rev
      const { status } = await db.put('d/b', 'three', { headers: { 'Content-Type': 'text/css', 'If-Match': rev } })
      assert.equal(status, 201)
      const { body } = await db.get('d')
      assert.equal(body.n, 1)
      assert.deepEqual(Object.keys(body._attachments).sort(), ['a', 'b'])
      assert.equal(body._attachments.a.revpos, 1)
      assert.equal(body._attachments.a.stub, true)
      assert.equal(body._attachments.b.revpos, 3)
      assert.equal(body._attachments.b.content_type, 'text/css')
      assert.equal((await db.get('d/a')).text, 'a')
      assert.equal((await db.get('d/b')).text, 'three')
    })

    it('refuses without the revision, with an old one, and with an unknown one', async () => {
      const rev = await db.write('d')
      assertRefused(await db.put('d/a', 'x', as('text/plain')), 409, 'conflict', 'Document update conflict.')
      await db.put('d', { _rev: rev })
      assertRefused(await db.put(`d/a?rev=${rev}`, 'x', as('text/plain')), 409, 'conflict', 'Document update conflict.')
      for (const id of ['d', 'none']) {
        const unknown = `${id}/a?rev=7-00000000000000000000000000000000`
        assertRefused(await db.put(unknown, 'x', as('text/plain')), 409, 'not_found', 'missing_rev')
        assertRefused(await db.remove(unknown), 409, 'not_found', 'missing_rev')
      }
      assert.equal((await db.get('d')).body._attachments, undefined)
    })

    it('takes large content as it is', async () => {
      const content = crypto.randomBytes(3 * 1024 * 1024 + 17)
      const { status } = await db.put('d/large', content, as('application/octet-stream'))
      assert.equal(status, 201)
      const read = await db.get('d/large')
      assert.equal(read.headers.get('content-length'), String(content.length))
      assert.ok(read.bytes.equals(content))
      assert.equal((await db.get('d')).body._attachments.large.length, content.length)
    })

    it('takes content of unknown length, and none', async () => {
      const stream = new ReadableStream({
        start (controller) {
          for (const text of ['one ', 'two ', 'three']) controller.enqueue(Buffer.from(text))
          controller.close()
        }
      })
      const answer = await fetchStream(db.path('d/chunked'), stream)
      assert.equal(answer.status, 201)
      assert.equal((await db.get('d/chunked')).text, 'one two three')
      assert.equal((await db.put('e/empty', '', as('text/plain'))).status, 201)
      const empty = await db.get('e/empty')
      assert.equal(empty.status, 200)
      assert.equal(empty.bytes.length, 0)
    })

    it('takes compressed content', async () => {
      const { status } = await db.put('d/a', zlib.gzipSync('squeezed'), { headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' } })
      assert.equal(status, 201)
      assert.equal((await db.get('d/a')).text, 'squeezed')
    })

    it('takes names with slashes and of all scripts', async () => {
      let rev = (await db.put('d/folder/sub%2Ffile.txt', '1', as('text/plain'))).body.rev
      rev = (await db.put(`d/${encodeURIComponent('größe 😀.png')}?rev=${rev}`, '2', as('image/png'))).body.rev
      const { body } = await db.get('d')
      assert.deepEqual(Object.keys(body._attachments).sort(), ['folder/sub/file.txt', 'größe 😀.png'])
      assert.equal((await db.get('d/folder/sub/file.txt')).text, '1')
      assert.equal((await db.get('d/folder%2Fsub%2Ffile.txt')).text, '1')
      assert.equal((await db.get(`d/${encodeURIComponent('größe 😀.png')}`)).text, '2')
      assert.match(rev, /^2-/)
    })

    it('works on design documents', async () => {
      const { status, body } = await db.put('_design/d/logo.png', 'png', as('image/png'))
      assert.equal(status, 201)
      assert.equal(body.id, '_design/d')
      assert.equal((await db.get('_design/d/logo.png')).text, 'png')
    })

    it('refuses names that start with an underscore', async () => {
      assertRefused(await db.put('d/_a', 'x', as('text/plain')), 400, 'bad_request', "Attachment name '_a' starts with prohibited character '_'")
      assertRefused(await db.put('d', { _attachments: { _a: { data: '' } } }), 400, 'bad_request', "Attachment name '_a' starts with prohibited character '_'")
      assert.equal((await db.get('d')).status, 404)
    })
  })

  describe('GET and HEAD', () => {
    const content = Buffer.from('0123456789abcdef')

    beforeEach(async () => { await db.put('d/a', content, as('application/x-plain')) })

    it('have a digest for an ETag', async () => {
      const { status, headers } = await db.get('d/a')
      assert.equal(status, 200)
      assert.equal(headers.get('etag'), `"${md5(content)}"`)
      assert.equal(headers.get('accept-ranges'), 'bytes')
      assert.equal(headers.get('cache-control'), 'must-revalidate')
      const again = await db.get('d/a', { headers: { 'If-None-Match': `"${md5(content)}"` } })
      assert.equal(again.status, 304)
      assert.equal(again.bytes.length, 0)
    })

    it('HEAD tells the length', async () => {
      const answer = await head(db.path('d/a'))
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-length'), '16')
      assert.equal(answer.headers.get('content-type'), 'application/x-plain')
      assert.equal(answer.bytes.length, 0)
    })

    for (const [range, expected, contentRange] of [
      ['bytes=0-3', '0123', 'bytes 0-3/16'],
      ['bytes=4-4', '4', 'bytes 4-4/16'],
      ['bytes=10-', 'abcdef', 'bytes 10-15/16'],
      ['bytes=-3', 'def', 'bytes 13-15/16'],
      ['bytes=14-99', 'ef', 'bytes 14-15/16']
    ]) {
      it(`give ${range}`, async () => {
        const { status, headers, text } = await db.get('d/a', { headers: { Range: range } })
        assert.equal(status, 206)
        assert.equal(text, expected)
        assert.equal(headers.get('content-range'), contentRange)
        assert.equal(headers.get('content-length'), String(expected.length))
      })
    }

    it('HEAD has the headers of a range', async () => {
      const asked = Range => head(db.path('d/a'), { headers: { Range } })
      const one = await asked('bytes=2-4')
      assert.deepEqual([one.status, one.headers.get('content-length'), one.headers.get('content-range')], [206, '3', 'bytes 2-4/16'])
      const several = await asked('bytes=0-1,8-9')
      assert.equal(several.status, 206)
      assert.match(several.headers.get('content-type'), /^multipart\/byteranges/)
      assert.equal((await asked('bytes=16-')).status, 416)
      const whole = await asked('bytes=0-')
      assert.deepEqual([whole.status, whole.headers.get('content-length')], [200, '16'])
    })

    it('give several ranges as parts', async () => {
      const { status, headers, bytes } = await db.get('d/a', { headers: { Range: 'bytes=0-1,8-9' } })
      assert.equal(status, 206)
      assert.match(headers.get('content-type'), /^multipart\/byteranges/)
      const found = parts(headers.get('content-type'), bytes)
      assert.deepEqual(found.map(part => [part.headers['content-range'], part.content.toString()]), [['bytes 0-1/16', '01'], ['bytes 8-9/16', '89']])
    })

    it('refuse ranges that are not there, and ignore what is no range', async () => {
      for (const range of ['bytes=16-', 'bytes=99-100', 'bytes=5-3']) {
        assertRefused(await db.get('d/a', { headers: { Range: range } }), 416, 'requested_range_not_satisfiable')
      }
      for (const range of ['bytes=0-', 'bytes=2-3,0-', 'bytes=a-b', 'lines=1-2']) {
        const { status, text } = await db.get('d/a', { headers: { Range: range } })
        assert.equal(status, 200, range)
        assert.equal(text.length, 16)
      }
    })

    it('cut large content at any place', async () => {
      const large = crypto.randomBytes(1024 * 1024)
      await db.put('large/a', large, as('application/octet-stream'))
      for (const [from, to] of [[0, 262143], [262143, 262144], [262144, 524288], [700000, 1048575]]) {
        const { bytes } = await db.get('large/a', { headers: { Range: `bytes=${from}-${to}` } })
        assert.ok(bytes.equals(large.subarray(from, to + 1)), `${from}-${to}`)
      }
    })

    it('read an old revision\'s', async () => {
      const { body: { _rev: old } } = await db.get('d')
      await db.put(`d/a?rev=${old}`, 'new', as('text/plain'))
      assert.equal((await db.get('d/a')).text, 'new')
      assert.equal((await db.get(`d/a?rev=${old}`)).text, content.toString())
    })

    it('tell what is missing', async () => {
      assertRefused(await db.get('d/other'), 404, 'not_found', 'Document is missing attachment')
      assertRefused(await db.get('missing/a'), 404, 'not_found', 'missing')
    })

    it('do not let a browser run what it gets', async () => {
      const { headers } = await db.get('d/a')
      assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    })
  })

  describe('DELETE', () => {
    it('removes one and keeps the others', async () => {
      const rev = await db.write('d', { _attachments: { a: { data: 'YQ==' }, b: { data: 'Yg==' } } })
      const { status, body } = await db.remove(`d/a?rev=${rev}`)
      assert.equal(status, 200)
      assert.match(body.rev, /^2-/)
      assert.deepEqual(Object.keys((await db.get('d')).body._attachments), ['b'])
      assertRefused(await db.get('d/a'), 404, 'not_found', 'Document is missing attachment')
    })

    it('refuses without the revision and where there is none', async () => {
      const rev = await db.write('d', { _attachments: { a: { data: 'YQ==' } } })
      assertRefused(await db.remove('d/a'), 409, 'conflict', 'Document update conflict.')
      assertRefused(await db.remove(`d/b?rev=${rev}`), 404, 'not_found', 'Document is missing attachment')
      assert.equal((await db.get('d/a')).text, 'a')
    })
  })

  describe('in documents', () => {
    it('are stubs, or come inline', async () => {
      await db.write('d', { _attachments: { 'a.txt': { content_type: 'application/x-a', data: 'aGVsbG8=' } } })
      const { body } = await db.get('d')
      assert.deepEqual(body._attachments['a.txt'], { content_type: 'application/x-a', revpos: 1, digest: `md5-${md5('hello')}`, length: 5, stub: true })
      const inline = await db.get('d?attachments=true')
      assert.deepEqual(inline.body._attachments['a.txt'], { content_type: 'application/x-a', revpos: 1, digest: `md5-${md5('hello')}`, data: 'aGVsbG8=' })
    })

    it('stay when their stubs are sent back, and go when they are not', async () => {
      await db.write('d', { _attachments: { a: { data: 'YQ==' }, b: { data: 'Yg==' } } })
      const { body } = await db.get('d')
      delete body._attachments.a
      const { body: { rev } } = await db.put('d', body)
      assert.equal((await db.get('d/b')).text, 'b')
      assert.equal((await db.get('d/a')).status, 404)
      assertRefused(await db.put('d', { _rev: rev, _attachments: { c: { stub: true, revpos: 1 } } }), 412, 'missing_stub')
    })

    it('refuse what is not base64', async () => {
      for (const data of ['!!!', 5, null]) {
        assert.equal((await db.put('d', { _attachments: { a: { data } } })).status, 400, String(data))
      }
      assert.equal((await db.get('d')).status, 404)
    })

    it('come inline when they are newer than atts_since', async () => {
      const first = await db.write('d', { _attachments: { a: { data: 'YQ==' } } })
      await db.put(`d/b?rev=${first}`, 'b', as('text/plain'))
      const { body } = await db.get(`d?atts_since=${encodeURIComponent(JSON.stringify([first]))}`)
      assert.equal(body._attachments.a.stub, true)
      assert.equal(body._attachments.b.data, 'Yg==')
    })
  })
})

async function fetchStream (path, body) {
  const { server } = require('./support/server')
  const headers = { Authorization: server.authorization, 'Content-Type': 'text/plain' }
  return fetch(server.origin + path, /** @type {any} */ ({ method: 'PUT', headers, body, duplex: 'half' }))
}
