'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { TestDatabase } = require('./support/database')
const { compose } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')
const { get, post, request } = require('./support/request')
const { server } = require('./support/server')

const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels)

/** The member `v` of an answer, as it stands in the text. */
const textOf = ({ text }) => /"v":(.*?)[,}]?\}?\s*$/s.exec(text)[1]

describe('Odd documents', function () {
  this.timeout(600_000)
  const db = new TestDatabase()

  describe('numbers', () => {
    const kept = ['0', '-1.5', '9007199254740993', '-9007199254740993', '1152921504606846976', '123456789012345678901234567890', '1e+308', '5e-324', '0.1', '1.0', '1e2', '-0.0', '1.50', '1E-2']

    for (const number of kept) {
      it(`${number} is kept`, async () => {
        await db.put('d', `{"v":${number}}`)
        assert.equal(textOf(await db.get('d')), number)
      })
    }

    it('are kept by what writes a document that is there anew', async () => {
      const number = '123456789012345678901234567890'
      let { body: { rev } } = await db.put('d', `{"v":${number}}`)
      const copied = id => request('COPY', db.path('d'), { headers: { Destination: id } })
      const isKept = async id => assert.match((await db.get(id)).text, new RegExp(`"v":${number}[,}]`), id)
      assert.equal((await copied('copy')).status, 201)
      await isKept('copy')
      rev = (await db.put(`d/a?rev=${rev}`, 'a', { headers: { 'Content-Type': 'text/plain' } })).body.rev
      await isKept('d')
      await copied('copied-with-attachment')
      await isKept('copied-with-attachment')
      rev = (await db.remove(`d/a?rev=${rev}`)).body.rev
      await isKept('d')
      await db.put('_local/d', `{"v":${number}}`)
      await request('COPY', db.path('_local/d'), { headers: { Destination: 'once-local' } })
      await isKept('once-local')
      const parts = [['_rev', rev], ['_attachments"; filename="a.txt', 'a']].map(([name, content]) => ({ headers: { 'Content-Disposition': `form-data; name="${name}"` }, content }))
      const { status } = await db.post('d', compose('b', parts), { headers: { 'Content-Type': 'multipart/form-data; boundary=b', Referer: server.origin } })
      assert.equal(status, 201)
      await isKept('d')
    })

    it('too large ones are refused', async () => {
      for (const number of ['1e400', '-1e400', '1e309', '9'.repeat(400)]) {
        assertRefused(await db.put('d', `{"v":${number}}`), 400, 'bad_request', 'invalid UTF-8 JSON')
        assertRefused(await db.post('_bulk_docs', `{"docs":[{"v":[${number}]}]}`), 400, 'bad_request', 'invalid UTF-8 JSON')
      }
      assert.equal((await db.get('')).body.doc_count, 0)
    })

    it('members stand as they came, and the last of several equal names counts', async () => {
      await db.post('_bulk_docs', '{"docs": [ {"b" : 1, "_id":"d", "10":3.0, "9":{"2":"\\u00e9","1":[ ],"2":4} } ]}')
      const { text } = await db.get('d')
      assert.equal(text.trim().replace(/"_rev":"[^"]*",/, ''), '{"_id":"d","b":1,"10":3.0,"9":{"1":[],"2":4}}')
    })

    it('other spellings are the same numbers', async () => {
      await db.put('d', '{"v":[-0,1e-400,1.0,1E2,100000000000000000.5]}')
      assert.deepEqual((await db.get('d')).body.v, [0, 0, 1, 100, 100000000000000000])
    })

    it('large integers are kept wherever they stand, and their look in strings too', async () => {
      const body = '{"9007199254740993":"9007199254740993","b":{"c":[[1,9007199254740993,"\\\\"],"\\"9007199254740993"],"d":9007199254740995}}'
      await db.post('_bulk_docs', `{"docs":[{"_id":"a"},${body.replace('{', '{"_id":"d",')}]}`)
      await db.put('_local/d', body)
      for (const path of ['d', '_local/d']) {
        const { text } = await db.get(path)
        assert.ok(text.trim().endsWith(body.slice(1)), text)
      }
      const { text } = await db.get('_all_docs?include_docs=true')
      assert.ok(text.includes(body.slice(1)), text)
    })
  })

  it('the last of several equal names counts', async () => {
    await db.put('d', '{"v":1,"w":{"x":1,"x":2},"v":3,"_deleted":true,"_deleted":false}')
    const { body } = await db.get('d')
    assert.deepEqual([body.v, body.w, body._deleted], [3, { x: 2 }, undefined])
  })

  it('nesting comes back, or is refused where it is too deep', async () => {
    for (const levels of [100, 1000, 5000, 9999]) {
      const { status, body: { rev } } = await db.put(`d${levels}`, `{"v":${nested(levels)}}`)
      assert.equal(status, 201)
      assert.ok((await db.get(`d${levels}`)).text.includes(nested(levels)))
      assert.equal((await db.put(`d${levels}`, `{"_rev":"${rev}","s":"${'x'.repeat(300_000)}","v":${nested(levels)},"_deleted":false}`)).status, 201)
      assert.equal((await request('COPY', db.path(`d${levels}`), { headers: { Destination: `e${levels}` } })).status, 201)
      assert.ok((await db.get(`e${levels}`)).text.includes(nested(levels)))
      assert.equal((await db.post('_bulk_docs', `{"docs":[{"_id":"f${levels}","v":{"w":${nested(levels - 2)},"n":12345678901234567890}}]}`)).body[0].ok, true)
      assert.ok((await db.get(`f${levels}`)).text.includes(`${nested(levels - 2)},"n":12345678901234567890`))
      assert.equal((await db.put(`_local/d${levels}`, `{"v":${nested(levels)}}`)).status, 201)
    }
    for (const send of [body => db.put('deep', body), body => db.put('_local/deep', body), body => db.post('_bulk_docs', `{"docs":[{"_id":"deep","v":1},${body}]}`)]) {
      const answer = await send(`{"v":${nested(100000)}}`)
      const refusal = answer.body.error ? answer : { status: 400, body: answer.body.find(({ error }) => error), text: answer.text }
      assertRefused(refusal, 400, 'bad_request')
    }
    for (const path of ['_find', '_all_docs', '_changes?filter=_selector', '_bulk_get', '_revs_diff', '_purge', '_missing_revs']) {
      const answer = await db.post(path, `{"selector":${nested(100000)},"keys":${nested(100000)},"docs":${nested(100000)},"a":${nested(100000)}}`)
      assert.ok(answer.status < 500, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    assert.equal((await get('/')).status, 200)
  })

  it('nesting keeps nobody from views, finds, feeds and replications', async () => {
    await db.write('_design/d', {
      views: { v: { map: 'function (doc) { emit(doc._id) }' }, w: { map: 'function (doc) { emit(doc._id, doc.v) }' } },
      filters: { f: 'function (doc) { return doc._id[0] !== "_" }' },
      validate_doc_update: 'function (doc) { if (doc.bad) throw { forbidden: "bad" } }'
    })
    await db.write('a', { v: 1 })
    for (const levels of [4000, 9999]) {
      const { status, text } = await db.put(`d${levels}`, `{"v":${nested(levels)}}`)
      assert.equal(status, 201, text.slice(0, 300))
    }
    await db.write('z', { v: 2 })
    for (const view of ['v', 'w']) {
      const { status, body } = await db.get(`_design/d/_view/${view}`)
      assert.equal(status, 200)
      const ids = body.rows.map(({ id }) => id)
      assert.ok(ids.includes('a') && ids.includes('z'), `${view}: ${ids}`)
    }
    const find = await db.post('_find', { selector: { v: { $gt: 0 }, _id: { $gt: null } }, fields: ['_id'] })
    assert.equal(find.status, 200, find.text.slice(0, 300))
    assert.ok(find.body.docs.length >= 2)
    const feed = await db.get('_changes?filter=d/f')
    assert.ok(feed.body.results.some(({ id }) => id === 'a') && feed.body.results.some(({ id }) => id === 'z'))
    const target = `/${db.name}-copy`
    assert.equal((await request('PUT', target)).status, 201)
    const url = path => ({ url: server.origin + path, headers: { Authorization: server.authorization } })
    const replicated = await post('/_replicate', { source: url(db.path()), target: url(target) })
    assert.equal(replicated.status, 200, replicated.text)
    assert.equal((await get(target)).body.doc_count, (await db.get('')).body.doc_count)
    await request('DELETE', target)
  })

  it('100,000 members come back', async () => {
    const members = Object.fromEntries(Array.from({ length: 100000 }, (_, i) => [`m${i}`, i]))
    await db.write('d', members)
    const { _id, _rev, ...rest } = (await db.get('d')).body
    assert.deepEqual(rest, members)
  })

  it('a body of 64 MB is more than a document may have, and one of 7 MB is not', async () => {
    const text = (megabytes) => JSON.stringify({ v: 'x'.repeat(megabytes * 1e6) })
    await db.put('d', text(7))
    assert.equal((await db.get('d')).body.v.length, 7e6)
    assertRefused(await db.put('e', text(64)), 413, 'document_too_large')
    assert.equal((await db.get('')).body.doc_count, 1)
  })

  it('names of JavaScript are ids, members and names of attachments as any others', async () => {
    for (const id of ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf']) {
      const refused = id.startsWith('_')
      const answer = await db.put(encodeURIComponent(id), '{"constructor":1,"toString":{"__proto__":[2]},"_attachments":{"constructor":{"data":"aGk="}}}')
      if (refused) {
        assertRefused(answer, 400, 'illegal_docid')
        continue
      }
      const { text, body } = await db.get(id)
      assert.ok(text.includes('"constructor":1,"toString":{"__proto__":[2]}'), text)
      assert.deepEqual(Object.keys(body._attachments), ['constructor'])
      assert.equal((await db.get(`${id}/constructor`)).text, 'hi')
      assert.equal((await db.get(`${id}/toString`)).status, 404)
      assert.deepEqual(Object.keys((await db.post('_revs_diff', { [id]: ['1-x'] })).body), [id])
    }
    assertRefused(await db.put('d', '{"__proto__":{"a":1}}'), 400, 'doc_validation')
    assertRefused(await db.put('d', '{"_attachments":{"__proto__":{"data":""}}}'), 400, 'bad_request')
    const { text } = await db.post('_revs_diff', '{"__proto__":["1-a"]}')
    assert.equal(text.trim(), '{"__proto__":{"missing":["1-a"]}}')
  })

  it('any JSON comes back as it went in', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', '', 'docs', '\\ud800', '\u2028'))
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null),
        fc.constantFrom('\ufffe', '\u{10ffff}', '\\ud800'), fc.array(tie('any')), fc.dictionary(name, tie('any'), { noNullPrototype: true }))
    })).any
    let count = 0
    await fc.assert(fc.asyncProperty(value, async (v) => {
      const id = `d${count++}`
      await db.put(id, JSON.stringify({ v }))
      assert.ok((await db.get(id)).text.trim().endsWith(JSON.stringify({ v }).slice(1)))
    }), { numRuns: 100 })
  })

  it('halves of characters and a mark in front are refused', async () => {
    for (const body of ['{"v":"\\ud800"}', '{"v":["\\uDFFFx"]}', '{"v":{"\\ud800":1}}', '{"v":"\\ude00\\ud83d"}', '\ufeff{"v":1}']) {
      assertRefused(await db.put('d', body), 400, 'bad_request', 'invalid UTF-8 JSON')
      assertRefused(await db.put('_local/d', body), 400, 'bad_request', 'invalid UTF-8 JSON')
      assertRefused(await db.post('_bulk_docs', `{"docs":[${body}]}`), 400, 'bad_request', 'invalid UTF-8 JSON')
    }
    await db.put('d', '{"v":"\\ud83d\\ude00","w":"\\\\ud800"}')
    const { body } = await db.get('d')
    assert.deepEqual([body.v, body.w], ['😀', '\\ud800'])
  })

  it('ids of any characters name one document each', async () => {
    const ids = ['\0', 'a\0', 'a\0b', '\uffff', '\u{10ffff}', 'a/b', 'a%2Fb', '?', '#', ' ', '..', '.', 'é', 'e\u0301', '\u202e', 'a'.repeat(15000)]
    for (const id of ids) assert.equal((await db.post('', { _id: id })).status, 201, id)
    for (const id of ids) {
      const { body } = await db.post('_all_docs', { keys: [id], include_docs: true })
      assert.deepEqual([body.rows[0].id, body.rows[0].doc._id], [id, id])
    }
    assert.equal((await db.get('')).body.doc_count, ids.length)
    assertRefused(await db.post('', { _id: 'x'.repeat(20000) }), 400, 'illegal_docid')
    assertRefused(await db.post('', '{"_id":"\\ud800"}'), 400, 'bad_request')
  })

  it('a revision without a hash is named as any other', async () => {
    await db.put('_design/rules', { validate_doc_update: 'function (newDoc, oldDoc) { if (oldDoc && oldDoc.fixed && !newDoc.fixed) throw { forbidden: "fixed" } }' })
    await db.post('_bulk_docs', { new_edits: false, docs: [{ _id: 'd', _rev: '1-', fixed: true, _attachments: { a: { data: 'YQ==' } } }] })
    assert.equal((await db.get('d?rev=1-')).body._rev, '1-')
    assert.equal((await db.get('d/a?rev=1-')).text, 'a')
    assert.equal((await db.get('d?open_revs=["1-"]', { headers: { Accept: 'application/json' } })).body[0].ok._rev, '1-')
    assert.equal((await db.post('_bulk_get', { docs: [{ id: 'd', rev: '1-', atts_since: ['1-'] }] })).body.results[0].docs[0].ok._rev, '1-')
    assert.deepEqual((await db.post('_revs_diff', { d: ['1-', '2-'] })).body, { d: { missing: ['2-'], possible_ancestors: ['1-'] } })
    assertRefused(await db.put('d?rev=1-', {}), 403, 'forbidden', 'fixed')
    assertRefused(await db.put('d', {}, { headers: { 'If-Match': '"1-"' } }), 403, 'forbidden', 'fixed')
    assert.equal((await db.put('d?rev=1-', { fixed: true })).status, 201)
  })
})
