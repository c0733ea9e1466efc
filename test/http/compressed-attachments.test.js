'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const http = require('node:http')
const zlib = require('node:zlib')
const { TestDatabase } = require('./support/database')
const { parts, related } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')
const { server } = require('./support/server')

const TEXT = 'all work and no play '.repeat(100)
const ZIPPED = zlib.gzipSync(TEXT, { level: 8 })

const md5 = bytes => crypto.createHash('md5').update(bytes).digest('base64')
const as = (type, encoding) => ({ headers: { 'Content-Type': type, ...(encoding && { 'Content-Encoding': encoding }) } })

/** The bytes as they are sent: `fetch` decodes them. */
function raw (path, headers, method = 'GET') {
  return new Promise((resolve, reject) => {
    const req = http.request(server.origin + path, { method, headers: { Authorization: server.authorization, ...headers } }, res => {
      const chunks = []
      res.on('data', chunk => chunks.push(chunk))
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, bytes: Buffer.concat(chunks) }))
    })
    req.on('error', reject).end()
  })
}

/** Mebibytes of zeros: gzip may have many members. */
function bomb (mebibytes) {
  return Buffer.concat(Array(mebibytes).fill(zlib.gzipSync(Buffer.alloc(2 ** 20))))
}

describe('Compressed attachments', () => {
  const db = new TestDatabase()

  const compressed = ['text/plain', 'TEXT/css; charset=utf-8', 'application/json', 'application/javascript', 'application/xml']
  const others = ['image/png', 'application/octet-stream', 'application/jsonp', 'x-text/plain']

  for (const type of compressed) {
    it(`${type} goes compressed to who takes it, and decoded to the others`, async () => {
      await db.put('d/a', TEXT, as(type))
      const plain = await raw(db.path('d/a'))
      assert.equal(plain.bytes.toString(), TEXT)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(plain.headers['content-length'], String(TEXT.length))
      const packed = await raw(db.path('d/a'), { 'Accept-Encoding': 'deflate, gzip' })
      assert.equal(packed.headers['content-encoding'], 'gzip')
      assert.equal(packed.headers['content-length'], String(packed.bytes.length))
      assert.equal(zlib.gunzipSync(packed.bytes).toString(), TEXT)
      for (const { headers } of [plain, packed]) {
        assert.equal(headers.etag, `"${md5(packed.bytes)}"`)
        assert.equal(headers['accept-ranges'], 'none')
        assert.equal(headers['content-type'], type)
      }
      assert.equal((await raw(db.path('d/a'), { 'If-None-Match': packed.headers.etag })).status, 304)
    })
  }

  for (const type of others) {
    it(`${type} is stored as it is`, async () => {
      await db.put('d/a', TEXT, as(type))
      const { headers, bytes } = await raw(db.path('d/a'), { 'Accept-Encoding': 'gzip' })
      assert.equal(headers['content-encoding'], undefined)
      assert.equal(headers['accept-ranges'], 'bytes')
      assert.equal(headers.etag, `"${md5(TEXT)}"`)
      assert.equal(bytes.toString(), TEXT)
    })
  }

  it('have no ranges', async () => {
    await db.put('d/a', TEXT, as('text/plain'))
    const { status, bytes } = await raw(db.path('d/a'), { Range: 'bytes=0-4' })
    assert.equal(status, 200)
    assert.equal(bytes.toString(), TEXT)
  })

  it('HEAD says what GET does', async () => {
    await db.put('d/a', TEXT, as('text/plain'))
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      const [got, head] = [await raw(db.path('d/a'), headers), await raw(db.path('d/a'), headers, 'HEAD')]
      for (const name of ['etag', 'content-length', 'content-encoding', 'content-type']) assert.equal(head.headers[name], got.headers[name], name)
    }
  })

  it('inline are the same as uploaded', async () => {
    await db.put('d', { _attachments: { a: { content_type: 'text/plain', data: Buffer.from(TEXT).toString('base64') } } })
    await db.put('e/a', TEXT, as('text/plain'))
    const [d, e] = [await db.get('d'), await db.get('e')]
    assert.deepEqual(d.body._attachments, e.body._attachments)
    assert.equal(d.body._attachments.a.length, TEXT.length)
  })

  it('say how they are stored where att_encoding_info asks', async () => {
    const rev = (await db.put('d/a', TEXT, as('text/plain'))).body.rev
    const { bytes } = await raw(db.path('d/a'), { 'Accept-Encoding': 'gzip' })
    await db.put('_design/v', { views: { all: { map: 'function (doc) { emit(null) }' } } })
    const answers = {
      '_design/v/_view/all?include_docs=true&att_encoding_info=true': ({ rows: [{ doc }] }) => doc._attachments.a,
      d: ({ _attachments: { a } }) => a,
      'd?att_encoding_info=true': ({ _attachments: { a } }) => a,
      '_all_docs?include_docs=true&att_encoding_info=true': ({ rows }) => rows.find(({ id }) => id === 'd').doc._attachments.a,
      '_changes?include_docs=true&att_encoding_info=true': ({ results }) => results.find(({ id }) => id === 'd').doc._attachments.a,
      [`d?open_revs=["${rev}"]&att_encoding_info=true`]: ([{ ok }]) => ok._attachments.a
    }
    for (const [path, found] of Object.entries(answers)) {
      const { encoding, encoded_length: length } = found((await db.get(path)).body)
      assert.deepEqual([encoding, length], path === 'd' ? [undefined, undefined] : ['gzip', bytes.length], path)
    }
    const { body } = await db.post('_bulk_get?att_encoding_info=true', { docs: [{ id: 'd' }] })
    assert.equal(body.results[0].docs[0].ok._attachments.a.encoding, 'gzip')
  })

  it('that are no gzip are plain content to all who read them', async () => {
    const cut = ZIPPED.subarray(0, -5)
    const sent = [Buffer.from('no gzip'), cut, Buffer.from('no gzip either')]
    await db.put('a/a', sent[0], as('text/plain', 'gzip'))
    await db.put('b', related('x', { _attachments: { a: { content_type: 'text/plain', follows: true, encoding: 'gzip', length: TEXT.length, encoded_length: cut.length } } }, { a: cut }), as('multipart/related; boundary=x'))
    await db.put('c?new_edits=false', related('x', { _rev: '1-a', _attachments: { a: { content_type: 'text/plain', follows: true, encoding: 'gzip', length: 5, encoded_length: sent[2].length, digest: `md5-${md5(sent[2])}` } } }, { a: sent[2] }), as('multipart/related; boundary=x'))
    await db.put('d/a', TEXT, as('text/plain'))
    const expected = [...sent, TEXT].map(String)
    const contents = docs => docs.map(doc => Buffer.from(doc._attachments.a.data, 'base64').toString())
    const { body: { rows } } = await db.get('_all_docs?include_docs=true&attachments=true')
    assert.deepEqual(contents(rows.map(({ doc }) => doc)), expected)
    const { body: { results } } = await db.get('_changes?include_docs=true&attachments=true')
    assert.deepEqual(contents(results.map(({ doc }) => doc)), expected)
    const { body: bulk } = await db.post('_bulk_get?attachments=true', { docs: ['a', 'b', 'c', 'd'].map(id => ({ id })) })
    assert.deepEqual(contents(bulk.results.map(({ docs }) => docs[0].ok)), expected)
    for (const [i, id] of ['a', 'b', 'c'].entries()) {
      for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
        const got = await raw(db.path(`${id}/a`), headers)
        assert.deepEqual([got.status, got.headers['content-encoding'], got.bytes], [200, undefined, sent[i]])
      }
      assert.deepEqual(contents([(await db.get(`${id}?attachments=true&att_encoding_info=true`)).body]), [expected[i]])
    }
  })

  it('far longer than they look keep _bulk_get from their own document alone', async () => {
    await db.put('a/a', TEXT, as('text/plain'))
    const { body: { rev } } = await db.put('b/a', bomb(301), as('text/plain', 'gzip'))
    await db.put('c/a', TEXT, as('text/plain'))
    const docs = [{ id: 'a' }, { id: 'b' }, { id: 'b', rev }, { id: 'b', rev, atts_since: ['1-a'] }, { id: 'c' }]
    const { status, body } = await db.post('_bulk_get?attachments=true', { docs })
    assert.equal(status, 200)
    assert.deepEqual(body.results.map(({ id, docs: [{ ok, error }] }) => [id, ok?._id ?? error.error]), [
      ['a', 'a'], ['b', 'too_large'], ['b', 'too_large'], ['b', 'too_large'], ['c', 'c']])
  })

  it('far longer than they look are stubs in lists, and keep no other document from its reader', async () => {
    await db.put('a/a', TEXT, as('text/plain'))
    await db.put('b/a', bomb(301), as('text/plain', 'gzip'))
    await db.put('_design/d', { views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
    for (const list of ['_all_docs?endkey="b"', '_changes', '_design/d/_view/v?limit=2']) {
      const { status, body } = await db.get(`${list}${list.includes('?') ? '&' : '?'}include_docs=true&attachments=true`)
      assert.equal(status, 200, list)
      const docs = (body.rows ?? body.results).map(({ doc }) => doc).filter(({ _id }) => !_id.startsWith('_'))
      assert.deepEqual(docs.map(({ _id, _attachments: { a } }) => [_id, a.stub === true, typeof a.data]), [['a', false, 'string'], ['b', true, 'undefined']], list)
    }
    assert.equal((await db.get('b?attachments=true', { headers: { Accept: 'application/json' } })).status, 413)
  })

  it('are decoded in JSON', async () => {
    await db.put('d/a', TEXT, as('text/plain'))
    for (const path of ['d?attachments=true', 'd?attachments=true&att_encoding_info=true']) {
      const { body: { _attachments: { a } } } = await db.get(path)
      assert.equal(Buffer.from(a.data, 'base64').toString(), TEXT)
    }
    const { body } = await db.get('_changes?include_docs=true&attachments=true')
    assert.equal(Buffer.from(body.results[0].doc._attachments.a.data, 'base64').toString(), TEXT)
  })

  it('uploaded with Content-Encoding are kept as they came', async () => {
    for (const [id, type] of [['d', 'text/plain'], ['e', 'image/png']]) {
      await db.put(`${id}/a`, ZIPPED, as(type, 'gzip'))
      const packed = await raw(db.path(`${id}/a`), { 'Accept-Encoding': 'gzip' })
      assert.ok(packed.bytes.equals(ZIPPED))
      const plain = await raw(db.path(`${id}/a`))
      assert.equal(plain.bytes.toString(), TEXT)
      assert.equal(plain.headers['content-length'], undefined)
      const { body } = await db.get(`${id}?att_encoding_info=true`)
      const { encoding, encoded_length: encodedLength, length, digest } = body._attachments.a
      assert.deepEqual([encoding, encodedLength, length, digest], ['gzip', ZIPPED.length, ZIPPED.length, `md5-${md5(ZIPPED)}`])
    }
    assertRefused(await db.put('f/a', ZIPPED, as('text/plain', 'br')), 415, 'bad_content_type', 'Only gzip and identity content-encodings are supported')
  })

  it('go as they are in multipart, and come so', async () => {
    const rev = (await db.put('d/a', TEXT, as('text/plain'))).body.rev
    const { headers, bytes } = await db.get('d?attachments=true&revs=true', { headers: { Accept: 'multipart/related' } })
    const [json, file] = parts(headers.get('content-type'), bytes)
    const { a } = JSON.parse(json.content.toString())._attachments
    assert.deepEqual([a.follows, a.encoding, a.encoded_length, a.length], [true, 'gzip', file.content.length, TEXT.length])
    assert.equal(file.headers['content-encoding'], 'gzip')
    assert.equal(zlib.gunzipSync(file.content).toString(), TEXT)
    const copied = await db.put('e?new_edits=false', bytes, as(headers.get('content-type')))
    assert.equal(copied.body.rev, rev)
    const stubs = [await db.get('d?att_encoding_info=true'), await db.get('e?att_encoding_info=true')].map(({ body }) => body._attachments)
    assert.deepEqual(stubs[1], stubs[0])
    assert.equal((await db.get('e/a')).text, TEXT)
  })

  it('in multipart must be what they are announced as', async () => {
    const before = await db.contents()
    const entry = { content_type: 'text/plain', follows: true, encoding: 'gzip', length: TEXT.length, encoded_length: ZIPPED.length, digest: `md5-${md5(TEXT)}` }
    const body = related('b', { _attachments: { a: entry } }, { a: ZIPPED })
    assert.ok((await db.put('d', body, as('multipart/related; boundary=b'))).status >= 400)
    assert.deepEqual(await db.contents(), before)
  })

  it('are copied, and kept by edits of the document', async () => {
    const rev = (await db.put('d/a', TEXT, as('text/plain'))).body.rev
    await db.write('there', { n: 1 })
    const target = (await db.get('there')).body._rev
    for (const destination of ['e', `there?rev=${target}`]) {
      assert.equal((await raw(db.path('d'), { Destination: destination }, 'COPY')).status, 201)
    }
    const { body: { _attachments: attachments } } = await db.get('d')
    await db.put('d', { _rev: rev, n: 2, _attachments: attachments })
    for (const id of ['d', 'e', 'there']) {
      assert.equal((await raw(db.path(`${id}/a`), { 'Accept-Encoding': 'gzip' })).headers['content-encoding'], 'gzip', id)
      assert.equal((await db.get(`${id}/a`)).text, TEXT)
    }
  })

  it('are told from the same bytes that are not', async () => {
    await db.put('file/a', ZIPPED, as('application/gzip'))
    await db.put('text/a', ZIPPED, as('text/plain', 'gzip'))
    const copied = []
    for (const id of ['file', 'text']) {
      assert.equal((await raw(db.path(id), { Destination: `${id}-copy` }, 'COPY')).status, 201)
      copied.push((await raw(db.path(`${id}-copy/a`))).bytes.equals(id === 'file' ? ZIPPED : Buffer.from(TEXT)))
    }
    assert.deepEqual(copied, [true, true])
    await db.remove(`file/a?rev=${(await db.get('file')).body._rev}`)
    await db.put('text-2/a', ZIPPED, as('text/plain', 'gzip'))
    await raw(db.path('file-copy'), { Destination: 'file-copy-2' }, 'COPY')
    assert.deepEqual((await raw(db.path('file-copy-2/a'))).bytes, ZIPPED)
  })

  it('are as long as they are, whatever was said', async () => {
    for (const [id, length] of [['longer', TEXT.length - 1], ['shorter', TEXT.length + 1]]) {
      const entry = { content_type: 'text/plain', follows: true, encoding: 'gzip', length, encoded_length: ZIPPED.length }
      assert.equal((await db.put(id, related('b', { _attachments: { a: entry } }, { a: ZIPPED }), as('multipart/related; boundary=b'))).status, 201)
      assert.equal((await db.get(`${id}/a`, { headers: { 'Accept-Encoding': 'identity' } })).text, TEXT)
      assert.equal((await db.get(id)).body._attachments.a.length, TEXT.length)
      assert.deepEqual((await raw(db.path(`${id}/a`), { 'Accept-Encoding': 'gzip' })).bytes, ZIPPED)
    }
  })
})
