'use strict'

const assert = require('node:assert/strict')
const zlib = require('node:zlib')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')
const { assertRefused } = require('./support/refusal')
const { get, put, request } = require('./support/request')

const A = 'aa000000000000000000000000000000'

describe('Bad input', () => {
  const db = new TestDatabase()

  describe('changes nothing:', () => {
    let before

    beforeEach(async () => {
      await db.write('existing', { n: 1 })
      before = await db.contents()
    })

    afterEach(async () => {
      assert.equal((await get('/')).status, 200)
      assert.deepEqual(await db.contents(), before)
    })

    const writes = [
      ['PUT a document', body => db.put('d', body)],
      ['PUT a local document', body => db.put('_local/d', body)],
      ['PUT a design document', body => db.put('_design/d', body)],
      ['POST a document', body => db.post('', body)],
      ['_bulk_docs', body => db.post('_bulk_docs', body)],
      ['_bulk_get', body => db.post('_bulk_get', body)],
      ['_revs_diff', body => db.post('_revs_diff', body)],
      ['_missing_revs', body => db.post('_missing_revs', body)],
      ['_all_docs', body => db.post('_all_docs', body)],
      ['_changes', body => db.post('_changes', body)]
    ]

    describe('malformed JSON', () => {
      const texts = { 'cut off': '{"a": 1', 'not quoted': '{a: 1}', 'a comma too many': '{"a": 1,}', 'no JSON at all': 'hello', 'two values': '{} {}' }
      for (const [what, send] of writes) {
        for (const [how, text] of Object.entries(texts)) {
          it(`${what}: ${how}`, async () => assertRefused(await send(text), 400, 'bad_request', 'invalid UTF-8 JSON'))
        }
      }

      it('bytes that are no UTF-8', async () => {
        assertRefused(await db.put('d', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400, 'bad_request', 'invalid UTF-8 JSON')
      })

      it('nothing', async () => {
        assertRefused(await db.put('d', ''), 400, 'bad_request', 'invalid UTF-8 JSON')
        for (const [method, path] of [['PUT', 'd'], ['POST', ''], ['POST', '_bulk_docs'], ['POST', '_all_docs']]) {
          const connection = await RawConnection.open()
          await connection.request(method, db.path(path), { 'Content-Type': 'application/json', Connection: 'close' })
          assert.match(await connection.closed(), /^HTTP\/1\.1 400 [^]*\{"error":"bad_request","reason":"Missing request body"\}\n$/, path)
        }
      })

      it('gzip that is none', async () => {
        const answer = await db.put('d', 'no gzip', { headers: { 'Content-Encoding': 'gzip' } })
        assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
      })

      it('gzip that is cut off', async () => {
        const whole = zlib.gzipSync(JSON.stringify({ text: 'x'.repeat(1000) }))
        const answer = await db.put('d', whole.subarray(0, whole.length - 8), { headers: { 'Content-Encoding': 'gzip' } })
        assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
      })
    })

    describe('documents of the wrong type', () => {
      for (const text of ['[]', '5', '"text"', 'null', 'true']) {
        it(text, async () => {
          for (const answer of [await db.put('d', text), await db.put('_local/d', text), await db.post('', text)]) {
            assertRefused(answer, 400, 'bad_request', 'Document must be a JSON object')
          }
        })
      }

      for (const [what, doc, error, reason] of [
        ['an unknown reserved member', { _secret: 1 }, 'doc_validation', 'Bad special document member: _secret'],
        ['_revisions that are no object', { _revisions: 5 }, 'doc_validation', undefined],
        ['_revisions without numbers', { _revisions: { start: '1', ids: [A] } }, 'doc_validation', "_revisions.start isn't an integer."],
        ['_revisions without a list', { _revisions: { start: 1, ids: A } }, 'doc_validation', "_revisions.ids isn't a array."],
        ['_revisions of numbers', { _revisions: { start: 1, ids: [5] } }, 'doc_validation', "RevId isn't a string"],
        ['_deleted that is no boolean', { _deleted: 'yes' }, 'doc_validation', undefined]
      ]) {
        it(what, async () => {
          assertRefused(await db.put('d', doc), 400, error, reason)
        })
      }

      for (const attachments of [5, [], 'x', { a: 5 }, { a: { data: 'YQ==', content_type: 7 } }, { a: { data: '%%%' } }, { a: {} }]) {
        it(`_attachments that are ${JSON.stringify(attachments)}`, async () => {
          const answer = await db.put('d', { _attachments: attachments })
          assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
          assert.equal((await db.get('d')).status, 404)
        })
      }
    })

    describe('revisions that are none', () => {
      for (const rev of ['x', '', '1', '-1', 'one-two', '1.5-abc']) {
        it(JSON.stringify(rev), async () => {
          const encoded = encodeURIComponent(rev)
          for (const answer of [
            await db.get(`existing?rev=${encoded}`),
            await db.put('existing', { _rev: rev }),
            await db.put(`existing?rev=${encoded}`, {}),
            await db.remove(`existing?rev=${encoded}`),
            await db.put(`existing/a?rev=${encoded}`, 'x'),
            await db.get(`existing?open_revs=${encodeURIComponent(JSON.stringify([rev]))}`)
          ]) assertRefused(answer, 400, 'bad_request', 'Invalid rev format')
        })
      }

      for (const rev of [5, null, {}, ['1-a']]) {
        it(JSON.stringify(rev), async () => assertRefused(await db.put('existing', { _rev: rev }), 400, 'bad_request', 'Invalid rev format'))
      }

      it('with what no header and no text between quotes can hold', async () => {
        for (const hash of ['a"', 'a\\', 'a\u0000', 'a\n', '漢', '"},{"rev":"2-b']) {
          const docs = [{ _id: 'd', _rev: `1-${hash}` }]
          assertRefused(await db.post('_bulk_docs', { docs, new_edits: false }), 400, 'bad_request', 'Invalid rev format')
          const ancestors = [{ _id: 'd', _rev: '2-b', _revisions: { start: 2, ids: ['b', hash] } }]
          assert.equal((await db.post('_bulk_docs', { docs: ancestors, new_edits: false })).status, 400, hash)
        }
      })

      it('If-Match', async () => {
        assertRefused(await db.put('existing', {}, { headers: { 'If-Match': 'x' } }), 400, 'bad_request', 'Invalid rev format')
      })

      it('open_revs', async () => {
        assertRefused(await db.get('existing?open_revs=x'), 400, 'bad_request', 'invalid UTF-8 JSON')
        assertRefused(await db.get('existing?open_revs={}'), 400, 'bad_request')
      })
    })

    describe('illegal names', () => {
      for (const name of ['A', '_foo', '1a', 'a.b', '..%2Fx', 'a%20b', '%C3%A4']) {
        it(`of a database: ${decodeURIComponent(name)}`, async () => {
          assertRefused(await put(`/${name}`), 400, 'illegal_database_name', /Only lowercase characters \(a-z\)/)
        })
      }

      it('of a document', async () => {
        for (const id of ['_foo', '_designs/x', '_']) {
          assertRefused(await db.put(encodeURIComponent(id), {}), 400, 'illegal_docid', 'Only reserved document ids may start with underscore.')
        }
      })

      it('that are no URL encoding', async () => {
        const { status } = await request('GET', `/${db.name}/%E0%A4%A`)
        assert.ok(status >= 400 && status < 500)
      })

      it('with dots are only names', async () => {
        const { status, body } = await db.get('..%2F..%2Fetc%2Fpasswd')
        assert.equal(status, 404)
        assert.equal(body.reason, 'missing')
      })
    })

    it('unknown query parameters are ignored', async () => {
      assert.equal((await db.get('existing?whatever=1&revs=maybe&attachments=')).status, 200)
      assert.equal((await db.get('_all_docs?whatever=1')).status, 200)
      assert.equal((await db.get('_changes?whatever=1')).status, 200)
    })

    describe('bodies over the limit', () => {
      it('a document of 8 MB', async () => {
        const text = 'x'.repeat(8000000)
        assertRefused(await db.put('big', { text }), 413, 'document_too_large', 'big')
        assertRefused(await db.post('', { _id: 'big', text }), 413, 'document_too_large', 'big')
        assertRefused(await db.post('_bulk_docs', { docs: [{ _id: 'small' }, { _id: 'big', text }] }), 413, 'document_too_large', 'big')
      })

      it('compressed to nearly nothing', async () => {
        const body = zlib.gzipSync(JSON.stringify({ text: 'x'.repeat(9000000) }))
        assertRefused(await db.put('big', body, { headers: { 'Content-Encoding': 'gzip' } }), 413, 'document_too_large', 'big')
      })
    })

    it('content types that are not JSON', async () => {
      for (const [what, send] of writes.slice(3)) {
        const body = '{"docs":[]}'
        const answer = await request('POST', what === 'POST a document' ? db.path() : db.path(what), { body, headers: { 'Content-Type': 'text/plain' } })
        assertRefused(answer, 415, 'bad_content_type', 'Content-Type must be application/json')
        assert.notEqual(send, undefined)
      }
    })

    it('a content encoding that nobody knows', async () => {
      assert.equal((await db.put('d/a', 'x', { headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'br' } })).status, 415)
    })

    it('deep nesting', async () => {
      const depth = 20000
      const answer = await db.put('deep', '{"a":' + '['.repeat(depth) + ']'.repeat(depth) + '}')
      if (answer.status === 201) {
        await db.remove(`deep?rev=${answer.body.rev}`)
        before = await db.contents()
      } else assert.ok(answer.status >= 400 && answer.status < 500, answer.text.slice(0, 200))
    })

    it('deep nesting where no document is', async () => {
      const deep = '{"a":'.repeat(50000) + '1' + '}'.repeat(50000)
      for (const [method, path] of [['PUT', '_security'], ['POST', '_changes?filter=_selector'], ['POST', '_find']]) {
        const body = method === 'PUT' ? deep : `{"selector":${deep}}`
        const { status } = await request(method, db.path(path), { body, headers: { 'Content-Type': 'application/json' } })
        assert.equal(status, 400, path)
      }
    })

    it('members of a query that are called as every object\'s', async () => {
      for (const query of ['{"constructor":1}', '{"__proto__":1}', '{"toString":true}']) {
        const options = { body: query, headers: { 'Content-Type': 'application/json' } }
        assert.equal((await request('POST', db.path('_all_docs'), options)).status, 200, query)
        const queries = { ...options, body: `{"queries":[${query}]}` }
        assert.equal((await request('POST', db.path('_all_docs/queries'), queries)).status, 200, query)
      }
    })

    it('a member called __proto__ is reserved, or only a member', async () => {
      assertRefused(await db.put('d', '{"__proto__":{"polluted":true}}'), 400, 'doc_validation', 'Bad special document member: __proto__')
      const { body: { rev } } = await db.put('d', '{"a":{"__proto__":{"polluted":true}},"constructor":1}')
      const { text } = await db.get('d')
      assert.ok(text.includes('"a":{"__proto__":{"polluted":true}},"constructor":1'), text)
      assert.equal(/** @type {any} */ ({}).polluted, undefined)
      await db.remove(`d?rev=${rev}`)
      before = await db.contents()
    })
  })
})
