'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const zlib = require('node:zlib')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-memory')).plugin(require('pouchdb-adapter-http')).plugin(require('pouchdb-replication'))
const { routes } = require('../../server/lib/dispatch/routes')
const { assertRefused } = require('./support/refusal')
const { get, head, post, put, remove, request } = require('./support/request')
const { server } = require('./support/server')

const json = value => encodeURIComponent(JSON.stringify(value))

/** Makes databases that are removed after each test. */
function databases () {
  const names = []
  afterEach(async () => { for (const name of names.splice(0)) await remove(`/${name}`) })
  return async (q, more = '') => {
    const name = `shards-${crypto.randomUUID()}`
    names.push(name)
    assert.equal((await put(`/${name}?q=${q}${more}`)).status, 201)
    return name
  }
}

/** A generator of numbers from 0 to 1 that a seed repeats. */
function randomFrom (seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x100000000
  }
}

describe('A database of several shards', () => {
  const make = databases()
  let db
  beforeEach(async () => { db = await make(4) })
  const bulk = docs => post(`/${db}/_bulk_docs`, { docs })
  const some = Array.from({ length: 20 }, (_, i) => ({ _id: `d${i}`, i }))

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

  it('tells its changes backwards up to a limit, without copies of design documents', async () => {
    await bulk(Array.from({ length: 8 }, (_, i) => ({ _id: `d${i}` })))
    for (const name of ['a', 'b', 'c']) assert.equal((await put(`/${db}/_design/${name}`, {})).status, 201)
    for (const limit of [1, 2, 4, 10, 11, 12, 100]) {
      const { results, pending } = (await get(`/${db}/_changes?descending=true&limit=${limit}`)).body
      const told = Math.min(limit, 11)
      assert.deepEqual([results.length, new Set(results.map(({ id }) => id)).size, pending], [told, told, 11 - told], `limit=${limit}`)
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

  describe('of partitions heeds no header of a client that', () => {
    let parts
    beforeEach(async () => {
      parts = await make(3, '&partitioned=true')
      await put(`/${parts}/_design/d`, { indexes: { i: { index: 'function (doc) { index("default", "x") }' } }, views: { v: { map: 'function (doc) { emit(1) }' } } })
      await put(`/${parts}/p:1`, { n: [1, 0] })
      await post(`/${parts}/_index`, { index: { fields: ['n'] }, ddoc: 'v', name: 'v', type: 'vector' })
    })
    const pretending = { 'X-Shard-Search': 'x', 'X-Shard-Find': 'x', 'X-Shard-Boundary': 'x', 'X-Shard': 'x', InShard: 'true' }

    it('asks for what one shard found', async () => {
      const asked = limit => get(`/${parts}/_partition/p/_design/d/_search/i?q=*:*&limit=${limit}`, { headers: pretending })
      assertRefused(await asked(1_000_000_000), 400, 'query_parse_error')
      assert.deepEqual(Object.keys((await asked(10)).body), ['total_rows', 'bookmark', 'rows'])
    })

    it('says how to find', async () => {
      const find = more => post(`/${parts}/_partition/p/_find`, { selector: {}, ...more }, { headers: pretending })
      assert.deepEqual((await find()).body.docs.map(({ _id: id }) => id), ['p:1'])
      assertRefused(await find({ vector: { field: 'n', near: [1, 0] }, ranked: { x: 1 } }), 400, 'invalid_key')
    })

    it('stands in a request to any route', async () => {
      const values = { db: parts, partition: 'p', ddoc: '_design/d', index: 'i', view: 'v', doc: 'p:1', local: '_local/x', range: '00000000-55555554' }
      const seen = []
      for (const { method, path, shards, reads } of routes) {
        if (shards === undefined || (method !== 'GET' && !reads) || /_changes/.test(path)) continue
        const url = path.replace(/:(\w+)\+?/g, (_, name) => values[name] ?? 'x')
        const body = method === 'POST' ? { body: /_find/.test(path) ? { selector: {} } : /_search|_nouveau/.test(path) ? { q: '*:*' } : {} } : {}
        const [plain, same] = [await request(method, url, body), await request(method, url, { ...body, headers: pretending })]
        seen.push(plain.status)
        assert.deepEqual([same.status, shapeOf(same.body)], [plain.status, shapeOf(plain.body)], `${method} ${url}`)
      }
      assert.ok(seen.filter(status => status === 200).length > 20, String(seen))
    })

    const shapeOf = body => body === null || typeof body !== 'object' ? typeof body : Object.keys(body)
  })

  describe('has changes', () => {
    it('that are told once each, wherever one begins', async () => {
      await bulk(some)
      for (const { _id: id } of some.slice(0, 7)) await put(`/${db}/${id}?rev=${(await get(`/${db}/${id}`)).body._rev}`, { again: true })
      const whole = (await get(`/${db}/_changes`)).body
      assert.deepEqual(whole.results.map(({ id }) => id).sort(), some.map(({ _id: id }) => id).sort())
      for (const [i, { seq }] of whole.results.entries()) {
        const rest = (await get(`/${db}/_changes?since=${seq}`)).body
        assert.deepEqual(rest.results, whole.results.slice(i + 1))
        assert.equal(rest.last_seq, whole.last_seq)
      }
      for (const limit of [1, 3, 19, 20, 21]) {
        const told = []
        let since = '0'
        for (let page; page?.results.length !== 0; since = page.last_seq) {
          page = (await get(`/${db}/_changes?limit=${limit}&since=${since}`)).body
          told.push(...page.results.map(({ id }) => id))
          assert.equal(page.pending, 20 - told.length)
        }
        assert.deepEqual(told, whole.results.map(({ id }) => id))
      }
      assert.equal((await get(`/${db}`)).body.update_seq, whole.last_seq)
      assert.deepEqual((await get(`/${db}/_changes?since=now`)).body.results, [])
    })

    it('whose sequences mean nothing to another database, and none that is malformed', async () => {
      await bulk(some)
      const { last_seq: seq } = (await get(`/${db}/_changes`)).body
      const other = await make(4)
      await put(`/${other}/a`, {})
      assert.equal((await get(`/${other}/_changes?since=${seq}`)).body.results.length, 1)
      const single = await make(1)
      await put(`/${single}/a`, {})
      assert.equal((await get(`/${single}/_changes?since=${seq}`)).body.results.length, 1)
      assert.equal((await get(`/${db}/_changes?since=${(await get(`/${single}`)).body.update_seq}`)).body.results.length, 20)
      assertRefused(await get(`/${db}/_changes?since=x`), 400, 'bad_request')
    })

    it('that are filtered in every shard', async () => {
      await put(`/${db}/_design/f`, { filters: { even: 'function (doc) { return doc.i % 2 === 0 }' } })
      await bulk(some)
      const even = some.filter(({ i }) => i % 2 === 0).map(({ _id: id }) => id).sort()
      const ids = async (path, body) => (await (body ? post(`/${db}/_changes?${path}`, body) : get(`/${db}/_changes?${path}`))).body.results.map(({ id }) => id).sort()
      assert.deepEqual(await ids('filter=f/even'), even)
      assert.deepEqual(await ids('filter=_selector', { selector: { i: { $in: [1, 2, 3] } } }), ['d1', 'd2', 'd3'])
      assert.deepEqual(await ids('filter=_doc_ids', { doc_ids: ['d4', 'd9', 'zz'] }), ['d4', 'd9'])
      assert.deepEqual(await ids('filter=_design'), ['_design/f'])
    })

    it('that a feed tells as they happen, once each, from several places', async () => {
      await bulk(some)
      const { results, last_seq: last } = (await get(`/${db}/_changes`)).body
      const feeds = ['0', results[4].seq, results[13].seq, last].map(since => get(`/${db}/_changes?feed=continuous&limit=${20 + 9 - (since === '0' ? 0 : results.findIndex(({ seq }) => seq === since) + 1)}&heartbeat=1000&since=${since}`))
      const later = Array.from({ length: 9 }, (_, i) => `late${i}`)
      for (const id of later) await put(`/${db}/${id}`, {})
      const ids = (await Promise.all(feeds)).map(({ text }) => text.split('\n').filter(line => line.startsWith('{"seq"')).map(line => JSON.parse(line).id))
      const past = results.map(({ id }) => id)
      for (const [i, from] of [0, 5, 14, 20].entries()) {
        // One that begins amid the writes has some of them in the order of its shards.
        assert.deepEqual(ids[i].sort(), [...past.slice(from), ...later].sort())
      }
    })

    it('that longpoll waits for', async () => {
      await bulk(some)
      const { last_seq: since } = (await get(`/${db}/_changes`)).body
      const [answer] = await Promise.all([get(`/${db}/_changes?feed=longpoll&since=${since}`), put(`/${db}/late`, {})])
      assert.deepEqual(answer.body.results.map(({ id }) => id), ['late'])
      assert.deepEqual((await get(`/${db}/_changes?since=${answer.body.last_seq}`)).body.results, [])
      const silent = (await get(`/${db}/_changes?feed=longpoll&since=${answer.body.last_seq}&timeout=1`)).body
      assert.deepEqual([silent.results, silent.last_seq], [[], answer.body.last_seq])
    })
  })

  it('syncs with a PouchDB both ways', async function () {
    this.timeout(60_000)
    const url = new URL(`/${db}`, server.origin)
    Object.assign(url, server.credentials)
    const local = new PouchDB(`local-${crypto.randomUUID()}`, { adapter: 'memory' })
    try {
      await local.bulkDocs(Array.from({ length: 150 }, (_, i) => ({ _id: `l${i}`, i, _attachments: i % 50 === 0 ? { a: { content_type: 'text/plain', data: 'YQ==' } } : undefined })))
      await local.put({ _id: '_design/p', views: { v: { map: 'function (doc) { emit(doc.i) }' } } })
      await bulk(Array.from({ length: 150 }, (_, i) => ({ _id: `r${i}`, i })))
      await bulk([{ _id: 'l7', other: true }])
      const remote = new PouchDB(url.href, { adapter: 'http' })
      await local.sync(remote)
      // An attachment that is compressed has another digest.
      const rows = async database => JSON.parse(JSON.stringify((await database.allDocs({ include_docs: true, conflicts: true })).rows, (key, value) => key === 'digest' ? undefined : value))
      assert.deepEqual(await rows(remote), await rows(local))
      assert.equal((await rows(local)).length, 301)
      assert.equal((await local.get('l7', { conflicts: true }))._conflicts.length, 1)
      await local.remove(await local.get('l3'))
      const again = await local.sync(remote)
      assert.deepEqual([again.push.docs_written, again.pull.docs_written], [1, 0])
      assertRefused(await get(`/${db}/l3`), 404, 'not_found')
    } finally {
      await local.destroy()
    }
  })

  it('replicates by its URL to a database in one piece, and back', async () => {
    await bulk(some)
    const other = await make(1)
    const third = await make(3)
    const urlOf = name => Object.assign(new URL(`/${name}`, server.origin), server.credentials).href
    for (const [source, target] of [[db, other], [other, third], [third, db]]) {
      const { status, body } = await post('/_replicate', { source: urlOf(source), target: urlOf(target) })
      assert.equal(status, 200)
      assert.equal(body.history[0].docs_written, target === db ? 0 : 20)
    }
    const rows = async name => (await get(`/${name}/_all_docs?include_docs=true`)).text
    assert.equal(await rows(db), await rows(third))
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

  it('replicates by its name, to others and back, and with filters', async () => {
    await bulk([...some, { _id: 'attached', _attachments: { a: { content_type: 'text/plain', data: Buffer.from('content').toString('base64') } } }])
    const [other, third, fourth] = [await make(1), await make(3), await make(4)]
    for (const [source, target] of [[db, other], [other, third], [third, db]]) {
      const { status, body, text } = await post('/_replicate', { source, target })
      assert.equal(status, 200, text)
      assert.equal(body.history[0].docs_written, target === db ? 0 : 21)
    }
    const rows = async name => (await get(`/${name}/_all_docs?include_docs=true`)).text
    assert.equal(await rows(db), await rows(third))
    assert.equal((await get(`/${third}/attached/a`)).text, 'content')
    assert.equal((await post('/_replicate', { source: db, target: fourth, create_target: true, doc_ids: [some[0]._id] })).body.docs_written, 1)
    assertRefused(await post('/_replicate', { source: db, target: 'no-such-database' }), 500, 'db_not_found')
  })
})

describe('Databases of one and of several shards', function () {
  this.timeout(120_000)
  const make = databases()

  const design = {
    _id: '_design/x',
    views: {
      sum: { map: 'function (doc) { emit(doc.n, doc.s); if (doc.n === 3) emit(doc.n, 1) }', reduce: '_sum' },
      levels: { map: 'function (doc) { emit([doc.t, doc.n, doc.s], doc.s) }', reduce: 'function (keys, values, rereduce) { return rereduce ? sum(values) : values.length }' },
      stats: { map: 'function (doc) { emit(doc.t, doc.s) }', reduce: '_stats' },
      links: { map: 'function (doc) { emit(doc.n, { _id: doc.link }) }' },
      raw: { map: 'function (doc) { emit(doc.t, doc._conflicts) }', options: { collation: 'raw' } }
    }
  }

  /** Makes the same edits in both: new ones, updates, deletions, conflicts. */
  async function fill (names, random) {
    const texts = ['a', 'B', 'b', 'ä', null, [1, 2], { x: 1 }, true]
    const pick = list => list[Math.floor(random() * list.length)]
    for (let round = 0; round < 3; round++) {
      const docs = []
      const edits = []
      for (let i = 0; i < 70; i++) {
        const id = pick(['doc', 'Ä', 'z:']) + Math.floor(random() * 60)
        const doc = { _id: id, n: Math.floor(random() * 8), s: Math.floor(random() * 12), t: pick(texts), link: pick(['doc', 'Ä']) + Math.floor(random() * 60) }
        if (random() < 0.2) edits.push({ ...doc, _rev: `1-${Math.floor(random() * 1e15).toString(16).padStart(32, '0')}` })
        else if (!docs.some(({ _id: other }) => other === id)) docs.push({ ...doc, _deleted: random() < 0.1 || undefined })
      }
      for (const name of names) {
        const current = (await post(`/${name}/_all_docs`, { keys: docs.map(({ _id: id }) => id) })).body.rows
        const written = await post(`/${name}/_bulk_docs`, { docs: docs.map((doc, i) => ({ ...doc, _rev: current[i].value?.deleted ? undefined : current[i].value?.rev })) })
        assert.equal(written.status, 201)
        await post(`/${name}/_bulk_docs`, { docs: edits, new_edits: false })
      }
    }
  }

  async function assertSame (names, path, body) {
    const answers = []
    for (const name of names) answers.push(await (body === undefined ? get(`/${name}/${path}`) : post(`/${name}/${path}`, body)))
    assert.equal(answers[1].status, answers[0].status, `${path}: ${answers[1].text}`)
    assert.equal(answers[1].text, answers[0].text, path)
  }

  const ranges = ['', 'limit=3', 'skip=2&limit=4', 'startkey=3', 'startkey=["b"]', 'key=3', 'limit=0', 'startkey=2&endkey=4&inclusive_end=false', 'startkey="b"&startkey_docid="doc3"', 'skip=1000', 'sorted=false', 'startkey=4&endkey=2']
  const kinds = ['', 'reduce=false&', 'group=true&', 'group_level=1&', 'group_level=2&descending=true&', 'reduce=false&include_docs=true&conflicts=true&', 'reduce=false&descending=true&']

  for (const [q, seed] of [[4, 2], [7, 3]]) {
    it(`give the same answers: 1 and ${q}`, async () => {
      const names = [await make(1), await make(q)]
      for (const name of names) {
        await put(`/${name}/_design/x`, design)
        await post(`/${name}/_index`, { index: { fields: ['s'] }, ddoc: 's', name: 's' })
      }
      await fill(names, randomFrom(seed))
      for (const query of ['', 'limit=3', 'skip=2&limit=4&descending=true', 'startkey="doc"', 'startkey="doc2"&descending=true&include_docs=true&conflicts=true', 'startkey="doc2"&endkey="doc3"&inclusive_end=false', 'key="doc3"', 'keys=["doc1","zz","_design/x","doc5"]&include_docs=true', 'keys=["doc1","zz","doc5"]&descending=true&skip=1', 'limit=0', 'skip=1000', 'startkey="_design/s"&limit=1', 'endkey="A"', 'startkey=null']) {
        for (const list of ['_all_docs', '_design_docs', '_local_docs']) await assertSame(names, `${list}?${query}`)
      }
      await assertSame(names, '_all_docs/queries', { queries: [{ limit: 2 }, { keys: ['doc7', 'doc3'] }] })
      for (const view of Object.keys(design.views)) for (const kind of kinds) for (const range of ranges) await assertSame(names, `_design/x/_view/${view}?${kind}${range}`)
      for (const view of ['sum', 'stats']) await assertSame(names, `_design/x/_view/${view}?group=true&keys=[3,1,3,5,"b"]`)
      // Before which row is a list of keys? The offset is the sum of the shards', as in CouchDB.
      const rows = async (name, query) => (await get(`/${name}/_design/x/_view/links?${query}`)).body.rows
      for (const query of ['keys=[3,1,3,5]', 'keys=[3,1,3,5]&descending=true&skip=3', 'keys=[5,5,2]&limit=7&include_docs=true', 'keys=[]']) assert.deepEqual(await rows(names[1], query), await rows(names[0], query), query)
      await assertSame(names, '_design/x/_view/sum/queries', { queries: [{ limit: 2 }, { group: true, keys: [3, 1] }, { reduce: false, startkey: 4 }] })
      const ids = async name => (await get(`/${name}/_changes?style=all_docs&include_docs=true`)).body.results.map(({ seq, ...change }) => JSON.stringify(change)).sort()
      assert.deepEqual(await ids(names[1]), await ids(names[0]))
    })

    it(`find the same, page by page: 1 and ${q}`, async () => {
      const names = [await make(1), await make(q)]
      await fill(names, randomFrom(seed))
      for (const name of names) {
        await post(`/${name}/_index`, { index: { fields: ['s', '_id'] }, ddoc: 's', name: 's' })
        await post(`/${name}/_index`, { index: { fields: ['n', 's', '_id'] }, ddoc: 'ns', name: 'ns' })
      }
      for (const query of [
        { selector: {} }, { selector: { n: 3 } }, { selector: { n: { $gt: 2 } }, use_index: 's', sort: [{ s: 'desc' }, { _id: 'desc' }], limit: 7 },
        { selector: { s: { $in: [1, 5, 3] } }, use_index: 's', limit: 4, skip: 2 }, { selector: { n: { $gt: 1 } }, sort: ['n', 's', '_id'], fields: ['_id', 's'], limit: 9 },
        { selector: { $or: [{ n: 1 }, { s: 2 }] }, limit: 5 }, { selector: { zz: 1 } }, { selector: { n: { $in: [1, 2] } }, use_index: 'ns', sort: ['s', '_id'], limit: 5 },
        { selector: { n: 1 }, limit: 0 }, { selector: { _id: { $gt: 'doc3' } }, limit: 4 }, { selector: { n: 9 }, sort: ['zz'] }, { selector: { n: { $wrong: 1 } } }
      ]) {
        const pages = await Promise.all(names.map(name => readPages(name, query)))
        assert.deepEqual(pages[1], pages[0], JSON.stringify(query))
      }
    })
  }

  const index = 'function (doc) { index("default", doc.t); index("n", doc.n, { facet: true, store: true }) }'
  const nouveau = 'function (doc) { index("text", "default", doc.t); index("double", "n", doc.n, { store: true }); index("string", "s", doc.t) }'
  const searched = { indexes: { i: { index } }, nouveau: { i: { index: nouveau } }, views: { v: { map: 'function (doc) { emit(doc.n, doc.t) }', reduce: '_count' } } }

  /** Without what tells of the index and of the time. */
  const shown = ({ status, text }, name) => `${status} ${text.replaceAll(name, 'db').replace(/"(bookmark|update_latency|total_rows)":("[^"]*"|\d+)/g, '"$1":0').replace(/"order":\[[^\]]*\]/g, '')}`

  it('answer and refuse searches, lists and views alike, of partitions too', async () => {
    const names = [await make(1, '&partitioned=true'), await make(3, '&partitioned=true')]
    const docs = Array.from({ length: 12 }, (_, i) => ({ _id: `${'pq'[i % 2]}:${i}`, n: i, t: ['one', 'two'][i % 3 & 1] }))
    for (const name of names) {
      await post(`/${name}/_bulk_docs`, { docs })
      await put(`/${name}/_design/d`, searched)
      await put(`/${name}/_design/w`, { ...searched, options: { partitioned: false } })
      await put(`/${name}/_local/x`, {})
    }
    const requests = []
    for (const place of ['_search', '_nouveau']) {
      for (const path of [`_design/d/${place}/i`, `_design/w/${place}/i`, `_partition/p/_design/d/${place}/i`]) {
        const queries = ['q=*:*', 'q=one', 'q=*:*&partition=p', 'q=*:*&partition=', 'q=*:*&partition=_x', '', 'q=(', 'q=one&limit=x', 'q=*:*&counts=x', 'q=*:*&counts=["__proto__"]']
        requests.push(...queries.map(query => [`${path}?${query}&sort=${json('n')}`]))
        const bodies = [{}, [], 1, { q: 1 }, { q: '*:*' }, { q: '*:*', partition: 'p' }, { q: '*:*', partition: 'q' }, { q: '*:*', partition: 1 }, { q: '*:*', partition: {} }, { q: '*:*', counts: ['n'] }, { q: '*:*', limit: '2' }]
        requests.push(...['', '?partition=p', '?partition=none'].flatMap(query => bodies.map(body => [`${path}${query}`, { sort: ['n'], ...body }])))
      }
    }
    for (const list of ['_all_docs', '_local_docs', '_design/w/_view/v']) {
      for (const query of ['partition=p', 'keys={}', 'keys=[1]&limit=x', 'limit=2', 'skip=-1', 'group=true', 'at=x']) requests.push([`${list}?${query}`])
      for (const body of [{}, [], { keys: 1 }, { queries: 1 }, { limit: 'x' }]) requests.push([list, body], [`${list}/queries`, body])
      for (const each of [1, { limit: 'x' }, { keys: {} }]) requests.push([`${list}/queries`, { queries: [each] }])
    }
    for (const [path, body] of requests) {
      const [one, several] = await Promise.all(names.map(async name => shown(await (body === undefined ? get(`/${name}/${path}`) : post(`/${name}/${path}`, body)), name)))
      assert.equal(several, one, `${path} ${JSON.stringify(body)}`)
      assert.doesNotMatch(one, /^5/, `${path} ${JSON.stringify(body)}`)
    }
  })

  async function readPages (name, query) {
    const pages = []
    let asked = query
    for (let i = 0; i < 40; i++) {
      const { status, body } = await post(`/${name}/_find`, asked)
      pages.push(body.docs ?? { status, ...body })
      if (body.docs === undefined || body.docs.length === 0) return pages
      asked = { ...query, skip: 0, bookmark: body.bookmark }
    }
    assert.fail('no end')
  }
})
