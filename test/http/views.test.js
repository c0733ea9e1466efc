'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')

const json = value => encodeURIComponent(JSON.stringify(value))

describe('views', () => {
  const db = new TestDatabase()
  const view = (name, query = '') => db.get(`_design/d/_view/${name}?${query}`)
  const keys = ({ body }) => body.rows.map(({ key }) => key)

  const ddoc = {
    views: {
      numbers: { map: 'function (doc) { if (typeof doc.n === "number") emit(doc.n, doc.tag) }' },
      sums: { map: 'function (doc) { if (doc.tag) emit([doc.tag, doc.n % 2], doc.n) }', reduce: '_sum\n and no further' },
      own: { map: 'function (doc) { if (doc.tag) emit(doc.tag, doc.n) }', reduce: 'function (keys, values, rereduce) { return sum(values) }' },
      stats: { map: 'function (doc) { if (doc.tag) emit(doc.tag, doc.n) }', reduce: '_stats' },
      count: { map: 'function (doc) { emit(null, null) }', reduce: '_count' },
      mixed: { map: 'function (doc) { (doc.keys || []).forEach(function (key) { emit(key, null) }) }' },
      links: { map: 'function (doc) { if (doc.link) emit(doc._id, { _id: doc.link }) }' },
      lib: { text: 'exports.shout = function (s) { return s.toUpperCase() }' },
      shouts: { map: 'function (doc) { if (doc.tag) emit(require("views/lib/text").shout(doc.tag), null) }' }
    }
  }

  beforeEach(async () => {
    const docs = Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n, tag: n < 6 ? 'a' : 'b' }))
    await db.post('_bulk_docs', { docs })
    assert.equal((await db.put('_design/d', ddoc)).status, 201)
  })

  it('list rows in the order of their keys', async () => {
    const { status, body } = await view('numbers', 'limit=2')
    assert.equal(status, 200)
    assert.deepEqual(body, { total_rows: 10, offset: 0, rows: [{ id: 'd0', key: 0, value: 'a' }, { id: 'd1', key: 1, value: 'a' }] })
  })

  for (const [query, expected] of [
    ['key=3', [3]],
    ['startkey=3&endkey=5', [3, 4, 5]],
    ['start_key=3&end_key=5&inclusive_end=false', [3, 4]],
    ['startkey=7', [7, 8, 9]],
    ['endkey=1', [0, 1]],
    ['descending=true&limit=2', [9, 8]],
    ['descending=true&startkey=5&endkey=3', [5, 4, 3]],
    ['descending=true&startkey=5&endkey=3&inclusive_end=false', [5, 4]],
    ['skip=8', [8, 9]],
    ['limit=0', []],
    ['startkey=3&startkey_docid=d4', [4, 5, 6, 7, 8, 9]],
    [`keys=${json([3, 1, 77])}`, [3, 1]],
    [`startkey=${json('x')}`, []],
    [`startkey=${json(null)}&limit=1`, [0]]
  ]) {
    it(`with ${decodeURIComponent(String(query))} give ${json(expected)}`, async () => {
      const answer = await view('numbers', query)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(keys(answer), expected)
    })
  }

  it('take their options from a body as well', async () => {
    const answer = await db.post('_design/d/_view/numbers', { keys: [4, 2], include_docs: true })
    assert.deepEqual(keys(answer), [4, 2])
    assert.equal(answer.body.rows[0].doc._id, 'd4')
    const { body } = await db.post('_design/d/_view/numbers/queries', { queries: [{ key: 1 }, { limit: 1, descending: true }] })
    assert.deepEqual(body.results.map(({ rows }) => rows.map(({ key }) => key)), [[1], [9]])
  })

  it('collate keys by type', async () => {
    const sorted = [null, false, true, -1, 0, 1.5, 10, 'a', 'b', [], ['a'], ['a', 1], ['b'], {}, { a: 1 }, { a: 2 }]
    await db.write('mixed', { keys: [...sorted].reverse() })
    assert.deepEqual(keys(await view('mixed')), sorted)
  })

  it('reduce', async () => {
    assert.deepEqual((await view('sums')).body, { rows: [{ key: null, value: 45 }] })
    assert.deepEqual((await view('sums', 'group_level=1')).body.rows, [{ key: ['a'], value: 15 }, { key: ['b'], value: 30 }])
    assert.deepEqual((await view('sums', 'group=true')).body.rows.map(({ value }) => value), [6, 9, 14, 16])
    assert.deepEqual((await view('sums', `group=true&keys=${json([['b', 0], ['a', 1]])}`)).body.rows.map(({ value }) => value), [14, 9])
    assert.equal((await view('sums', 'reduce=false')).body.rows.length, 10)
    assert.deepEqual((await view('own', 'group=true')).body.rows, [{ key: 'a', value: 15 }, { key: 'b', value: 30 }])
    assert.deepEqual((await view('own', 'group=true&descending=true&limit=1')).body.rows, [{ key: 'b', value: 30 }])
    assert.deepEqual((await view('stats', `key=${json('b')}`)).body.rows[0].value, { sum: 30, count: 4, min: 6, max: 9, sumsqr: 230 })
    assert.deepEqual((await view('own', `key=${json('zz')}`)).body.rows, [])
  })

  it('reduce more rows than a function takes at once', async () => {
    await db.post('_bulk_docs', { docs: Array.from({ length: 2500 }, (_, n) => ({ n: 1, tag: 'c' })) })
    assert.deepEqual((await view('own', `key=${json('c')}`)).body.rows, [{ key: null, value: 2500 }])
  }).timeout(600_000)

  it('follow changes and deletions of documents', async () => {
    await view('numbers')
    const { body } = await db.get('d3')
    await db.put('d3', { ...body, n: 33 })
    await db.remove(`d4?rev=${(await db.get('d4')).body._rev}`)
    assert.deepEqual(keys(await view('numbers')), [0, 1, 2, 5, 6, 7, 8, 9, 33])
    assert.equal((await view('numbers', 'limit=1')).body.total_rows, 9)
  })

  it('follow changes of their design document', async () => {
    await view('numbers')
    const { body } = await db.get('_design/d')
    body.views.numbers.map = 'function (doc) { emit(-doc.n, null) }'
    await db.put('_design/d', body)
    assert.equal(keys(await view('numbers', 'limit=1'))[0], -9)
    assert.equal((await db.post('_view_cleanup', {})).status, 202)
    assert.equal(keys(await view('numbers', 'limit=1'))[0], -9)
  })

  it('give the documents, or those that values name', async () => {
    await db.write('x', { link: 'd5' })
    await db.write('y', { link: 'nothing' })
    assert.equal((await view('numbers', 'key=2&include_docs=true')).body.rows[0].doc.tag, 'a')
    const { body } = await view('links', 'include_docs=true')
    assert.deepEqual(body.rows.map(({ doc }) => doc && doc._id), ['d5', null])
  })

  it('do not see design documents', async () => {
    assert.deepEqual((await view('count')).body.rows, [{ key: null, value: 10 }])
  })

  it('may require from views.lib', async () => {
    assert.deepEqual(keys(await view('shouts', 'limit=1')), ['A'])
  })

  it('tell where they are', async () => {
    await view('numbers')
    const { body } = await db.get('_design/d/_info')
    assert.equal(body.name, 'd')
    assert.match(body.view_index.signature, /^[0-9a-f]{32}$/)
    assert.equal(body.view_index.updater_running, false)
    assert.match(body.view_index.collator_versions.join(), /^\d+(\.\d+)+$/)
    assert.match((await view('numbers', 'update_seq=true')).body.update_seq, /^11-/)
  })

  for (const query of ['limit=-1', 'limit=x', 'skip=-1', 'reduce=true', 'group=true', 'startkey=5&endkey=3', `keys=${json([1, 2])}&key=1`, `keys=${json({})}`, 'descending=maybe', 'group_level=x']) {
    it(`refuse ${decodeURIComponent(query)}`, async () => {
      const answer = await view('numbers', query)
      assertRefused(answer, 400, answer.body.error)
      assert.ok(['query_parse_error', 'bad_request'].includes(answer.body.error))
    })
  }

  it('refuse what makes no sense of a reduced view', async () => {
    assertRefused(await view('sums', 'include_docs=true'), 400, 'query_parse_error', '`include_docs` is invalid for reduce')
    assertRefused(await view('sums', `keys=${json(['a', 'b'])}`), 400, 'query_parse_error', 'Multi-key fetches for reduce views must use `group=true`')
  })

  it('put what a document emits under one key in the order of the values', async () => {
    const values = [{ b: 1 }, 'b', ['a'], true, 10, 'a', null, 2, false, {}, []]
    const map = `function (doc) { if (doc._id === 'd1') ${JSON.stringify(values)}.forEach(function (value) { emit(1, value) }) }`
    await db.put('_design/e', { views: { v: { map } } })
    const { body } = await db.get('_design/e/_view/v')
    assert.deepEqual(body.rows.map(({ value }) => value), [2, 10, false, null, true, {}, { b: 1 }, [], ['a'], 'a', 'b'])
  })

  it('show a map function the conflicts of a document', async () => {
    await db.post('_bulk_docs', { docs: [{ _id: 'x', _rev: '1-a' }, { _id: 'x', _rev: '1-b' }], new_edits: false })
    await db.put('_design/e', { views: { v: { map: 'function (doc) { if (doc._conflicts) emit(doc._rev, doc._conflicts) }' } } })
    assert.deepEqual((await db.get('_design/e/_view/v')).body.rows, [{ id: 'x', key: '1-b', value: ['1-a'] }])
  })

  it('with the option local_seq show a map function the sequence of a document', async () => {
    await db.put('_design/seqs', { options: { local_seq: true }, views: { v: { map: 'function (doc) { emit(doc._local_seq, doc.n) }' } } })
    const sequences = async () => (await db.get('_design/seqs/_view/v')).body.rows.map(({ id, key, value }) => [id, key, value])
    assert.deepEqual(await sequences(), Array.from({ length: 10 }, (_, n) => [`d${n}`, n + 1, n]))
    const { body: { _rev } } = await db.get('d3')
    await db.put('d3', { _rev, n: 33 })
    assert.deepEqual((await sequences()).at(-1), ['d3', 13, 33])
    await db.put('_design/none', { views: { v: { map: 'function (doc) { emit(doc._local_seq === undefined) }' } } })
    assert.deepEqual(new Set(keys(await db.get('_design/none/_view/v'))), new Set([true]))
  })

  it('with the option include_design see design documents', async () => {
    await db.put('_design/all', { options: { include_design: true }, views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
    const { body } = await db.get(`_design/all/_view/v?endkey=${json('_e')}`)
    assert.deepEqual(body.rows.map(({ id }) => id), ['_design/all', '_design/d'])
  })

  it('name the groups of keys as they were asked for', async () => {
    await db.write('m', { keys: ['a', 'b'] })
    await db.write('n', { keys: ['a\u0000'] })
    await db.put('_design/e', { views: { v: { map: ddoc.views.mixed.map, reduce: '_count' } } })
    const answer = await db.get(`_design/e/_view/v?group=true&keys=${json(['b', 'a\u0000'])}`)
    assert.deepEqual(answer.body.rows, [{ key: 'b', value: 1 }, { key: 'a\u0000', value: 2 }])
  })

  it('are cleaned up whatever the body of the request is', async () => {
    for (const headers of [{ 'Content-Type': 'text/plain' }, {}]) {
      assert.equal((await db.post('_view_cleanup', undefined, { headers })).status, 202)
    }
  })

  it('reduce to null with a function that throws', async () => {
    await db.put('_design/e', { views: { v: { map: 'function (doc) { emit(1) }', reduce: 'function (keys) { return keys[0].foo.bar }' } } })
    assert.deepEqual((await db.get('_design/e/_view/v?group=true')).body, { rows: [{ key: 1, value: null }] })
  })

  it('of a design document without any are missing', async () => {
    await db.put('_design/e', {})
    assertRefused(await db.get('_design/e/_view/v'), 404, 'not_found', 'missing_named_view')
  })

  it('know how long they are, and how far they have come', async () => {
    const info = async () => (await db.get('_design/d/_info')).body.view_index
    await view('numbers')
    const { sizes, language, signature, collator_versions: versions } = await info()
    assert.ok(sizes.external > 0 && sizes.active > 0 && sizes.file >= sizes.active, JSON.stringify(sizes))
    assert.equal(language, 'javascript')
    assert.match(signature, /^[0-9a-f]{32}$/)
    assert.match(versions[0], /^\d+\.\d+/)
    const long = 'x'.repeat(10000)
    const { body: { rev } } = await db.put('long', { n: 1, tag: long })
    await view('numbers')
    const more = (await info()).sizes
    assert.ok(more.external >= sizes.external + 10000, JSON.stringify(more))
    await db.remove(`long?rev=${rev}`)
    await view('numbers')
    const less = (await info()).sizes
    assert.ok(less.external <= more.external - 10000, JSON.stringify(less))
  })

  it('say when there is no such view', async () => {
    assertRefused(await view('nope'), 404, 'not_found', 'missing_named_view')
    assertRefused(await db.get('_design/nope/_view/x'), 404, 'not_found', 'missing')
  })
})
