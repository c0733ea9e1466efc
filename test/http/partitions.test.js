'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')

const MAP = 'function (doc) { emit(doc.n, doc.n) }'

/** CouchDB's own fails in partitions where a reduction is JavaScript. */
const SUM = process.env.TEST_URL === undefined ? 'function (keys, values) { return sum(values) }' : '_sum'

/** @see https://docs.couchdb.org/en/stable/partitioned-dbs/index.html */
describe('partitioned databases', () => {
  let db

  beforeEach(async () => {
    db = `/test-${crypto.randomUUID()}`
    assert.equal((await put(`${db}?partitioned=true&q=1`)).status, 201)
    const docs = ['a', 'aa', 'b'].flatMap(partition => [1, 2, 3].map(n => ({ _id: `${partition}:${n}`, n, m: n % 2 })))
    assert.equal((await post(`${db}/_bulk_docs`, { docs })).status, 201)
  })
  afterEach(() => remove(db))

  /** @param {string} rest */
  const a = (rest = '') => `${db}/_partition/a${rest}`

  it('are made so, and stay so', async () => {
    assert.deepEqual((await get(db)).body.props, { partitioned: true })
    for (const wrong of ['x', 'TRUE', '']) assertRefused(await put(`${db}-x?partitioned=${wrong}`), 400, 'bad_request', 'Invalid `partitioned` parameter')
  })

  it('take ids that name a partition', async () => {
    const form = 'Doc id must be of form partition:id'
    assertRefused(await put(`${db}/none`, {}), 400, 'illegal_docid', form)
    assertRefused(await get(`${db}/none`), 400, 'illegal_docid', form)
    assertRefused(await post(db, {}), 400, 'illegal_docid', form)
    assertRefused(await post(`${db}/_bulk_docs`, { docs: [{ _id: 'a:4' }, { _id: 'none' }] }), 400, 'illegal_docid', form)
    assertRefused(await post(`${db}/_revs_diff`, { none: ['1-a'] }), 400, 'illegal_docid', form)
    assertRefused(await put(`${db}/${encodeURIComponent(':1')}`, {}), 400, 'illegal_partition', 'Partition must not be empty')
    assertRefused(await put(`${db}/a:`, {}), 400, 'illegal_docid', 'Document id must not be empty')
    for (const path of ['_design/d', '_local/l', 'p%2Fq:x:y']) assert.equal((await put(`${db}/${path}`, {})).status, 201)
  })

  it('tell what a partition has', async () => {
    const { body } = await get(a())
    assert.deepEqual({ ...body, sizes: Object.keys(body.sizes).sort() }, { db_name: db.slice(1), sizes: ['active', 'external'], partition: 'a', doc_count: 3, doc_del_count: 0 })
    assert.equal((await get(`${db}/_partition/none`)).body.doc_count, 0)
    assertRefused(await get(`${db}/_partition/_x`), 400, 'illegal_partition', 'Partition must not start with an underscore')
    assertRefused(await get(`${db}/_partition/x:y`), 400, 'illegal_partition', 'Partition must not contain a colon')
    assertRefused(await put(a(), {}), 405, 'method_not_allowed', 'Only GET allowed')
    assertRefused(await get(a('/_changes')), 404, 'not_found', 'missing')
  })

  it('list the documents of one', async () => {
    const ids = async path => (await get(path)).body.rows.map(({ id }) => id)
    assert.deepEqual(await ids(a('/_all_docs')), ['a:1', 'a:2', 'a:3'])
    assert.deepEqual(await ids(a('/_all_docs?descending=true&limit=2')), ['a:3', 'a:2'])
    assert.deepEqual(await ids(a('/_all_docs?startkey="a:2"&endkey="z"')), ['a:2', 'a:3'])
    assert.deepEqual(await ids(`${db}/_all_docs?partition=b`), ['b:1', 'b:2', 'b:3'])
    assertRefused(await get(a('/_all_docs?partition=b')), 400, 'bad_request', 'Conflicting value for `partition` in query string')
  })

  it('have no rows of another, wherever that is named', async () => {
    await put(`${db}/_design/p`, { views: { v: { map: MAP } } })
    for (const path of ['/_all_docs', '/_design/p/_view/v']) {
      for (const [tail, body] of [['/queries', { queries: [{ partition: 'b' }] }], ['', { partition: 'b' }]]) {
        assertRefused(await post(a(path + tail), body), 400, 'bad_request', 'Conflicting value for `partition`')
        const { body: { rows, results: [{ rows: own }] = [{ rows }] } } = await post(a(path + tail), tail === '' ? { partition: 'a' } : { queries: [{ partition: 'a' }] })
        assert.deepEqual(own.map(({ id }) => id), ['a:1', 'a:2', 'a:3'])
      }
    }
  })

  it('index views by partition, unless a design document says otherwise', async () => {
    const views = { v: { map: MAP }, r: { map: MAP, reduce: '_sum' }, pairs: { map: 'function (doc) { emit([doc.m, doc.n], 1) }', reduce: '_count' } }
    await put(`${db}/_design/p`, { views })
    await put(`${db}/_design/g`, { views, options: { partitioned: false } })
    const rows = async path => (await get(path)).body.rows.map(({ id, key, value }) => [id, key, value])
    assert.deepEqual(await rows(a('/_design/p/_view/v')), [['a:1', 1, 1], ['a:2', 2, 2], ['a:3', 3, 3]])
    assert.deepEqual(await rows(a('/_design/p/_view/v?key=2')), [['a:2', 2, 2]])
    assert.deepEqual(await rows(a('/_design/p/_view/v?descending=true&startkey=2')), [['a:2', 2, 2], ['a:1', 1, 1]])
    assert.deepEqual(await rows(a('/_design/p/_view/v?keys=[3,1]')), [['a:3', 3, 3], ['a:1', 1, 1]])
    assert.deepEqual((await get(a('/_design/p/_view/r'))).body, { rows: [{ key: null, value: 6 }] })
    assert.deepEqual((await get(a('/_design/p/_view/pairs?group_level=1'))).body.rows, [{ key: [0], value: 1 }, { key: [1], value: 2 }])
    assert.deepEqual((await get(`${db}/_partition/none/_design/p/_view/v`)).body.rows, [])
    const { body } = await get(`${db}/_partition/b/_design/p/_view/v`)
    assert.deepEqual([body.total_rows, body.offset, body.rows.length], [9, 6, 3])
    assert.equal((await get(`${db}/_design/g/_view/v`)).body.rows.length, 9)
    assertRefused(await get(`${db}/_design/p/_view/v`), 400, 'query_parse_error', '`partition` parameter is mandatory for queries to this view.')
    assertRefused(await get(a('/_design/g/_view/v')), 400, 'query_parse_error', '`partition` parameter is not supported in this design doc')
  })

  it('reduce many rows of one among others', async () => {
    const docs = ['a', 'c', 'ccc'].flatMap(partition => Array.from({ length: 700 }, (_, i) => ({ _id: `${partition}:x${i}`, n: 10, m: i % 3 })))
    await post(`${db}/_bulk_docs`, { docs })
    await put(`${db}/_design/p`, { views: { r: { map: MAP, reduce: '_stats' }, g: { map: 'function (doc) { emit(doc.m, doc.n) }', reduce: SUM } } })
    for (let i = 0; i < 2; i++) {
      assert.equal((await get(a('/_design/p/_view/r'))).body.rows[0].value.sum, 7006)
      assert.equal((await get(`${db}/_partition/ccc/_design/p/_view/r?startkey=5`)).body.rows[0].value.count, 700)
      assert.deepEqual((await get(`${db}/_partition/c/_design/p/_view/g?group=true`)).body.rows.map(({ value }) => value), [2340, 2330, 2330])
      assert.deepEqual((await get(`${db}/_partition/c/_design/p/_view/r?reduce=false&startkey=10&skip=699`)).body.offset, 3 + 700 + 3 + 3 + 699)
    }
  })

  it('find in one with its indexes, and in all with the others', async () => {
    await post(`${db}/_index`, { index: { fields: ['n'] }, ddoc: 'p', name: 'n' })
    await post(`${db}/_index`, { index: { fields: ['m'] }, ddoc: 'g', name: 'm', partitioned: false })
    const listed = (await get(`${db}/_index`)).body.indexes.map(({ ddoc, partitioned }) => [ddoc, partitioned])
    assert.deepEqual(listed, [[null, undefined], ['_design/g', false], ['_design/p', true]])
    const find = async (path, body) => (await post(path, body)).body.docs.map(({ _id }) => _id)
    assert.deepEqual(await find(a('/_find'), { selector: { n: { $gt: 1 } }, sort: ['n'] }), ['a:2', 'a:3'])
    assert.deepEqual(await find(a('/_find'), { selector: { m: 1 } }), ['a:1', 'a:3'])
    assert.deepEqual(await find(a('/_find'), { selector: { _id: { $gt: 'a:1' } } }), ['a:2', 'a:3'])
    assert.deepEqual(await find(`${db}/_find`, { selector: { n: 2 }, partition: 'b' }), ['b:2'])
    assert.equal((await find(`${db}/_find`, { selector: { m: 1 }, sort: ['m'] })).length, 6)
    assertRefused(await post(a('/_find'), { selector: { m: 1 }, sort: ['m'] }), 400, 'no_usable_index', 'No partitioned index exists for this sort, try indexing by the sort fields.')
    assertRefused(await post(`${db}/_find`, { selector: { n: 1 }, sort: ['n'] }), 400, 'no_usable_index', 'No global index exists for this sort, try indexing by the sort fields.')
    const { body } = await post(a('/_explain'), { selector: { n: 2 } })
    assert.deepEqual([body.partitioned, body.index.ddoc, body.mrargs.partition], [true, '_design/p', 'a'])
    assert.deepEqual(body.index_candidates.find(({ index }) => index.ddoc === '_design/g').analysis.reasons, [{ name: 'scope_mismatch' }])
  })

  it('go on from a bookmark within one', async () => {
    await post(`${db}/_index`, { index: { fields: ['n'] }, ddoc: 'p', name: 'n' })
    for (const selector of [{ n: { $gt: 0 } }, { _id: { $gt: null } }]) {
      const first = (await post(a('/_find'), { selector, limit: 2 })).body
      const second = (await post(a('/_find'), { selector, limit: 2, bookmark: first.bookmark })).body
      assert.deepEqual([...first.docs, ...second.docs].map(({ _id }) => _id), ['a:1', 'a:2', 'a:3'])
    }
  })

  it('hold queries of one to a limit of their own', async () => {
    const setting = '/_node/_local/_config/query_server_config/partition_query_limit'
    await put(setting, '"2"')
    try {
      assert.equal((await get(a('/_all_docs'))).body.rows.length, 2)
      assert.ok((await get(`${db}/_all_docs`)).body.rows.length >= 9)
      assertRefused(await get(a('/_all_docs?limit=3')), 400, 'query_parse_error', 'Limit is too large, must not exceed 2')
    } finally {
      await remove(setting)
    }
  })

  it('say in _bulk_get which ids they cannot have', async () => {
    const { body } = await post(`${db}/_bulk_get`, { docs: ['none', ':x', 'a:1'].map(id => ({ id })) })
    assert.deepEqual(body.results.map(({ docs: [{ ok, error }] }) => ok?._id ?? [error.error, error.reason]), [
      ['illegal_docid', 'Doc id must be of form partition:id'],
      ['illegal_partition', 'Partition must not be empty'],
      'a:1'
    ])
  })

  it('refuse what a full partition would not hold', async () => {
    const setting = '/_node/_local/_config/couchdb/max_partition_size'
    await put(setting, '"20"')
    try {
      const { status, body } = await post(`${db}/_bulk_docs`, { docs: [{ _id: 'a:4' }, { _id: 'new:1' }] })
      assert.equal(status, 201)
      assert.deepEqual(body[0], { id: 'a:4', error: 'partition_overflow', reason: 'Partition limit exceeded due to update on \'a:4\'' })
      assert.equal(body[1].ok, true)
      assertRefused(await put(`${db}/a:5`, {}), 403, 'partition_overflow', 'Partition limit exceeded due to update on \'a:5\'')
      assert.deepEqual((await post(`${db}/_bulk_docs`, { docs: [{ _id: 'a:6', _rev: '1-aa' }], new_edits: false })).body, [])
      assert.equal((await get(`${db}/a:6`)).status, 200)
    } finally {
      await remove(setting)
    }
  })

  it('are checked before what is asked of them', async () => {
    for (const path of ['_b/_design/d/_view/v', '/_design/d/_view/v', '_b/_nothing']) {
      assertRefused(await get(`${db}/_partition/${path}`), 400, 'illegal_partition', 'Partition must not start with an underscore')
    }
    assertRefused(await get(`${db}/_partition/b/_nothing`), 404, 'not_found')
  })

  it('are not what other databases are', async () => {
    const plain = `${db}-plain`
    await put(plain)
    try {
      for (const path of ['', '/_all_docs', '/_design/d/_view/v']) assertRefused(await get(`${plain}/_partition/a${path}`), 400, 'bad_request', 'database is not partitioned')
      assertRefused(await get(`${plain}/_all_docs?partition=a`), 400, 'query_parse_error', '`partition` parameter is not supported on this db')
      assertRefused(await put(`${plain}/_design/d`, { options: { partitioned: true }, views: { v: { map: MAP } } }), 400, 'invalid_design_doc')
    } finally {
      await remove(plain)
    }
  })
})
