'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { parts } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')

const A = 'aa000000000000000000000000000000'
const B = 'bb000000000000000000000000000000'
const C = 'cc000000000000000000000000000000'

describe('_bulk_docs', () => {
  const db = new TestDatabase()

  it('writes, updates and deletes, and answers in order', async () => {
    const first = await db.post('_bulk_docs', { docs: [{ _id: 'a', n: 1 }, { _id: 'b' }, { n: 3 }] })
    assert.equal(first.status, 201)
    assert.deepEqual(first.body.map(({ ok }) => ok), [true, true, true])
    assert.deepEqual(first.body.slice(0, 2).map(({ id }) => id), ['a', 'b'])
    assert.match(first.body[2].id, /^[0-9a-f]{32}$/)
    const second = await db.post('_bulk_docs', { docs: [{ _id: 'a', _rev: first.body[0].rev, n: 2 }, { _id: 'b', _rev: first.body[1].rev, _deleted: true }] })
    assert.deepEqual(second.body.map(({ rev }) => rev.split('-')[0]), ['2', '2'])
    assert.equal((await db.get('a')).body.n, 2)
    assertRefused(await db.get('b'), 404, 'not_found', 'deleted')
  })

  it('tells conflicts document by document', async () => {
    const rev = await db.write('a')
    const { status, body } = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'b' }, { _id: 'a', _rev: rev }] })
    assert.equal(status, 201)
    assert.deepEqual({ id: body[0].id, error: body[0].error, reason: body[0].reason }, { id: 'a', error: 'conflict', reason: 'Document update conflict.' })
    assert.equal(body[1].ok, true)
    assert.equal(body[2].ok, true)
  })

  it('answers 202 where w wants more copies than there are', async () => {
    const { status, body } = await db.post('_bulk_docs?w=3', { docs: [{ _id: 'a' }, { _id: 'b' }] })
    assert.equal(status, 202)
    assert.deepEqual(body.map(({ id, accepted }) => [id, accepted]), [['a', true], ['b', true]])
    for (const w of [0, 1, 'x']) {
      const { status, body } = await db.post(`_bulk_docs?w=${w}`, { docs: [{}] })
      assert.deepEqual([status, body[0].accepted], [201, undefined])
    }
  })

  it('with atomic writes nothing where one is refused', async () => {
    await db.write('b')
    const refused = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'b' }], atomic: true })
    assert.equal(refused.status, 417)
    assert.deepEqual(refused.body.map(({ id, error }) => [id, error]), [['a', 'expectation_failed'], ['b', 'conflict']])
    assertRefused(await db.get('a'), 404, 'not_found', 'missing')
    const written = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'c' }], atomic: true })
    assert.equal(written.status, 201)
    assert.deepEqual(written.body.map(({ ok }) => ok), [true, true])
    assertRefused(await db.post('_bulk_docs', { docs: [], atomic: 1 }), 400, 'bad_request')
  })

  it('with all_or_nothing refuses all, as there is no such thing any longer', async () => {
    const { status, body } = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'b', _rev: '1-aa' }], all_or_nothing: true })
    assert.equal(status, 417)
    const refusal = { error: 'not_implemented', reason: 'all_or_nothing is not supported' }
    assert.deepEqual(body, [{ id: 'a', rev: '0-', ...refusal }, { id: 'b', rev: '1-aa', ...refusal }])
    assertRefused(await db.get('a'), 404, 'not_found', 'missing')
    assert.equal((await db.post('_bulk_docs', { docs: [{ _id: 'a' }], all_or_nothing: 'yes' })).body[0].ok, true)
  })

  it('with new_edits false keeps revisions, and answers only errors', async () => {
    const docs = [
      { _id: 'd', _revisions: { start: 2, ids: [B, A] }, n: 2 },
      { _id: 'd', _rev: `1-${B}`, n: 1 }
    ]
    const { status, body } = await db.post('_bulk_docs', { docs, new_edits: false })
    assert.equal(status, 201)
    assert.deepEqual(body, [])
    const { body: doc } = await db.get('d?conflicts=true&revs=true')
    assert.equal(doc._rev, `2-${B}`)
    assert.deepEqual(doc._conflicts, [`1-${B}`])
    assert.deepEqual((await db.post('_bulk_docs', { docs, new_edits: false })).body, [])
    assert.equal((await db.get('_changes')).body.results.length, 1)
  })

  it('takes no documents', async () => {
    const { status, body } = await db.post('_bulk_docs', { docs: [] })
    assert.equal(status, 201)
    assert.deepEqual(body, [])
  })

  it('takes thousands', async () => {
    const docs = Array.from({ length: 3000 }, (_, n) => ({ _id: `doc-${String(n).padStart(5, '0')}`, n, text: 'é'.repeat(100) }))
    const { status, body } = await db.post('_bulk_docs', { docs })
    assert.equal(status, 201)
    assert.ok(body.every(({ ok }, n) => ok && body[n].id === docs[n]._id))
    assert.equal((await db.get('')).body.doc_count, 3000)
  })

  describe('refuses, and writes nothing of', () => {
    for (const [what, body, error, reason] of [
      ['a body without docs', {}, 'bad_request', 'POST body must include `docs` parameter.'],
      ['docs that are no array', { docs: { _id: 'a' } }, 'bad_request', '`docs` parameter must be an array.'],
      ['a body that is no object', [{ _id: 'a' }], 'bad_request', 'Request body must be a JSON object'],
      ['new_edits that is no boolean', { docs: [{ _id: 'a' }], new_edits: 'no' }, 'bad_request', '`new_edits` parameter must be a boolean.'],
      ['a document that is no object', { docs: [{ _id: 'a' }, 'b'] }, 'bad_request', 'Document must be a JSON object'],
      ['an id that is no string', { docs: [{ _id: 'a' }, { _id: 5 }] }, 'illegal_docid', 'Document id must be a string'],
      ['an empty id', { docs: [{ _id: 'a' }, { _id: '' }] }, 'illegal_docid', 'Document id must not be empty'],
      ['an id that is reserved', { docs: [{ _id: 'a' }, { _id: '_b' }] }, 'illegal_docid', 'Only reserved document ids may start with underscore.'],
      ['a member that is reserved', { docs: [{ _id: 'a' }, { _id: 'b', _c: 1 }] }, 'doc_validation', 'Bad special document member: _c'],
      ['a revision that is none', { docs: [{ _id: 'a' }, { _id: 'b', _rev: 'x' }] }, 'bad_request', 'Invalid rev format'],
      ['revisions that are none', { docs: [{ _id: 'a', _rev: `1-${A}` }, { _id: 'b', _revisions: { start: 'x', ids: [] } }], new_edits: false }, 'doc_validation', "_revisions.start isn't an integer."],
      ['new_edits false without revisions', { docs: [{ _id: 'a' }], new_edits: false }, 'bad_request', 'When `new_edits: false`, the document needs `_rev` or `_revisions` specified'],
      ['an attachment name that is reserved', { docs: [{ _id: 'a' }, { _id: 'b', _attachments: { _x: { data: '' } } }] }, 'bad_request', "Attachment name '_x' starts with prohibited character '_'"]
    ]) {
      it(what, async () => {
        assertRefused(await db.post('_bulk_docs', body), 400, error, reason)
        assert.deepEqual((await db.contents()).changes, [])
      })
    }
  })
})

describe('_bulk_get', () => {
  const db = new TestDatabase()

  it('gives revisions, leaves, and what is missing', async () => {
    await db.replicate({ _id: 'd', _rev: `1-${A}`, n: 1 }, { _id: 'd', _rev: `1-${B}`, n: 2 }, { _id: 'e', _rev: `1-${A}` })
    const { status, body } = await db.post('_bulk_get?revs=true', { docs: [{ id: 'd', rev: `1-${A}` }, { id: 'e' }, { id: 'd', rev: `7-${A}` }, { id: 'f', rev: `1-${A}` }] })
    assert.equal(status, 200)
    assert.deepEqual(body.results.map(({ id }) => id), ['d', 'e', 'd', 'f'])
    assert.deepEqual(body.results[0].docs, [{ ok: { _id: 'd', _rev: `1-${A}`, n: 1, _revisions: { start: 1, ids: [A] } } }])
    assert.equal(body.results[1].docs[0].ok._id, 'e')
    assert.deepEqual(body.results[2].docs, [{ error: { id: 'd', rev: `7-${A}`, error: 'not_found', reason: 'missing' } }])
    assert.equal(body.results[3].docs[0].error.error, 'not_found')
  })

  it('without a revision gives every leaf', async () => {
    await db.replicate({ _id: 'd', _rev: `1-${A}` }, { _id: 'd', _rev: `1-${B}` })
    const { body } = await db.post('_bulk_get', { docs: [{ id: 'd' }, { id: 'missing' }] })
    assert.deepEqual(body.results[0].docs.map(({ ok }) => ok._rev).sort(), [`1-${A}`, `1-${B}`])
    assert.deepEqual(body.results[1].docs, [{ error: { id: 'missing', rev: 'undefined', error: 'not_found', reason: 'missing' } }])
  })

  it('latest gives all leaves that a revision has become', async () => {
    await db.replicate(...[B, C].map(leaf => ({ _id: 'd', _revisions: { start: 2, ids: [leaf, A] } })))
    const { body } = await db.post('_bulk_get?latest=true', { docs: [{ id: 'd', rev: `1-${A}` }, { id: 'd', rev: `2-${B}` }] })
    assert.deepEqual(body.results[0].docs.map(({ ok }) => ok._rev).sort(), [`2-${B}`, `2-${C}`])
    assert.deepEqual(body.results[1].docs.map(({ ok }) => ok._rev), [`2-${B}`])
  })

  it('latest gives the newest descendant', async () => {
    const first = await db.write('d', { n: 1 })
    const { body: { rev } } = await db.put('d', { _rev: first, n: 2 })
    const { body } = await db.post('_bulk_get?latest=true', { docs: [{ id: 'd', rev: first }] })
    assert.equal(body.results[0].docs[0].ok._rev, rev)
  })

  it('gives attachments inline', async () => {
    const rev = await db.write('d', { _attachments: { a: { content_type: 'text/x-y', data: 'YQ==' } } })
    const { body } = await db.post('_bulk_get?attachments=true', { docs: [{ id: 'd', rev }] })
    assert.equal(body.results[0].docs[0].ok._attachments.a.data, 'YQ==')
    const stubs = await db.post('_bulk_get', { docs: [{ id: 'd', rev }] })
    assert.equal(stubs.body.results[0].docs[0].ok._attachments.a.stub, true)
  })

  it('gives content newer than atts_since, with a revision or without', async () => {
    const first = await db.write('d', { _attachments: { old: { data: 'YQ==' } } })
    const { body: { rev } } = await db.put('d', { _rev: first, _attachments: { old: { stub: true }, new: { data: 'Yg==' } } })
    const { body } = await db.post('_bulk_get', { docs: [{ id: 'd', rev, atts_since: [first] }, { id: 'd', atts_since: [first] }, { id: 'd', rev, atts_since: [] }] })
    const found = body.results.map(({ docs: [{ ok }] }) => [ok._attachments.old.stub, ok._attachments.new.data])
    assert.deepEqual(found, [[true, 'Yg=='], [true, 'Yg=='], [true, undefined]])
  })

  it('gives multipart/mixed to who takes no JSON', async () => {
    const rev = await db.write('d', { _attachments: { a: { content_type: 'image/x-y', data: 'aGVsbG8=' } } })
    await db.write('e', { n: 1 })
    const { status, headers, bytes } = await db.post('_bulk_get', { docs: [{ id: 'd', rev }, { id: 'e' }, { id: 'f', rev }] }, { headers: { Accept: 'multipart/mixed' } })
    assert.equal(status, 200)
    assert.match(headers.get('content-type'), /^multipart\/mixed/)
    const found = parts(headers.get('content-type'), bytes)
    assert.equal(found.length, 3)
    assert.equal(found[0].headers['x-doc-id'], 'd')
    const [json, file] = parts(found[0].headers['content-type'], found[0].content)
    assert.equal(JSON.parse(json.content.toString())._id, 'd')
    assert.equal(file.content.toString(), 'hello')
    assert.equal(JSON.parse(found[1].content.toString()).n, 1)
    assert.equal(JSON.parse(found[2].content.toString()).error, 'not_found')
  })

  it('says what is wrong with one request in its place', async () => {
    await db.write('d')
    const { status, body } = await db.post('_bulk_get', { docs: [{ id: 'd' }, { id: 'd', rev: 'x' }, { rev: `1-${A}` }, 'd', { id: 'd', atts_since: 'x' }] })
    assert.equal(status, 200)
    assert.deepEqual(body.results.map(({ docs: [{ ok, error }] }) => ok ? 'ok' : error.reason), [
      'ok', 'Invalid rev format', 'document id missed', 'document must be a JSON object', 'att_since value must be array of revs.'])
  })

  it('refuses requests that are none', async () => {
    assertRefused(await db.post('_bulk_get', {}), 400, 'bad_request', "Missing JSON list of 'docs'.")
    assertRefused(await db.post('_bulk_get?rev=1-a', { docs: [] }), 400, 'bad_request', '"rev" query parameter is not acceptable')
    assert.deepEqual((await db.post('_bulk_get', { docs: [] })).body, { results: [] })
  })
})

describe('_revs_diff and _missing_revs', () => {
  const db = new TestDatabase()

  it('tell which revisions are not here', async () => {
    await db.replicate({ _id: 'd', _revisions: { start: 2, ids: [B, A] } })
    const asked = { d: [`1-${A}`, `2-${B}`, `3-${A}`], e: [`1-${A}`], known: [] }
    const { status, body } = await db.post('_revs_diff', asked)
    assert.equal(status, 200)
    assert.deepEqual(body, { d: { missing: [`3-${A}`], possible_ancestors: [`2-${B}`] }, e: { missing: [`1-${A}`] } })
    assert.deepEqual((await db.post('_missing_revs', asked)).body, { missing_revs: { d: [`3-${A}`], e: [`1-${A}`] } })
  })

  it('refuse what is no list of revisions', async () => {
    for (const name of ['_revs_diff', '_missing_revs']) {
      assertRefused(await db.post(name, []), 400, 'bad_request', 'Request body must be a JSON object')
      assertRefused(await db.post(name, { d: ['x'] }), 400, 'bad_request', 'Invalid rev format')
      assert.equal((await db.post(name, { d: 'x' })).status, 400)
    }
  })
})
