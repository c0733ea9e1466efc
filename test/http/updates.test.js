'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')
const { setting } = require('./support/setting')

const updates = {
  documented: `function (doc, req) {
    if (!doc) return req.id ? [{ _id: req.id }, "New World"] : [null, "Empty World"]
    doc.world = "hello"
    doc.edited_by = req.userCtx.name
    return [doc, "Edited World!"]
  }`,
  fields: 'function (doc, req) { doc[req.form.field] = req.form.value; return [doc, { json: doc }] }',
  made: 'function (doc, req) { return [{ _id: req.uuid, body: JSON.parse(req.body) }, { code: 302, headers: { Location: "/x" }, body: req.uuid }] }',
  long: 'function (doc, req) { return [{ _id: "long", text: new Array(10000).join("x") }, ""] }',
  bytes: 'function (doc, req) { return [null, { base64: "aGVsbG8=", headers: { "Content-Type": "application/x" } }] }',
  named: 'function (doc, req) { return [{ _id: req.query.id }, ""] }',
  forged: 'function (doc, req) { return [{ _id: "forged" }, { headers: { "X-Couch-Id": "other", "X-Couch-Update-NewRev": "9-x" }, body: "" }] }',
  attached: 'function (doc, req) { return [{ _id: "attached", _attachments: { a: { data: "aGVsbG8=", content_type: "text/plain" } } }, ""] }',
  removed: 'function (doc, req) { doc._deleted = true; return [doc, "gone"] }',
  conflict: 'function (doc, req) { return [{ _id: "a" }, ""] }',
  nameless: 'function (doc, req) { return [{}, ""] }',
  numbered: 'function (doc, req) { return [{ _id: 5 }, ""] }',
  nothing: 'function (doc, req) { return [null] }',
  throws: 'function (doc, req) { throw new Error("boo") }',
  unknown: 'function (doc, req) { return [{ _id: "kept" }, { foo: 1 }] }'
}

const VALIDATION = 'function (doc) { if (doc._id === "forbidden") throw { forbidden: "not that" } }'

describe('update functions', () => {
  const db = new TestDatabase()
  const update = (rest, body, options) => db.post(`_design/d/_update/${rest}`, body ?? '', options)
  let rev

  beforeEach(async () => {
    await db.write('_design/d', { updates, validate_doc_update: VALIDATION })
    rev = await db.write('a', { n: 1 })
  })

  it('edit a document', async () => {
    const { status, text, headers } = await update('documented/a')
    assert.equal(status, 201)
    assert.equal(text, 'Edited World!')
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('x-couch-id'), 'a')
    const { body } = await db.get('a')
    assert.equal(headers.get('x-couch-update-newrev'), body._rev)
    assert.deepEqual([body.n, body.world, body._rev.slice(0, 2)], [1, 'hello', '2-'])
    assert.equal(body._revisions, undefined)
  })

  it('make a document, by PUT as well', async () => {
    assert.equal((await update('documented/new')).text, 'New World')
    assert.equal((await db.put('_design/d/_update/documented/new%2Fer', '')).headers.get('x-couch-id'), 'new%2Fer')
    assert.equal((await db.get('new%2Fer')).status, 200)
  })

  it('need not write anything', async () => {
    const { status, text, headers } = await update('documented')
    assert.deepEqual([status, text, headers.get('x-couch-id')], [200, 'Empty World', null])
    const { bytes, headers: { get } } = await update('bytes')
    assert.equal(bytes.toString(), 'hello')
    assert.equal(typeof get, 'function')
  })

  it('take forms and bodies', async () => {
    const form = await update('fields/a', 'field=title&value=test+it', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })
    assert.equal(form.status, 201)
    assert.equal(form.body.title, 'test it')
    const made = await update('made', { x: [1] })
    assert.deepEqual([made.status, made.headers.get('location')], [302, '/x'])
    assert.deepEqual((await db.get(made.text)).body.body, { x: [1] })
  })

  it('may write under any id, attachments too, and remove', async () => {
    const named = await update('named?id=%C3%A9%20x')
    assert.equal(named.headers.get('x-couch-id'), '%C3%A9%20x')
    await update('attached')
    assert.equal((await db.get('attached/a')).text, 'hello')
    assert.equal((await update('removed/a')).text, 'gone')
    assertRefused(await db.get('a'), 404, 'not_found', 'deleted')
  })

  it('keep attachments of what they edit', async () => {
    await db.put(`a/file?rev=${rev}`, 'content', { headers: { 'Content-Type': 'text/plain' } })
    assert.equal((await update('documented/a')).status, 201)
    assert.equal((await db.get('a/file')).text, 'content')
  })

  it('cannot say which revision they made', async () => {
    const { headers } = await update('forged')
    assert.equal(headers.get('x-couch-id'), 'forged')
    assert.match(headers.get('x-couch-update-newrev'), /^1-[0-9a-f]{32}$/)
  })

  it('fail where the document cannot be written', async () => {
    assertRefused(await update('conflict'), 409, 'conflict', 'Document update conflict.')
    assertRefused(await update('nameless'), 400, 'illegal_docid', 'Document id must not be empty')
    assertRefused(await update('numbered'), 400, 'illegal_docid', 'Document id must be a string')
    assertRefused(await update('named?id=_x'), 400, 'illegal_docid', 'Only reserved document ids may start with underscore.')
    assertRefused(await update('documented/forbidden'), 403, 'forbidden', 'not that')
  })

  it('answer with what they throw', async () => {
    assertRefused(await update('throws'), 500, 'render_error', /^function raised error: Error: boo/)
    assertRefused(await update('throws/none'), 500, 'render_error')
    assertRefused(await update('nothing'), 500, 'render_error', 'undefined response from update function')
    assertRefused(await update('unknown'), 500, 'external_response_error')
    assert.equal((await db.get('kept')).status, 200)
  })

  it('do not answer GET', async () => {
    assertRefused(await db.get('_design/d/_update/documented/a'), 405, 'method_not_allowed', 'Update functions do not allow GET')
    assert.equal((await request('DELETE', db.path('_design/d/_update/bytes/a'))).status, 200)
  })

  it('do not write in answer to HEAD', async () => {
    await request('HEAD', db.path('_design/d/_update/documented/by-head'))
    assert.equal((await db.get('by-head')).status, 404)
  })

  it('have to be there', async () => {
    assertRefused(await update('none/a'), 404, 'not_found', 'missing json key: none')
    assertRefused(await db.post('_design/d/_update', ''), 404, 'update_error', 'Invalid path.')
    assertRefused(await db.post('_design/none/_update/x', ''), 404, 'not_found', 'missing')
  })

  describe('with a limit to documents', () => {
    setting('couchdb', 'max_document_size', 5000)

    it('write none that is longer, however short the request was', async () => {
      assertRefused(await update('long'), 413, 'document_too_large', 'long')
      assert.equal((await db.get('long')).status, 404)
    })
  })
})
