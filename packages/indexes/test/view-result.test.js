'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Views } = require('..')
const { BackwardRuns } = require('../lib/index/backward-runs')
const { ViewResult } = require('../lib/views/view-result')

const ddoc = {
  _id: '_design/d',
  views: {
    v: { map: 'function (doc) { emit(doc.n, doc._id) }' },
    sum: { map: 'function (doc) { emit(doc.n % 10, doc.n) }', reduce: '_sum' },
    last: { map: 'function (doc) { emit([doc.n % 2, doc.n], doc.n) }', reduce: '_last' }
  }
}

const numbered = (start, count) => Array.from({ length: count }, (_, i) => ({ _id: `d${start + i}`, n: start + i }))

describe('the answer of a view', function () {
  this.timeout(600_000)

  const queryServer = new QueryServer()
  let store, views
  after(() => queryServer.close())

  beforeEach(async () => {
    store = await DocumentStore.open(new MemoryLevel())
    views = new Views({ queryServer })
    await store.write([ddoc, ...numbered(0, 3000)])
  })

  afterEach(() => store.close())

  const ask = (options, name = 'v') => views.query(store, 'd', name, options)
  const rowsOf = async answer => (await answer.toObject()).rows

  it('has a header before it has rows', async () => {
    const answer = await ask({ startkey: 10, limit: 2, skip: 1 })
    assert.deepEqual([answer.totalRows, answer.offset, answer.updateSeq], [3000, 11, 3001])
    assert.deepEqual(await answer.toObject(), { total_rows: 3000, offset: 11, rows: [{ id: 'd11', key: 11, value: 'd11' }, { id: 'd12', key: 12, value: 'd12' }] })
  })

  it('of a reduction has none but the sequence', async () => {
    const answer = await ask({ group: true, limit: 1 }, 'sum')
    assert.deepEqual([answer.totalRows, answer.offset, answer.updateSeq], [undefined, undefined, 3001])
    assert.deepEqual(await answer.toObject(), { rows: [{ key: 0, value: 448500 }] })
  })

  it('reduces forwards what is read backwards, in one piece or several', async () => {
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await rowsOf(await ask({ group_level: 1, descending: true }, 'last')), [{ key: [1], value: 2999 }, { key: [0], value: 2998 }])
    }
  })

  it('comes as texts or as objects, page by page', async () => {
    const texts = []
    for await (const page of (await ask({})).texts()) texts.push(page)
    const objects = []
    for await (const page of await ask({})) objects.push(page)
    assert.ok(texts.length > 1)
    assert.deepEqual(texts.flat().map(text => JSON.parse(text)), objects.flat())
    assert.equal(texts.flat()[0], '{"id":"d0","key":0,"value":"d0"}')
  })

  it('is of the moment in which it was asked for', async () => {
    const before = [await ask({}), await ask({ keys: [5, 2999] }), await ask({ descending: true })]
    const gone = await store.get('d5')
    await store.write([{ _id: 'd5', _rev: gone.rev, _deleted: true }, ...numbered(3000, 10)])
    assert.equal((await ask({ limit: 0 })).totalRows, 3009)
    assert.deepEqual(before.map(({ totalRows }) => totalRows), [3000, 3000, 3000])
    assert.equal((await rowsOf(before[0])).length, 3000)
    assert.deepEqual((await rowsOf(before[1])).map(({ key }) => key), [5, 2999])
    assert.equal((await rowsOf(before[2]))[0].key, 2999)
  })

  it('holds nothing once it is read, left, or closed', async () => {
    const [read, left, closed] = [await ask({}), await ask({}), await ask({})]
    await read.toObject()
    for await (const page of left.texts()) if (page.length > 0) break
    await closed.close()
    await views.cleanup(store)
    assert.equal((await rowsOf(await ask({ limit: 1 }))).length, 1)
  })

  it('that nobody reads does not keep its database open', async () => {
    const answer = await ask({})
    await store.close()
    await assert.rejects(answer.toObject(), { code: 'CLOSED' })
  })

  it('ends with CLOSED where the database is closed meanwhile', async () => {
    const pages = (await ask({})).texts()
    await pages.next()
    await store.close()
    await assert.rejects(async () => { for await (const page of pages) assert.ok(page) }, { code: 'CLOSED' })
  })

  it('of several queries comes one by one, checked together', async () => {
    await assert.rejects(views.queries(store, 'd', 'v', [{}, { limit: -1 }]), { error: 'query_parse_error' })
    const answers = await views.queries(store, 'd', 'v', [{ key: 1 }, { key: 2 }])
    assert.deepEqual((await Promise.all(answers.map(async answer => rowsOf(await answer())))).flat().map(({ key }) => key), [1, 2])
  })

  it('of a view that was changed is of the new one, and of one that is gone is none', async () => {
    await rowsOf(await ask({ limit: 1 }))
    const { rev } = await store.get('_design/d')
    const changed = await store.put({ ...ddoc, _rev: rev, views: { v: { map: 'function (doc) { emit(-doc.n) }' } } })
    assert.deepEqual(await rowsOf(await ask({ limit: 1 })), [{ id: 'd2999', key: -2999, value: null }])
    await views.cleanup(store)
    assert.equal((await ask({ limit: 0 })).totalRows, 3000)
    await assert.rejects(ask({}, 'sum'), { status: 404, reason: 'missing_named_view' })
    await store.put({ _id: '_design/d', _rev: changed.rev, _deleted: true })
    await assert.rejects(ask({}), { status: 404, reason: 'deleted' })
  })

  it('backwards has what one document emitted under one key in its order, however much', async () => {
    const entries = Array.from({ length: 150_000 }, (_, i) => [i === 0 ? 'id\0' : `id\0${i}`, String(i)])
    const page = new BackwardRuns().take(entries.toReversed()).map(([, value]) => ({ id: 'id', key: '1', value }))
    const { rows } = await new ViewResult({ updateSeq: 0 }, (async function * () { yield page })(), async () => {}).toObject()
    assert.deepEqual([rows.length, rows[0].value, rows.at(-1).value], [150_000, 0, 149_999])
  })

  it('of very many keys lets others have their turn', async () => {
    let turns = 0
    let timer = setImmediate(function turn () {
      turns++
      timer = setImmediate(turn)
    })
    const keys = Array.from({ length: 5000 }, (_, i) => -1 - i)
    const before = turns
    assert.deepEqual(await rowsOf(await ask({ keys })), [])
    assert.deepEqual(await rowsOf(await ask({ keys, group: true }, 'sum')), [])
    clearImmediate(timer)
    assert.ok(turns - before > 50, `${turns - before} turns`)
  })

  it('of design documents that only PouchDB lets be written is an error of theirs alone', async () => {
    const write = async (name, more) => store.put({ _id: `_design/${name}`, ...more })
    await write('null', { views: null })
    await write('reduce', { views: { v: { map: ddoc.views.v.map, reduce: {} } } })
    await write('fields', { language: 'query', views: { v: { map: { fields: null } }, w: { map: { fields: { n: 'asc' } } } } })
    const statusOf = async (name, options) => views.query(store, name, 'v', options).then(async answer => (await answer.toObject()).rows.length, ({ status }) => status)
    assert.deepEqual([await statusOf('null'), await statusOf('reduce'), await statusOf('reduce', { reduce: false }), await statusOf('fields')], [404, 400, 3000, 404])
    assert.equal((await (await views.query(store, 'fields', 'w')).toObject()).rows.length, 3000)
    await views.cleanup(store)
  })

  it('is a reduction of values that are nested more deeply than functions call each other', async () => {
    const map = 'function (doc) { if (doc.n < 2) emit(doc.n, JSON.parse("[".repeat(4000) + "]".repeat(4000))) }'
    await store.put({ _id: '_design/deep', views: { v: { map, reduce: 'function (keys, values) { return values.length }' } } })
    const answer = await views.query(store, 'deep', 'v')
    assert.deepEqual((await answer.toObject()).rows, [{ key: null, value: 2 }])
  })

  it('of a language that nothing runs is an error', async () => {
    await store.put({ _id: '_design/e', language: 'python', views: { v: { map: 'def f(doc): pass' } } })
    await assert.rejects(views.query(store, 'e', 'v'), { status: 500, error: 'unknown_query_language', reason: 'python' })
  })
})

for (const kind of ['memory-level', 'classic-level']) {
  describe(`stale answers while an index is built, on ${kind}`, function () {
    this.timeout(600_000)

    const queryServer = new QueryServer()
    let folder
    before(async () => { folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-')) })
    after(async () => {
      await queryServer.close()
      await fs.rm(folder, { recursive: true })
    })

    it('agree with themselves: the rows are those of the header', async () => {
      const level = kind === 'memory-level' ? new MemoryLevel() : new ClassicLevel(folder)
      const store = await DocumentStore.open(level)
      const views = new Views({ queryServer })
      await store.write([ddoc])
      for (let start = 0; start < 6000; start += 1000) await store.write(numbered(start, 1000))
      const build = { done: false }
      const building = views.query(store, 'd', 'v', { limit: 1 }).then(async answer => {
        build.done = true
        await answer.close()
      })
      const seen = new Set()
      while (!build.done) {
        const answer = await views.query(store, 'd', 'v', { update: false })
        const { rows } = await answer.toObject()
        assert.equal(rows.length, answer.totalRows)
        assert.ok(rows.every(({ key }) => key < answer.updateSeq), 'no row is ahead of the sequence')
        assert.equal(rows.length, Math.max(0, answer.updateSeq - 1), 'and none is missing')
        seen.add(rows.length)
        await new Promise(setImmediate)
      }
      await building
      assert.ok(seen.size > 1, `saw ${[...seen]}`)
      await store.close()
      await level.close()
    })
  })
}
