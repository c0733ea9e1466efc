'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const fc = require('fast-check')
const zlib = require('node:zlib')
const { TestDatabase } = require('./support/database')
const { compose, parts, related } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')

const type = boundary => ({ headers: { 'Content-Type': `multipart/related;boundary="${boundary}"` } })
const follows = (length, more) => ({ content_type: 'application/octet-stream', follows: true, length, ...more })
const anything = { headers: { Accept: 'multipart/related, multipart/mixed, */*' } }

describe('Multipart', () => {
  const db = new TestDatabase()

  describe('PUT multipart/related', () => {
    it('takes a document with its attachments', async () => {
      const large = crypto.randomBytes(700000)
      const doc = { n: 1, _attachments: { 'a.txt': follows(5), large: follows(large.length), inline: { data: 'aW4=' } } }
      const { status, body } = await db.put('d', related('b1', doc, { 'a.txt': 'hello', large }), type('b1'))
      assert.equal(status, 201, JSON.stringify(body))
      assert.match(body.rev, /^1-/)
      assert.equal((await db.get('d')).body.n, 1)
      assert.equal((await db.get('d/a.txt')).text, 'hello')
      assert.equal((await db.get('d/inline')).text, 'in')
      assert.ok((await db.get('d/large')).bytes.equals(large))
    })

    it('takes content that looks like its own boundary, nearly', async () => {
      const content = Buffer.from('\r\n--b1\r\n-\r\n--b\r\n--B2--\r\n--')
      const { status } = await db.put('d', related('b2', { _attachments: { a: follows(content.length) } }, { a: content }), type('b2'))
      assert.equal(status, 201)
      assert.ok((await db.get('d/a')).bytes.equals(content))
    })

    it('takes content that has the digest it says, compressed or not', async () => {
      const digest = bytes => `md5-${crypto.createHash('md5').update(bytes).digest('base64')}`
      const content = Buffer.from('hello '.repeat(50000))
      const zipped = zlib.gzipSync(content)
      const put = (id, stub, bytes) => db.put(id, related('b', { _attachments: { a: stub } }, { a: bytes }), type('b'))
      const encoded = { encoding: 'gzip', encoded_length: zipped.length }
      assert.equal((await put('plain', follows(content.length, { digest: digest(content) }), content)).status, 201)
      assert.equal((await put('zipped', follows(content.length, { ...encoded, digest: digest(zipped) }), zipped)).status, 201)
      for (const id of ['plain', 'zipped']) assert.ok((await db.get(`${id}/a`)).bytes.equals(content))
      for (const [stub, bytes] of [
        [follows(content.length, { digest: digest('other') }), content],
        [follows(5, { digest: digest('other') }), 'hello'],
        [follows(content.length, { ...encoded, digest: digest(content) }), zipped]
      ]) {
        assertRefused(await put('wrong', stub, bytes), 400, 'content_md5_mismatch', 'Possible message corruption.')
        assert.equal((await db.get('wrong')).status, 404)
      }
    })

    it('takes an empty attachment', async () => {
      const { status } = await db.put('d', related('b', { _attachments: { a: follows(0) } }, { a: '' }), type('b'))
      assert.equal(status, 201)
      assert.equal((await db.get('d/a')).bytes.length, 0)
    })

    it('takes parts without names in the order of the document', async () => {
      const body = compose('b', [
        { headers: { 'Content-Type': 'application/json' }, content: JSON.stringify({ _attachments: { one: follows(1), two: follows(2) } }) },
        { content: '1' },
        { content: '22' }
      ])
      assert.equal((await db.put('d', body, type('b'))).status, 201)
      assert.equal((await db.get('d/one')).text, '1')
      assert.equal((await db.get('d/two')).text, '22')
    })

    it('takes long parts in any order, each as it comes', async () => {
      const long = Buffer.alloc(18 * 2 ** 20, 'x')
      const doc = { _attachments: { short: follows(1), long: follows(long.length), last: follows(0) } }
      assert.equal((await db.put('d', related('b', doc, { last: '', long, short: 's' }), type('b'))).status, 201)
      assert.deepEqual(Object.keys((await db.get('d')).body._attachments), ['short', 'long', 'last'])
      assert.ok((await db.get('d/long')).bytes.equals(long))
      assert.equal((await db.get('d/short')).text, 's')
    })

    it('takes many parts that are stored before they are all there, and leaves nothing of those that are refused', async () => {
      const contents = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, Buffer.alloc(200_000, i)]))
      const doc = { _attachments: Object.fromEntries(Object.keys(contents).map(name => [name, follows(200_000)])) }
      const { status } = await db.put('refused', related('b', { ...doc, _rev: '1-abc' }, contents), type('b'))
      assert.equal(status, 409)
      assert.equal((await db.put('d', related('b', doc, contents), type('b'))).status, 201)
      for (const name of ['a0', 'a30', 'a49']) assert.ok((await db.get(`d/${name}`)).bytes.equals(contents[name]), name)
      assert.equal((await db.put('refused', { n: 1 })).status, 201)
    })

    it('takes names that look like numbers', async () => {
      const doc = '{"_attachments":{"b":{"follows":true,"length":1},"10":{"follows":true,"length":2},"9":{"follows":true,"length":3}}}'
      const part = (name, content) => ({ headers: { 'Content-Disposition': `attachment; filename="${name}"` }, content })
      const body = compose('x', [{ headers: { 'Content-Type': 'application/json' }, content: doc }, part('b', 'b'), part('10', '10'), part('9', '999')])
      assert.equal((await db.put('d', body, type('x'))).status, 201)
      assert.deepEqual(await Promise.all(['b', '10', '9'].map(async name => (await db.get(`d/${name}`)).text)), ['b', '10', '999'])
    })

    it('takes what is before the first boundary and behind the last for nothing', async () => {
      const body = Buffer.concat([Buffer.from('preamble\r\n'), related('b', { _attachments: { a: follows(1) } }, { a: 'x' }), Buffer.from('\r\nepilogue')])
      assert.equal((await db.put('d', body, type('b'))).status, 201)
      assert.equal((await db.get('d/a')).text, 'x')
    })

    it('replicates with new_edits=false', async () => {
      const doc = { _revisions: { start: 2, ids: ['bb000000000000000000000000000000', 'aa000000000000000000000000000000'] }, _attachments: { a: follows(1, { revpos: 1 }) } }
      const { status, body } = await db.put('d?new_edits=false', related('b', doc, { a: 'x' }), type('b'))
      assert.equal(status, 201)
      assert.equal(body.rev, '2-bb000000000000000000000000000000')
      assert.equal((await db.get('d')).body._attachments.a.revpos, 1)
    })

    describe('writes nothing', () => {
      const doc = { _attachments: { a: follows(5), b: follows(5) } }
      const whole = related('bb', doc, { a: 'aaaaa', b: 'bbbbb' })

      async function refused (body, headers = type('bb')) {
        const before = await db.contents()
        const answer = await db.put('d', body, headers)
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`)
        assert.equal(typeof answer.body.error, 'string')
        assert.equal(typeof answer.body.reason, 'string')
        assert.deepEqual(await db.contents(), before)
        assert.equal((await db.get('d')).status, 404)
        return answer
      }

      for (const [where, mark] of [['in the document', '"_att'], ['before the first attachment', 'aaaaa'], ['in an attachment', 'bbbb'], ['before the last boundary', '--bb--']]) {
        it(`of a body that ends ${where}`, () => refused(whole.subarray(0, whole.lastIndexOf(mark) + 2)))
      }

      it('where a part is missing', () => refused(related('bb', doc, { a: 'aaaaa' })))
      it('where there is a part too many', () => refused(related('bb', { _attachments: { a: follows(5) } }, { a: 'aaaaa', b: 'bbbbb' })))
      it('where a part is shorter than announced', () => refused(related('bb', doc, { a: 'aaa', b: 'bbbbb' })))
      it('where a part is longer than announced', () => refused(related('bb', doc, { a: 'aaaaaaaaa', b: 'bbbbb' })))
      it('where the boundary is another', () => refused(whole, type('other')))
      it('where the boundary is not named', () => refused(whole, { headers: { 'Content-Type': 'multipart/related; type="application/json"' } }))
      it('where the document is no JSON', () => refused(compose('bb', [{ headers: { 'Content-Type': 'application/json' }, content: '{"a":' }])))
      it('where the first part is no document', async () => {
        const answer = await refused(compose('bb', [{ headers: { 'Content-Type': 'text/plain' }, content: '{}' }]))
        assertRefused(answer, 415, 'bad_content_type', 'Content-Type must be application/json')
      })
      it('where a part has a header that is none', () => refused(Buffer.from(whole.toString().replace('Content-Disposition:', 'Content-Disposition'))))
    })

    it('writes all of a damaged body or nothing, and answers', async () => {
      const doc = { n: 1, _attachments: { a: follows(5), 1: follows(3), c: { content_type: 'text/plain', follows: true, length: 4 } } }
      const whole = related('bb', doc, { 1: '111', a: 'aaaaa', c: 'cccc' })
      const text = fc.constantFrom('\r\n', '--bb', '--bb--', '\r\n--bb\r\n\r\n', '"follows":false', '5', '\0', 'filename="c"', '}', '')
      let count = 0
      await fc.assert(fc.asyncProperty(fc.nat(whole.length), fc.nat(40), text, async (at, remove, add) => {
        const body = Buffer.concat([whole.subarray(0, at), Buffer.from(add), whole.subarray(at + remove)])
        const id = `d${count++}`
        const { status, text: answer } = await db.put(id, body, type('bb'))
        assert.ok(status === 201 || (status >= 400 && status < 500), `${status} ${answer}`)
        const read = await db.get(id)
        assert.equal(read.status, status === 201 ? 200 : 404)
        for (const [name, { length }] of Object.entries(read.body._attachments ?? {})) {
          assert.equal((await db.get(`${id}/${encodeURIComponent(name)}`)).bytes.length, length)
        }
      }), { numRuns: Number(process.env.MULTIPART_RUNS ?? 100) })
    })

    it('writes nothing on a conflict', async () => {
      const rev = await db.write('d', { n: 1 })
      assertRefused(await db.put('d', related('b', { _attachments: { a: follows(1) } }, { a: 'x' }), type('b')), 409, 'conflict')
      const { body } = await db.get('d')
      assert.equal(body._rev, rev)
      assert.equal(body._attachments, undefined)
    })
  })

  describe('GET', () => {
    it('attachments=true gives multipart/related to who takes it', async () => {
      const large = crypto.randomBytes(600000)
      await db.put('d', related('b', { n: 1, _attachments: { 'a.txt': follows(5), large: follows(large.length) } }, { 'a.txt': 'hello', large }), type('b'))
      const { status, headers, bytes } = await db.get('d?attachments=true', anything)
      assert.equal(status, 200)
      assert.match(headers.get('content-type'), /^multipart\/related/)
      const [json, ...files] = parts(headers.get('content-type'), bytes)
      assert.equal(json.headers['content-type'], 'application/json')
      const doc = JSON.parse(json.content.toString())
      assert.equal(doc.n, 1)
      assert.deepEqual(Object.values(doc._attachments).map(each => each.follows), [true, true])
      assert.deepEqual(files.map(file => /filename="(.*)"/.exec(file.headers['content-disposition'])[1]), Object.keys(doc._attachments))
      const byName = Object.fromEntries(files.map(file => [/filename="(.*)"/.exec(file.headers['content-disposition'])[1], file]))
      assert.equal(byName['a.txt'].content.toString(), 'hello')
      assert.equal(byName['a.txt'].headers['content-length'], '5')
      assert.ok(byName.large.content.equals(large))
    })

    it('gives JSON where there is nothing to follow', async () => {
      await db.write('d', { n: 1 })
      const { headers, text } = await db.get('d?attachments=true', anything)
      assert.match(headers.get('content-type'), /^application\/json/)
      assert.equal(JSON.parse(text).n, 1)
    })

    it('what it gives can be put elsewhere', async () => {
      await db.put('d', related('b', { n: 1, _attachments: { a: follows(5) } }, { a: 'hello' }), type('b'))
      const { headers, bytes } = await db.get('d?attachments=true&revs=true', anything)
      const contentType = headers.get('content-type')
      const { status, body } = await db.put('e?new_edits=false', bytes, { headers: { 'Content-Type': contentType } })
      assert.equal(status, 201, JSON.stringify(body))
      assert.equal((await db.get('e/a')).text, 'hello')
    })

    it('open_revs gives multipart/mixed to who takes it, as CouchDB\'s replicator does', async () => {
      const first = await db.write('d', { _attachments: { old: { data: 'b2xk' } } })
      const { body: { rev } } = await db.put(`d/new?rev=${first}`, 'new', { headers: { 'Content-Type': 'image/x-y' } })
      const asked = encodeURIComponent(JSON.stringify([rev, '9-ff000000000000000000000000000000']))
      const since = encodeURIComponent(JSON.stringify([first]))
      const { status, headers, bytes } = await db.get(`d?revs=true&latest=true&open_revs=${asked}&atts_since=${since}`, { headers: { Accept: 'multipart/mixed' } })
      assert.equal(status, 200)
      assert.match(headers.get('content-type'), /^multipart\/mixed/)
      const found = parts(headers.get('content-type'), bytes)
      assert.equal(found.length, 2)
      const missing = found.find(part => part.headers['content-type'].includes('error="true"'))
      assert.deepEqual(JSON.parse(missing.content.toString()), { missing: '9-ff000000000000000000000000000000' })
      const part = found.find(each => each !== missing)
      const [json, file, ...more] = parts(part.headers['content-type'], part.content)
      const doc = JSON.parse(json.content.toString())
      assert.equal(doc._rev, rev)
      assert.equal(doc._revisions.start, 2)
      assert.equal(doc._attachments.old.stub, true)
      assert.equal(doc._attachments.new.follows, true)
      assert.equal(file.content.toString(), 'new')
      assert.equal(more.length, 0)
    })
  })
})
