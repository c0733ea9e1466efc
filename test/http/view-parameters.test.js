'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { head, post, put } = require('./support/request')

const json = value => encodeURIComponent(JSON.stringify(value))

describe('view parameters', () => {
  const db = new TestDatabase()
  const map = '_design/d/_view/numbers'
  const reduced = '_design/d/_view/sums'
  const keys = ({ body }) => body.rows.map(({ key }) => key)

  beforeEach(async () => {
    await db.put('_design/d', {
      views: {
        numbers: { map: 'function (doc) { emit(doc.n, doc.tag) }' },
        sums: { map: 'function (doc) { emit([doc.tag, doc.n], doc.n) }', reduce: '_sum' }
      },
      // Stale rows stay so until they are asked for.
      autoupdate: false
    })
    await db.post('_bulk_docs', { docs: Array.from({ length: 6 }, (_, n) => ({ _id: `d${n}`, n, tag: n < 3 ? 'a' : 'b' })) })
  })

  const range = 'No rows can match your key range, reverse your start_key and end_key or set descending'
  for (const [view, query, reason] of [
    [map, 'limit=-1', 'Invalid value for positive integer: "-1"'],
    [map, 'limit=x', 'Invalid value for integer: "x"'],
    [map, 'limit=', 'Invalid value for integer: []'],
    [map, 'skip=1.5', 'Invalid value for integer: "1.5"'],
    [map, 'limit=576460752303423488', 'Limit is too large, must not exceed 576460752303423487'],
    [map, 'descending=1', 'Invalid boolean parameter: "1"'],
    [map, 'include_docs="x"', 'Invalid boolean parameter: "\\"x\\""'],
    [map, 'stale=no', 'Invalid value for `stale`.'],
    [map, 'stable=no', 'Invalid value for `stable`.'],
    [map, 'update=never', 'Invalid value for `update`.'],
    [map, 'reduce=true', 'Reduce is invalid for map-only views.'],
    [map, 'group=true', 'Invalid use of grouping on a map view.'],
    [map, 'group_level=1', 'Invalid use of grouping on a map view.'],
    [reduced, 'reduce=false&group=true', 'Invalid use of grouping on a map view.'],
    [reduced, 'group=false&group_level=1', 'Can\'t specify group=false and group_level>0 at the same time'],
    [reduced, 'include_docs=true', '`include_docs` is invalid for reduce'],
    [reduced, 'conflicts=false', '`conflicts` is invalid for reduce views.'],
    [reduced, 'keys=[1,2]', 'Multi-key fetches for reduce views must use `group=true`'],
    [reduced, 'keys=[]', 'Multi-key fetches for reduce views must use `group=true`'],
    [reduced, 'keys=[1,2]&group_level=1', 'Multi-key fetches for reduce views must use `group=true`'],
    [map, 'keys={}', '`keys` must be an array of strings.'],
    [map, 'keys=[1,2]&key=1', '`keys` is incompatible with `key`, `start_key` and `end_key`'],
    [map, 'endkey=1&keys=[1,2]', '`keys` is incompatible with `key`, `start_key` and `end_key`'],
    [map, 'startkey=3&endkey=2', `${range}=true`],
    [map, 'startkey=2&endkey=3&descending=true', `${range}=false`],
    [reduced, `startkey=${json(['b'])}&endkey=${json(['a'])}`, `${range}=true`],
    [map, 'partition=x', '`partition` parameter is not supported in this design doc']
  ]) {
    it(`refuse ${decodeURIComponent(query)} of ${view === map ? 'a map' : 'a reduction'}`, async () => {
      assertRefused(await db.get(`${view}?${query}`), 400, 'query_parse_error', reason)
    })
  }

  it('name malformed JSON', async () => {
    for (const name of ['key', 'keys', 'startkey', 'end_key']) assertRefused(await db.get(`${map}?${name}={`), 400, 'bad_request', 'invalid UTF-8 JSON')
  })

  for (const [query, expected] of [
    ['key=2&endkey=4', [2, 3, 4]],
    ['endkey=4&key=2', [2]],
    ['keys=[2]&endkey=4', [2, 3, 4]],
    ['startkey=1&keys=[3]', [3]],
    ['limit=1&limit=2', [0, 1]],
    ['keys=[]', []],
    ['keys=[]&key=1', []],
    ['keys=[3,1,3]', [3, 1, 3]],
    ['keys=[3,1,3,2]&descending=true', [2, 3, 1, 3]],
    ['keys=[3,1,5]&skip=1&limit=1', [1]],
    ['key=1&inclusive_end=false', []],
    ['startkey=2&endkey=2', [2]],
    ['unknown=1&limit=1', [0]],
    ['limit=%2B1', [0]],
    ['group=false&group_level=0&limit=1', [0]],
    ['reduce=false&limit=1', [0]],
    ['descending=TRUE&limit=1', [5]]
  ]) {
    it(`${decodeURIComponent(query)} gives ${JSON.stringify(expected)}`, async () => {
      const answer = await db.get(`${map}?${query}`)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(keys(answer), expected)
    })
  }

  for (const [query, total, offset] of [
    ['', 6, 0],
    ['startkey=2', 6, 2],
    ['startkey=2&descending=true', 6, 3],
    ['startkey=2&skip=1&limit=1', 6, 3],
    ['skip=9', 6, 6],
    ['key=2.5', 6, 3],
    ['key=99', 6, 6],
    ['key=99&descending=true', 6, 0],
    ['keys=[9,4,1]', 6, 4],
    ['keys=[]', 6, 0],
    ['limit=0&startkey=3', 6, 3],
    ['startkey=3&endkey=3', 6, 3]
  ]) {
    it(`${query || 'nothing'} has an offset of ${offset}`, async () => {
      const { body } = await db.get(`${map}?${query}`)
      assert.deepEqual([body.total_rows, body.offset], [total, offset])
    })
  }

  it('without an order there are no totals to rely on, but all rows', async () => {
    assert.deepEqual(keys(await db.get(`${map}?sorted=false`)).sort(), [0, 1, 2, 3, 4, 5])
  })

  it('of a reduction: levels, keys, limits', async () => {
    const rows = async query => (await db.get(`${reduced}?${query}`)).body.rows
    assert.deepEqual(await rows('group=true&group_level=1'), [{ key: ['a'], value: 3 }, { key: ['b'], value: 12 }])
    assert.deepEqual(await rows('group_level=1&descending=true'), [{ key: ['b'], value: 12 }, { key: ['a'], value: 3 }])
    assert.deepEqual(await rows('group_level=0'), [{ key: null, value: 15 }])
    assert.deepEqual(await rows('group=true&skip=1&limit=2'), [{ key: ['a', 1], value: 1 }, { key: ['a', 2], value: 2 }])
    assert.deepEqual(await rows(`keys=${json([['b', 4]])}`), [{ key: null, value: 4 }])
    assert.deepEqual(await rows(`group=true&keys=${json([['b', 4], ['x'], ['a', 0]])}`), [{ key: ['b', 4], value: 4 }, { key: ['a', 0], value: 0 }])
    assert.deepEqual(await rows(`startkey=${json(['a', 1])}&endkey=${json(['b', 3])}&group_level=1`), [{ key: ['a'], value: 3 }, { key: ['b'], value: 3 }])
    assert.deepEqual(await rows('limit=0'), [])
    assert.deepEqual(await rows(`key=${json('nothing')}`), [])
  })

  it('with a number that there is not are no JSON, and not null', async () => {
    await db.put('nothing', { n: null })
    for (const query of ['key=1e400', 'startkey=[-1e400]', 'keys=[1,1e999]']) {
      assertRefused(await db.get(`${map}?${query}`), 400, 'bad_request', 'invalid UTF-8 JSON')
    }
    assert.deepEqual(keys(await db.get(`${map}?key=null`)), [null])
  })

  describe('in a body', () => {
    it('are values, and those of the path go after them', async () => {
      assert.deepEqual(keys(await db.post(map, { startkey: 1, endkey: 4, descending: false, limit: 2 })), [1, 2])
      assert.deepEqual(keys(await db.post(`${map}?limit=1&startkey=2`, { startkey: 1, endkey: 4, limit: 2 })), [2])
      assert.deepEqual(keys(await db.post(`${map}?descending=true`, { keys: [4, 2] })), [2, 4])
      assert.deepEqual(keys(await db.post(map, { descending: 'true', limit: 1, unknown: {} })), [5])
      assert.deepEqual(keys(await db.post(map, { keys: [3] })), [3])
      assert.deepEqual(keys(await db.post(map, {})), [0, 1, 2, 3, 4, 5])
      assert.deepEqual(keys(await db.post(map, { key: 3, startkey_docid: { toString: 1 }, endkey_docid: { toString: 1 } })), [])
    })

    for (const [body, error, reason] of [
      [{ limit: '5' }, 'query_parse_error', 'Invalid value for integer: <<"5">>'],
      [{ limit: 1.5 }, 'query_parse_error', 'Invalid value for integer: 1.5'],
      [{ skip: -1 }, 'query_parse_error', 'Invalid value for positive integer: -1'],
      [{ descending: 'x' }, 'query_parse_error', 'Invalid boolean parameter: "x"'],
      [{ keys: {} }, 'bad_request', '`keys` member must be an array.'],
      [{ keys: null }, 'bad_request', '`keys` member must be an array.'],
      [{ queries: 1 }, 'bad_request', '`queries` member must be an array.'],
      [{ queries: [] }, 'bad_request', 'The `queries` parameter is no longer supported at this endpoint'],
      [[], 'bad_request', 'Request body must be a JSON object']
    ]) {
      it(`refuse ${JSON.stringify(body)}`, async () => assertRefused(await db.post(map, body), 400, error, reason))
    }

    it('refuse keys that are nested more deeply than a row\'s can be', async () => {
      const deep = `${'['.repeat(1001)}${']'.repeat(1001)}`
      const reason = 'Keys are nested too deeply'
      for (const body of [`{"key":${deep}}`, `{"startkey":${deep}}`, `{"endkey":${deep}}`, `{"keys":[1,${deep}]}`]) {
        assertRefused(await db.post(map, body), 400, 'query_parse_error', reason)
      }
      assertRefused(await db.post(reduced, `{"group":true,"keys":[1,${deep}]}`), 400, 'query_parse_error', reason)
      assertRefused(await db.post(`${map}/queries`, `{"queries":[{},{"key":${deep}}]}`), 400, 'query_parse_error', reason)
    })

    it('must be JSON, and say so', async () => {
      assertRefused(await db.post(map, '{"keys":'), 400, 'bad_request', 'invalid UTF-8 JSON')
      assertRefused(await post(db.path(map), '{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type', 'Content-Type must be application/json')
    })
  })

  describe('of several queries', () => {
    const several = (queries, query = '') => db.post(`${map}/queries?${query}`, { queries })

    it('are each query\'s own, after those of all', async () => {
      const { status, body } = await several([{ keys: [4, 1] }, {}, { limit: 1, skip: 2 }, { key: 77 }], 'limit=3&descending=true')
      assert.equal(status, 200)
      assert.deepEqual(body.results.map(({ rows }) => rows.map(({ key }) => key)), [[1, 4], [5, 4, 3], [3], []])
      assert.deepEqual(body.results.map(({ total_rows: total, offset }) => [total, offset]), [[6, 4], [6, 0], [6, 2], [6, 0]])
    })

    it('leave keys and groups of the path out', async () => {
      const { body } = await db.post(`${reduced}/queries?group=true&keys=[1,2]`, { queries: [{}, { group_level: 1, limit: 1 }, { reduce: false, limit: 1 }] })
      assert.deepEqual(body.results.map(({ rows }) => rows[0].value), [15, 3, 0])
    })

    it('may be none', async () => assert.deepEqual((await several([])).body, { results: [] }))

    it('are refused before any answer', async () => {
      assertRefused(await several([{}, { limit: -1 }]), 400, 'query_parse_error', 'Invalid value for positive integer: -1')
      assertRefused(await several([{}, { group: true }]), 400, 'query_parse_error', 'Invalid use of grouping on a map view.')
      assertRefused(await several({}), 400, 'bad_request', '`queries` member must be an array.')
      assertRefused(await db.post(`${map}/queries`, {}), 400, 'bad_request', 'POST body must include `queries` parameter.')
      assertRefused(await db.post('_design/d/_view/nope/queries', { queries: [{}] }), 404, 'not_found', 'missing_named_view')
      assertRefused(await db.get(`${map}/queries`), 405, 'method_not_allowed', 'Only POST allowed')
    })

    it('have no other paths', async () => {
      for (const path of ['_design/d/_view', `${map}/more`]) assertRefused(await db.get(path), 405, 'method_not_allowed', 'Only GET,POST,HEAD allowed')
    })
  })

  describe('below the limit that is configured', () => {
    const limit = '/_node/_local/_config/query_server_config/query_limit'
    before(() => put(limit, '"2"'))
    after(() => put(limit, '"infinity"'))

    it('give no more rows, and refuse to be asked for more', async () => {
      assert.deepEqual(keys(await db.get(map)), [0, 1])
      assert.deepEqual(keys(await db.get(`${map}?limit=1`)), [0])
      assertRefused(await db.get(`${map}?limit=3`), 400, 'query_parse_error', 'Limit is too large, must not exceed 2')
      assert.equal((await db.post(`${map}/queries`, { queries: [{ skip: 1 }] })).body.results[0].rows.length, 2)
      assert.equal((await db.get('_all_docs')).body.rows.length, 2)
      assertRefused(await db.get('_all_docs?limit=3'), 400, 'query_parse_error', 'Limit is too large, must not exceed 2')
    })
  })

  it('HEAD has no body', async () => {
    const answer = await head(db.path(map))
    assert.deepEqual([answer.status, answer.bytes.length], [200, 0])
    assert.equal((await head(db.path('_design/d/_view/nope'))).status, 404)
  })

  it('update: stale rows, and those that come later', async () => {
    await db.get(map)
    await db.write('new', { n: 9 })
    assert.equal(keys(await db.get(`${map}?update=false`)).includes(9), false)
    assert.equal(keys(await db.get(`${map}?stale=ok&stable=true`)).includes(9), false)
    assert.equal(keys(await db.get(`${map}?update=true`)).includes(9), true)
    await db.write('newer', { n: 10 })
    await db.get(`${map}?update=lazy`)
    while (!keys(await db.get(`${map}?update=false`)).includes(10));
  })
})
