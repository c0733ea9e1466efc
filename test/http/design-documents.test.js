'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const map = 'function (doc) { emit(doc._id, 1) }'

describe('design documents', () => {
  const db = new TestDatabase()

  describe('are refused with', () => {
    for (const [ddoc, reason] of [
      [{ views: 1 }, '`views` field must have object type'],
      [{ views: null }, '`views` field must have object type'],
      [{ views: { v: [] } }, '`views.v` field must have object type'],
      [{ views: { v: { map: 1 } } }, '`views.v.map` field must have string type'],
      [{ views: { v: { map, reduce: {} } } }, '`views.v.reduce` field must have string type'],
      [{ views: { v: { reduce: '_count' } } }, 'View `v` must contain map function'],
      [{ views: { lib: 'exports.x = 1' } }, '`views.lib` field must have object type'],
      [{ language: 'query', views: { v: { map } } }, '`views.v.map` field must have object type'],
      [{ language: 7 }, '`language` field must have string type'],
      [{ options: [] }, '`options` field must have object type'],
      [{ options: { local_seq: 1 } }, '`options.local_seq` field must have boolean type'],
      [{ options: { include_design: 'yes' } }, '`options.include_design` field must have boolean type'],
      [{ options: { partitioned: true } }, 'partitioned option cannot be true in a non-partitioned database.'],
      [{ filters: 'f' }, '`filters` field must have object type'],
      [{ filters: { f: 1 } }, '`filters.f` field must have string or object type'],
      [{ updates: { u: null } }, '`updates.u` field must have string or object type'],
      [{ shows: { s: false } }, '`shows.s` field must have string or object type'],
      [{ lists: { l: [] } }, '`lists.l` field must have string or object type'],
      [{ rewrites: 1 }, '`rewrites` field must have array or string type'],
      [{ validate_doc_update: {} }, '`validate_doc_update` field must have string type'],
      [{ views: { v: { map, reduce: '_nope' } } }, '`_nope` is not a supported reduce function.'],
      [{ views: { v: { map, reduce: '_top_0' } } }, 'rank value must be between 1 and 100'],
      [{ views: { v: { map, reduce: '_bottom_101' } } }, 'rank value must be between 1 and 100'],
      [{ views: { v: { map, reduce: '_top_x' } } }, 'invalid rank reducer']
    ]) {
      it(JSON.stringify(ddoc), async () => {
        assertRefused(await db.put('_design/d', ddoc), 400, 'invalid_design_doc', reason)
      })
    }

    for (const [views, reason] of [
      [{ v: { map: 'nope' } }, /^Compilation of the map function in the 'v' view failed: ReferenceError: .*nope.* is not defined \(nope\)$/],
      [{ v: { map: 'function (doc) {' } }, /^Compilation of the map function in the 'v' view failed: SyntaxError: /],
      [{ v: { map, reduce: 'function (' } }, /^Compilation of the reduce function in the 'v' view failed: SyntaxError: /],
      [{ v: { map: '1' } }, /^Compilation of the map function in the 'v' view failed: /],
      [{ a: { map: 'beta' }, b: { map: 'alpha' } }, /'b' view failed: /]
    ]) {
      it(`functions that cannot be compiled: ${JSON.stringify(views)}`, async () => {
        const answer = await db.put('_design/d', { views })
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.body.error, 'compilation_error')
        assert.match(answer.body.reason, reason)
      })
    }

    for (const [members, reason] of [
      [{ indexes: { all: { index: 'function(doc){index("default", doc.title)' } } }, /^Compilation of the index function in the 'all' index failed: SyntaxError: /],
      [{ indexes: { good: { index: 'function (doc) { index("a", 1) }' }, bad: { index: '1' } } }, /^Compilation of the index function in the 'bad' index failed: Expression does not eval to a function/],
      [{ nouveau: { all: { index: 'function (doc) {' } } }, /^Compilation of the index function in the 'all' index failed: SyntaxError: /],
      [{ language: 'coffeescript', indexes: { all: { index: '(doc) -> index("a"' } } }, /^Compilation of the index function in the 'all' index failed: /]
    ]) {
      it(`functions of text indexes that cannot be compiled, unless they are replicated: ${JSON.stringify(members)}`, async () => {
        assertRefused(await db.put('_design/d', members), 400, 'compilation_error', reason)
        const { status, body } = await db.post('_bulk_docs', { new_edits: false, docs: [{ _id: '_design/d', _rev: '1-a', ...members }] })
        assert.deepEqual([status, body], [201, []])
        assert.equal((await db.get('_design/d')).status, 200)
      })
    }

    it('no text of a function', async () => {
      assertRefused(await db.put('_design/d', { views: { v: { map: '' } } }), 404, 'not_found', 'missing function')
    })
  })

  it('are refused one by one', async () => {
    const { status, body } = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: '_design/bad', views: 1 }, { _id: '_design/good', views: { v: { map } } }] })
    assert.equal(status, 201)
    assert.deepEqual(body.map(({ id, ok, error }) => ({ id, ok, error })), [
      { id: 'a', ok: true, error: undefined },
      { id: '_design/bad', ok: undefined, error: 'invalid_design_doc' },
      { id: '_design/good', ok: true, error: undefined }
    ])
  })

  it('are refused when they are replicated', async () => {
    const { body } = await db.post('_bulk_docs', { new_edits: false, docs: [{ _id: '_design/bad', _rev: '1-a', views: 1 }, { _id: 'b', _rev: '1-a' }] })
    assert.deepEqual(body, [{ id: '_design/bad', rev: '1-a', error: 'invalid_design_doc', reason: '`views` field must have object type' }])
    assert.equal((await db.get('b')).status, 200)
    assert.equal((await db.get('_design/bad')).status, 404)
  })

  for (const ddoc of [
    { language: 'erlang', views: { v: { map: 'fun({Doc}) -> ok end.' } } },
    { language: 'query', views: { v: { map: { fields: { a: 'asc' } }, reduce: '_count', options: { def: { fields: ['a'] } } } } },
    { views: { lib: { text: 'exports.x = 1' }, v: { map, reduce: '_sum, and more' } } },
    { language: 'erlang', indexes: { all: { index: 'fun(' } } },
    { indexes: { all: { analyzer: 'klingon', index: 'function (doc) { index("a", doc.a) }' } }, nouveau: { all: { index: '(doc) => { index("string", "a", doc.a) }' } } },
    { filters: { f: { map: 'anything' }, g: 'not compiled yet' }, anything: { else: 1 } }
  ]) {
    it(`are written: ${JSON.stringify(ddoc)}`, async () => {
      const answer = await db.put('_design/d', ddoc)
      assert.equal(answer.status, 201, answer.text)
    })
  }
})
