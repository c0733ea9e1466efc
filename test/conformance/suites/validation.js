'use strict'

const assert = require('node:assert/strict')
const { codeOf, collect } = require('../pages')

module.exports = (context) => describe('validation', () => {
  const refused = [
    ['an array', [], 'NOT_AN_OBJECT', 'Document must be a JSON object'],
    ['null', null, 'NOT_AN_OBJECT', 'Document must be a JSON object'],
    ['a string', 'x', 'NOT_AN_OBJECT', 'Document must be a JSON object'],
    ['an id that is a number', { _id: 1 }, 'INVALID_ID', 'Document id must be a string'],
    ['an id that is null', { _id: null }, 'INVALID_ID', 'Document id must be a string'],
    ['an empty id', { _id: '' }, 'ILLEGAL_DOCID', 'Document id must not be empty'],
    ['an id with a lone surrogate', { _id: 'a\ud800' }, 'ILLEGAL_DOCID', 'Document id must be valid UTF-8'],
    ['a reserved id', { _id: '_foo' }, 'ILLEGAL_DOCID', 'Only reserved document ids may start with underscore.'],
    ['a design document without name', { _id: '_design/' }, 'ILLEGAL_DOCID', 'Illegal document id `_design/`'],
    ['a local document without name', { _id: '_local/' }, 'ILLEGAL_DOCID', 'Illegal document id `_local/`'],
    ['an id of 20,000 bytes', { _id: 'x'.repeat(20000) }, 'ILLEGAL_DOCID', 'Document id is too long'],
    ['an id of 30,000 bytes in 10,000 characters', { _id: '\uffff'.repeat(10000) }, 'ILLEGAL_DOCID', 'Document id is too long'],
    ['a hash that is too long', { _id: 'a', _rev: `1-${'x'.repeat(600)}` }, 'INVALID_REV', 'Invalid rev format'],
    ['an unknown underscore member', { _id: 'a', _foo: 1 }, 'DOC_VALIDATION', 'Bad special document member: _foo'],
    ['a member named __proto__', JSON.parse('{"_id":"a","__proto__":1}'), 'DOC_VALIDATION', 'Bad special document member: __proto__'],
    ['_deleted that is no boolean', { _id: 'a', _deleted: 'yes' }, 'DOC_VALIDATION', 'Bad special document member: _deleted'],
    ['a revision without generation', { _id: 'a', _rev: 'abc' }, 'INVALID_REV', 'Invalid rev format'],
    ['a revision that is a number', { _id: 'a', _rev: 1 }, 'INVALID_REV', 'Invalid rev format'],
    ['a generation of 0', { _id: 'a', _rev: '0-a' }, 'INVALID_REV', 'Invalid rev format'],
    ['_attachments that are a list', { _id: 'a', _attachments: [] }, 'DOC_VALIDATION', 'Bad special document member: _attachments'],
    ['an attachment that is text', { _id: 'a', _attachments: { f: 'x' } }, 'BAD_REQUEST', 'Attachment f must be a JSON object'],
    ['an attachment without data', { _id: 'a', _attachments: { f: {} } }, 'BAD_REQUEST', 'Invalid attachment data for f'],
    ['bad base64', { _id: 'a', _attachments: { f: { data: '#' } } }, 'BAD_REQUEST', 'Invalid attachment data for f'],
    ['an attachment name with underscore', { _id: 'a', _attachments: { _f: { data: '' } } }, 'BAD_REQUEST', "Attachment name '_f' starts with prohibited character '_'"],
    ['a stub of nothing', { _id: 'a', _attachments: { f: { stub: true } } }, 'MISSING_STUB', 'Invalid attachment stub in a for f']
  ]

  for (const [what, doc, code, reason] of refused) {
    it(`refuses ${what}`, async () => {
      const [result] = await context.store.write([doc])
      assert.deepEqual([result.code, result.reason], [code, reason])
      assert.equal(context.store.updateSeq, 0)
    })
  }

  it('refuses documents that are no list', async () => {
    assert.equal(await codeOf(context.store.write({})), 'BAD_REQUEST')
  })

  it('refuses replicated documents without an id or a revision, or with a malformed history', async () => {
    const docs = [
      { _rev: '1-a' },
      { _id: 'a' },
      { _id: 'a', _revisions: { start: 'x', ids: ['a'] } },
      { _id: 'a', _revisions: { start: 1, ids: 'a' } },
      { _id: 'a', _revisions: { start: 1, ids: [1] } },
      { _id: 'a', _revisions: { start: 1, ids: ['b', 'a'] } }
    ]
    const results = await context.store.write(docs, { newEdits: false })
    assert.deepEqual(results.map(({ code }) => code), ['MISSING_ID', 'INVALID_REV', 'DOC_VALIDATION', 'DOC_VALIDATION', 'DOC_VALIDATION', 'DOC_VALIDATION'])
  })

  it('refuses replicated generations that edits could not go on from, and goes on from the highest', async () => {
    const { store } = context
    const highest = 900_000_000_000_000
    const docs = [{ _revisions: { start: highest + 1, ids: ['a'] } }, { _revisions: { start: Number.MAX_SAFE_INTEGER, ids: ['a'] } }, { _rev: '999999999999999-a' }]
    const results = await store.write(docs.map(doc => ({ _id: 'a', ...doc })), { newEdits: false })
    assert.deepEqual(results.map(({ code }) => code), ['INVALID_REV', 'INVALID_REV', 'INVALID_REV'])
    await store.write([{ _id: 'a', _revisions: { start: highest, ids: ['a'] } }], { newEdits: false })
    const { rev } = await store.put({ _id: 'a', _rev: `${highest}-a` })
    assert.equal((await store.get('a', { rev })).rev, rev)
    assert.deepEqual(await store.revsDiff({ a: [rev] }), {})
  })

  it('takes the longest ids with the longest hashes, and finds longer ones missing', async () => {
    const { store } = context
    const id = '\uffff'.repeat(5461)
    const [first] = await store.write([{ _id: id, _rev: `3-${'é'.repeat(512)}` }], { newEdits: false })
    await store.put({ _id: id, _rev: first.rev, n: 2 })
    assert.equal((await store.get(id, { rev: first.rev })).body, '{}')
    const longer = 'x'.repeat(100000)
    assert.equal(await codeOf(store.get(longer)), 'MISSING')
    assert.equal(await codeOf(store.getLocal(`_local/${longer}`)), 'MISSING')
    assert.deepEqual(await store.revsDiff({ [longer]: ['1-a'] }), { [longer]: { missing: ['1-a'] } })
    assert.equal((await store.bulkGet([{ id: longer }]))[0].error.code, 'MISSING')
    const rows = await collect((await store.allDocs({ keys: [longer] })).rows)
    assert.equal(rows[0].error, 'not_found')
    assert.deepEqual(await collect((await store.allDocs({ startkey: longer, endkey: longer + 'y' })).rows), [])
    assert.deepEqual(await collect(store.changes({ docIds: [longer] })), [])
  })

  it('drops what reading added', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', x: 1 })
    await store.put({ _id: 'a', _rev: rev, x: 2, _revs_info: [], _conflicts: [], _deleted_conflicts: [], _local_seq: 1, _revisions: { start: 1, ids: [rev.slice(2)] } })
    assert.equal((await store.get('a')).body, '{"x":2}')
  })

  it('keeps what CouchDB\'s replicator writes into documents, and who has access', async () => {
    await context.store.put({ _id: 'a', _replication_state: 'triggered', _access: ['alice'] })
    assert.equal((await context.store.get('a')).body, '{"_replication_state":"triggered","_access":["alice"]}')
  })

  it('takes any id that is valid UTF-8, and keeps them apart', async () => {
    const { store } = context
    const ids = ['a\0', 'a\0b', 'a', 'a/b?c#d', '\uffff', '\u{10ffff}', 'é', ' ', '%2f', 'constructor', '_design/x', '_design/x/y']
    const results = await store.write(ids.map((id) => ({ _id: id, id })))
    assert.deepEqual(results.map(({ id }) => id), ids)
    for (const [i, id] of ids.entries()) {
      const document = await store.get(id, { rev: results[i].rev })
      assert.deepEqual(JSON.parse(document.body), { id })
    }
    await store.write(ids.map((id, i) => ({ _id: id, _rev: results[i].rev, again: true })))
    for (const [i, id] of ids.entries()) assert.deepEqual(JSON.parse((await store.get(id, { rev: results[i].rev })).body), { id })
  })

  it('never confuses an id with a lone surrogate with another', async () => {
    const { store } = context
    await store.put({ _id: '\ufffd' })
    assert.equal(await codeOf(store.get('\ud800')), 'MISSING')
    assert.deepEqual(await store.revsDiff({ '\ud800': ['1-a'] }), { '\ud800': { missing: ['1-a'] } })
    const [row] = (await (await store.allDocs({ keys: ['\ud800'] })).rows[Symbol.asyncIterator]().next()).value
    assert.equal(row.error, 'not_found')
  })
})
