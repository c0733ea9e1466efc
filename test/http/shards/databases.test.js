'use strict'

const assert = require('node:assert/strict')
const zlib = require('node:zlib')
const { assertRefused } = require('../support/refusal')
const { get, head, post, put, remove, request } = require('../support/request')
const { server } = require('../support/server')
const { fourShards, some } = require('../support/sharded')

const json = value => encodeURIComponent(JSON.stringify(value))

describe('A database of several shards', () => {
  let db
  const { bulk, make } = fourShards(name => { db = name })

  it('says how many it has, and which one a document is in', async () => {
    await bulk(some)
    const { body } = await get(`/${db}`)
    assert.equal(body.db_name, db)
    assert.deepEqual(body.cluster, { q: 4, n: 1, w: 1, r: 1 })
    assert.equal(body.doc_count, 20)
    const { shards } = (await get(`/${db}/_shards`)).body
    assert.deepEqual(Object.keys(shards), ['00000000-3fffffff', '40000000-7fffffff', '80000000-bfffffff', 'c0000000-ffffffff'])
    for (const { _id: id } of some) {
      const { range } = (await get(`/${db}/_shards/${id}`)).body
      const [low, high] = range.split('-').map(text => parseInt(text, 16))
      const hash = zlib.crc32(id)
      assert.ok(low <= hash && hash <= high)
    }
  })

  it('has as many as there may be', async () => {
    assertRefused(await put(`/${db}-x?q=257`), 400, 'bad_request')
    assertRefused(await put(`/${db}-x?q=0`), 400, 'bad_request')
    const warned = []
    const note = ({ message }) => warned.push(message)
    process.on('warning', note)
    const name = await make(256)
    assert.equal((await put(`/${name}/a`, {})).status, 201)
    assert.equal((await get(`/${name}/_changes`)).body.results.length, 1)
    assert.equal((await get(`/${name}/_all_docs`)).body.total_rows, 1)
    process.off('warning', note)
    assert.deepEqual(warned, [])
  })

  it('is one name for all who look', async () => {
    await bulk(some)
    const shard = encodeURIComponent(`_shards/00000000-3fffffff/${db}`)
    const names = (await get('/_all_dbs')).body
    assert.equal(names.filter(name => name.includes(db)).length, 1)
    assert.deepEqual((await get(`/_all_dbs?keys=${json([decodeURIComponent(shard)])}`)).body, [])
    for (const [method, path] of [['GET', ''], ['GET', '/d1'], ['PUT', '/d1'], ['GET', '/_all_docs'], ['GET', '/_security'], ['DELETE', '']]) {
      assertRefused(await request(method, `/${shard}${path}`, method === 'PUT' ? { body: {} } : {}), 404, 'not_found')
    }
    assertRefused(await put(`/${shard}`), 400, 'illegal_database_name')
    assertRefused(await put(`/${db}?q=4`), 412, 'file_exists')
    assertRefused(await put(`/${db}?q=1`), 412, 'file_exists')
  })

  it('tells of itself and its indexes by any writing of its path, and among other databases', async () => {
    await bulk(some)
    await put(`/${db}/_design/d`, { indexes: { i: { index: 'function (doc) { index("default", "x") }' } }, nouveau: { i: { index: 'function (doc) { index("text", "default", "x") }' } } })
    for (const place of ['_search', '_nouveau']) assert.equal((await get(`/${db}/_design/d/${place}/i?q=*:*`)).status, 200)
    for (const path of ['', '/_design/d/_search_info/i', '/_design/d/_search_disk_size/i', '/_design/d/_nouveau_info/i', '/_design/d/_info', '/_index']) {
      const { status, body } = await get(`/${db}${path}`)
      assert.equal(status, 200)
      for (const written of [`//${db}${path}`, `///${db}${path.replace('/_design', '//_design')}?x=1`]) {
        const other = await get(written)
        assert.deepEqual([other.status, other.body], [200, body], written)
      }
    }
    assert.deepEqual((await post('/_dbs_info', { keys: [db, `${db}-x`] })).body, [{ key: db, info: (await get(`/${db}`)).body }, { key: `${db}-x`, error: 'not_found' }])
    assert.equal((await remove(`//${db}/_index/_design/d/json/x`)).status, 404)
  })

  it('goes with all of its shards, and comes back empty', async () => {
    await bulk(some)
    assert.equal((await remove(`/${db}`)).status, 200)
    assertRefused(await get(`/${db}/d1`), 404, 'not_found')
    assert.equal((await put(`/${db}?q=4`)).status, 201)
    assert.equal((await get(`/${db}`)).body.doc_count, 0)
    assert.deepEqual((await get(`/${db}/_changes`)).body.results, [])
  })

  it('answers of single documents as any other', async () => {
    const written = await put(`/${db}/a`, { n: 1 })
    assert.equal(written.headers.get('location'), `${server.origin}/${db}/a`)
    assert.equal((await head(`/${db}/a`)).headers.get('etag'), `"${written.body.rev}"`)
    assert.equal((await put(`/${db}/a/file?rev=${written.body.rev}`, 'text', { headers: { 'Content-Type': 'text/plain' } })).status, 201)
    assert.equal((await get(`/${db}/a/file`)).text, 'text')
    for (const target of ['b', 'c', 'd', 'e', 'f']) {
      const copy = await request('COPY', `/${db}/a`, { headers: { Destination: target } })
      assert.equal(copy.status, 201)
      assert.equal(copy.headers.get('location'), `${server.origin}/${db}/${target}`)
      assert.equal((await get(`/${db}/${target}/file`)).text, 'text')
    }
    const made = await post(`/${db}`, { n: 2 })
    assert.equal((await get(`/${db}/${made.body.id}`)).body.n, 2)
    const local = await put(`/${db}/_local/x`, { n: 3 })
    assert.equal(local.status, 201)
    assert.equal((await get(`/${db}/_local/x`)).body.n, 3)
    assertRefused(await put(`/${db}/a`, {}), 409, 'conflict')
    assert.equal((await remove(`/${db}/b?rev=${(await get(`/${db}/b`)).body._rev}`)).status, 200)
    assert.equal((await get(`/${db}`)).body.doc_del_count, 1)
  })

  it('gives the results of many writes in the order of the request', async () => {
    await bulk(some.slice(5, 8))
    const { status, body } = await bulk([...some, { n: 'none' }, { _id: 'd3' }])
    assert.equal(status, 201)
    assert.deepEqual(body.slice(0, 20).map(({ id }) => id), some.map(({ _id: id }) => id))
    assert.deepEqual(body.flatMap(({ error }, i) => error === 'conflict' ? [i] : []), [5, 6, 7, 21])
    assert.equal((await get(`/${db}/${body[20].id}`)).body.n, 'none')
    const refused = await post(`/${db}/_bulk_docs`, { docs: [{ _id: 'x' }, { _id: '_bad' }, { _id: 'y' }] })
    assertRefused(refused, 400, 'illegal_docid')
    for (const id of 'xy') assertRefused(await get(`/${db}/${id}`), 404, 'not_found')
  })

  it('keeps the digits of numbers that it passes on', async () => {
    await post(`/${db}/_bulk_docs`, '{"docs":[{"_id":"n","n":12345678901234567890,"t":"\\\\\\"]}"},{"n":1}]}')
    assert.match((await get(`/${db}/n`)).text, /"n":12345678901234567890,"t":"\\\\\\"]}"/)
  })

  it('asks the functions of design documents in every shard, from the moment that they are written', async () => {
    const { body: { rev } } = await put(`/${db}/_design/v`, { validate_doc_update: 'function (doc) { if (doc.bad) throw { forbidden: "bad" } }' })
    for (const { _id: id } of some) assertRefused(await put(`/${db}/${id}`, { bad: true }), 403, 'forbidden')
    assert.equal((await get(`/${db}`)).body.doc_count, 1)
    assert.deepEqual((await get(`/${db}/_changes`)).body.results.map(({ id }) => id), ['_design/v'])
    assert.deepEqual((await get(`/${db}/_all_docs`)).body.rows.map(({ id }) => id), ['_design/v'])
    await remove(`/${db}/_design/v?rev=${rev}`)
    for (const { _id: id } of some) assert.equal((await put(`/${db}/${id}`, { bad: true })).status, 201)
    const info = (await get(`/${db}`)).body
    assert.deepEqual([info.doc_count, info.doc_del_count], [20, 1])
  })

  it('lets in whom its security object names, whichever shard is asked', async () => {
    const nobody = { headers: { Authorization: '' } }
    for (const path of ['', '/d1', '/d2', '/d3', '/_all_docs', '/_changes', '/_design/x/_view/y']) assert.equal((await get(`/${db}${path}`, nobody)).status, 401, path)
    assert.equal((await put(`/${db}/_security`, { members: { roles: [] }, admins: { roles: [] } })).status, 200)
    for (const { _id: id } of some) assert.equal((await put(`/${db}/${id}`, {}, nobody)).status, 201)
    assert.equal((await get(`/${db}/_all_docs`, nobody)).body.rows.length, 20)
    assert.equal((await put(`/${db}/_security`, {}, nobody)).status, 401)
  })

  it('says what it cannot do', async () => {
    await put(`/${db}/_design/l`, { lists: { l: 'function () {}' }, views: { v: { map: 'function (doc) { emit(1, 1) }', reduce: '_approx_count_distinct' } }, rewrites: [] })
    await bulk(some)
    for (const path of ['_design/l/_list/l/v', '_design/l/_rewrite/x', '_design/l/_view/v']) assertRefused(await get(`/${db}/${path}`), 501, 'not_implemented')
    assert.equal((await get(`/${db}/_design/l/_view/v?reduce=false`)).body.rows.length, 20)
  })

  it('lists rows that are in few of its shards, page by page', async () => {
    const one = await make(1)
    // All of the first ones are in one shard.
    const docs = Array.from({ length: 400 }, (_, i) => ({ _id: zlib.crc32(`a${i}`) < 2 ** 30 ? `a${i}` : `b${i}`, i })).concat(some)
    for (const name of [db, one]) await post(`/${name}/_bulk_docs`, { docs })
    for (const query of ['limit=90', 'limit=90&descending=true', 'limit=50&skip=70', 'limit=1', 'limit=0', 'limit=90&include_docs=true', 'limit=60&startkey="a2"&endkey="b"', 'limit=1000']) {
      assert.equal((await get(`/${db}/_all_docs?${query}`)).text, (await get(`/${one}/_all_docs?${query}`)).text, query)
    }
  })
})
