'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')

const ALL_DOCS = { ddoc: null, name: '_all_docs', type: 'special', def: { fields: [{ _id: 'asc' }] } }

describe('_index', () => {
  const db = new TestDatabase()
  const create = async body => {
    const answer = await db.post('_index', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const list = async (query = '') => (await db.get(`_index${query}`)).body

  it('makes up names, the same for the same', async () => {
    const first = await create({ index: { fields: ['foo'] } })
    assert.equal(first.result, 'created')
    assert.match(first.name, /^[0-9a-f]{40}$/)
    assert.equal(first.id, `_design/${first.name}`)
    assert.deepEqual(await create({ index: { fields: ['foo'] } }), { ...first, result: 'exists' })
    assert.notEqual((await create({ index: { fields: ['bar'] } })).name, first.name)
    const named = await create({ index: { fields: ['foo'] }, name: 'foo-index', type: 'json' })
    assert.deepEqual([named.result, named.name], ['created', 'foo-index'])
  })

  it('writes design documents as CouchDB does', async () => {
    await create({ index: { fields: ['n', { s: 'asc' }], partial_filter_selector: { s: 'x', o: { x: 1 } } }, ddoc: 'd', name: 'a' })
    await create({ index: { fields: [{ s: 'desc' }] }, ddoc: '_design/d', name: 'b' })
    const { body: { _rev, ...ddoc } } = await db.get('_design/d')
    assert.deepEqual(ddoc, {
      _id: '_design/d',
      language: 'query',
      views: {
        a: {
          map: { fields: { n: 'asc', s: 'asc' }, partial_filter_selector: { $and: [{ s: { $eq: 'x' } }, { 'o.x': { $eq: 1 } }] } },
          reduce: '_count',
          options: { def: { fields: ['n', { s: 'asc' }], partial_filter_selector: { s: 'x', o: { x: 1 } } } }
        },
        b: { map: { fields: { s: 'desc' }, partial_filter_selector: {} }, reduce: '_count', options: { def: { fields: [{ s: 'desc' }] } } }
      }
    })
  })

  it('lists them, a part where that is asked for', async () => {
    for (const field of ['a', 'b', 'c']) await create({ index: { fields: [field] }, ddoc: field, name: field })
    const { total_rows: total, indexes } = await list()
    assert.equal(total, 4)
    assert.deepEqual(indexes[0], ALL_DOCS)
    assert.deepEqual(indexes[1], { ddoc: '_design/a', name: 'a', type: 'json', partitioned: false, def: { fields: [{ a: 'asc' }] } })
    const names = async query => (await list(query)).indexes.map(({ name }) => name)
    assert.deepEqual(await names('?limit=2'), ['_all_docs', 'a'])
    assert.deepEqual(await names('?limit=5&skip=2'), ['b', 'c'])
    assert.deepEqual(await names('?skip=100'), [])
    for (const query of ['?limit=0', '?skip=-1', '?limit=x']) {
      assertRefused(await db.get(`_index${query}`), 500, 'invalid_list_index_params', 'Index parameter ranges: limit > 1, skip > 0')
    }
  })

  it('deletes them, and the design document with its last', async () => {
    await create({ index: { fields: ['a'] }, ddoc: 'd', name: 'a' })
    await create({ index: { fields: ['b'] }, ddoc: 'd', name: 'b' })
    for (const path of ['d/json/zz', 'nope/json/a', 'd/text/a']) assertRefused(await db.remove(`_index/${path}`), 404, 'not_found', 'missing')
    assert.deepEqual((await db.remove('_index/d/json/a')).body, { ok: true })
    assert.equal((await db.get('_design/d')).status, 200)
    assert.deepEqual((await db.remove('_index/_design%2Fd/json/b')).body, { ok: true })
    assert.equal((await db.get('_design/d')).status, 404)
    await create({ index: { fields: ['a'] }, ddoc: 'd', name: 'a' })
    assert.deepEqual((await db.remove('_index/_design/d/json/a')).body, { ok: true })
    assert.equal((await list()).total_rows, 1)
  })

  it('deletes several', async () => {
    for (const field of ['a', 'b']) await create({ index: { fields: [field] }, ddoc: field, name: field })
    const { status, body } = await db.post('_index/_bulk_delete', { docids: ['a', '_design/b', 'nope'] })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      success: [{ id: '_design/b', ok: true }, { id: '_design/a', ok: true }],
      fail: [{ id: '_design/nope', error: 'not_found' }]
    })
    assertRefused(await db.post('_index/_bulk_delete', {}), 400, 'missing_required_key', 'Missing required key: docids')
    assertRefused(await db.post('_index/_bulk_delete', { docids: 1 }), 400, 'invalid_bulk_docs', 'Bulk Delete requires an array of non-null docids. Docids: 1')
    assertRefused(await db.post('_index/_bulk_delete', { docids: [1] }), 400, 'invalid_index_name', 'Invalid index name: 1')
  })

  /** @type {Array<[any, number, string, string]>} */
  const refused = [
    [{}, 400, 'missing_required_key', 'Missing required key: index'],
    [{ index: {} }, 400, 'missing_required_key', 'Missing required key: fields'],
    [{ index: [] }, 400, 'invalid_index', 'JSON indexes must be an object, not: []'],
    [{ index: { fields: 1 } }, 400, 'invalid_sort_json', 'Sort must be an array of sort specs, not: 1'],
    [{ index: { fields: [{ a: 2 }] } }, 400, 'invalid_sort_field', 'Invalid sort field: {[{<<"a">>,2}]}'],
    [{ index: { fields: [''] } }, 400, 'invalid_sort_field', 'Invalid sort field: <<>>'],
    [{ index: { fields: ['a', { b: 'desc' }] } }, 400, 'unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.'],
    [{ index: { fields: ['a'] }, name: 1 }, 400, 'invalid_string', 'Invalid string: 1'],
    [{ index: { fields: ['a'] }, name: '' }, 400, 'invalid_empty_string', 'Index name or ddoc cannot be empty string'],
    [{ index: { fields: ['a'] }, ddoc: '' }, 400, 'invalid_empty_string', 'Index name or ddoc cannot be empty string'],
    [{ index: { fields: ['a'] }, ddoc: '_design/' }, 400, 'illegal_docid', 'Illegal document id `_design/`'],
    [{ index: { fields: ['a'] }, type: 'geo' }, 400, 'invalid_index', 'Invalid type for index: geo'],
    [{ index: { fields: ['a'] }, type: 1 }, 400, 'invalid_string', 'Invalid string: 1'],
    [{ index: { fields: ['a'] }, type: 'nouveau' }, 400, 'invalid_index_fields_definition', 'Text Index field definitions must be of the form\n            {"name": "non-empty fieldname", "type":\n                "boolean,number,string or text"}. Def: [<<"a">>]'],
    [{ index: { fields: ['a'] }, w: 0 }, 400, 'invalid_pos_integer', '0 is not an integer greater than zero'],
    [{ index: { fields: ['a'] }, foo: 1 }, 400, 'invalid_key', 'Invalid key foo for this request.'],
    [{ index: { fields: ['a'], selector: {} } }, 400, 'invalid_key', 'Invalid key selector for this request.'],
    [{ index: { fields: ['a'], partial_filter_selector: 1 } }, 400, 'invalid_selector_json', 'Selector must be a JSON object, not: 1']
  ]
  for (const [body, status, error, reason] of refused) {
    it(`makes none of ${JSON.stringify(body)}`, async () => {
      assertRefused(await db.post('_index', body), status, error, reason)
    })
  }

  it('makes none in a design document of another language', async () => {
    await db.put('_design/views', { views: { v: { map: 'function (doc) {}' } } })
    assertRefused(await db.post('_index', { index: { fields: ['a'] }, ddoc: 'views' }), 400, 'invalid_ddoc_lang')
  })

  it('has global indexes, which is all there is without partitions', async () => {
    const { id } = await create({ index: { fields: ['a'] }, partitioned: false, ddoc: 'd' })
    assert.deepEqual((await db.get(id)).body.options, { partitioned: false })
    assertRefused(await db.post('_index', { index: { fields: ['b'] }, ddoc: 'd' }), 400, 'invalid_partitioned_option', 'Requested partitioned option does not match existing value on design document _design/d')
  })

  it('keeps rows as documents change, and those alone that a partial filter accepts', async () => {
    await create({ index: { fields: ['n'], partial_filter_selector: { odd: true } }, ddoc: 'odd', name: 'odd' })
    await db.post('_bulk_docs', { docs: [1, 2, 3].map(n => ({ _id: `d${n}`, n, odd: n % 2 === 1 })) })
    const ids = async () => (await db.post('_find', { selector: { n: { $gt: 0 } }, use_index: 'odd' })).body.docs.map(({ _id }) => _id)
    assert.deepEqual(await ids(), ['d1', 'd3'])
    await db.write('d4', { n: 0.5, odd: true })
    await db.put('d1', { _rev: (await db.get('d1')).body._rev, n: 1, odd: false })
    assert.deepEqual(await ids(), ['d4', 'd3'])
  })

  it('has nothing else below _index', async () => {
    for (const path of ['x', 'd/json', 'd/json/x/more']) for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'COPY', 'PATCH', 'OPTIONS']) assertRefused(await request(method, db.path(`_index/${path}`)), 404, 'not_found', 'missing')
    assertRefused(await db.put('_index', {}), 405, 'method_not_allowed', 'Only GET,POST allowed')
    assert.deepEqual((await db.post('_find/x', { selector: { n: 1 } })).body.docs, [])
  })

  for (const [method, path, allowed] of [['get', '_find', 'POST'], ['get', '_explain', 'POST'], ['get', '_index/_bulk_delete', 'POST'], ['get', '_index/d/json/x', 'DELETE']]) {
    it(`has no ${method.toUpperCase()} ${path}`, async () => {
      assertRefused(await db[method](path), 405, 'method_not_allowed', `Only ${allowed} allowed`)
    })
  }
})
