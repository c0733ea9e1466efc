'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore } = require('@potoroo/document-store')
const { EmbeddedViews } = require('..')
const { assertIntegrity } = require('./integrity')

const design = views => ({ _id: '_design/d', views })
const byKey = { map: 'function (doc) { emit(doc.key, doc.value) }' }

describe('embedded views', function () {
  this.timeout(600_000)

  /** @type {MemoryLevel<any, any>} */
  let level
  /** @type {DocumentStore} */
  let store
  /** @type {EmbeddedViews} */
  let views

  beforeEach(async () => {
    level = new MemoryLevel()
    store = await DocumentStore.open(level, { prefix: 'p/' })
    views = new EmbeddedViews(store)
  })

  const keysOf = async (options, name = 'd/v') => (await views.query(name, options, {})).rows.map(({ key }) => key)

  it('find rows by keys that are too long for a level\'s key', async () => {
    const long = 'x'.repeat(50_000)
    const keys = [long, `${long}y`, [long, 1], 'x', 'y']
    await store.write([design({ v: byKey }), ...keys.map((key, i) => ({ _id: String(i), key, value: i }))])
    for (const key of keys) assert.deepEqual(await keysOf({ key }), [key])
    assert.deepEqual(await keysOf({ startkey: `${long}a` }), [`${long}y`, 'y', [long, 1]])
    assert.deepEqual(await keysOf({ startkey: long, endkey: `${long}y`, inclusive_end: false }), [long])
    await assertIntegrity(store)
  })

  it('read all rows of a level that brings long ones a few at a time', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-'))
    const disk = new ClassicLevel(folder)
    store = await DocumentStore.open(disk)
    views = new EmbeddedViews(store)
    await store.write([design({ v: byKey }), ...Array.from({ length: 600 }, (_, i) => ({ _id: `doc-${i}`, key: i, value: 'x'.repeat(10_000) }))])
    assert.equal((await keysOf({})).length, 600)
    await store.close()
    await disk.close()
    await fs.rm(folder, { recursive: true })
  })

  it('are missing in a design document whose views are null', async () => {
    await store.write([design(null)])
    await assert.rejects(views.query('d/v', {}, {}), { status: 404 })
  })

  it('go with their database', async () => {
    await store.write([design({ v: byKey }), { _id: 'a', key: 1 }])
    assert.deepEqual(await keysOf({}), [1])
    await store.destroy()
    assert.deepEqual(await level.keys().all(), [])
  })

  it('are closed while they are built, and go on later', async () => {
    await store.write([design({ v: byKey }), ...Array.from({ length: 1200 }, (_, i) => ({ _id: `doc-${i}`, key: i }))])
    let steps = 0
    let closing
    const observer = { onStep: () => { if (++steps === 2) closing = store.close() } }
    await assert.rejects(views.query('d/v', {}, observer), { code: 'CLOSED' })
    await closing
    store = await DocumentStore.open(level, { prefix: 'p/' })
    views = new EmbeddedViews(store)
    assert.ok((await keysOf({ stale: 'ok' })).length >= 1000)
    assert.deepEqual(await keysOf({ startkey: 1190 }), Array.from({ length: 10 }, (_, i) => 1190 + i))
    await assertIntegrity(store)
  })

  it('are built once for those who ask at the same time', async () => {
    await store.write([design({ v: byKey }), ...Array.from({ length: 1000 }, (_, i) => ({ _id: `doc-${i}`, key: i }))])
    let documents = 0
    const observer = { onStep: (step) => { documents += step.documents } }
    await Promise.all(Array.from({ length: 5 }, () => views.query('d/v', {}, observer)))
    assert.equal(documents, 1001)
  })

  it('share an index where they have the same map function', async () => {
    await store.write([design({ v: byKey, w: { ...byKey, reduce: '_count' } }), { _id: 'a', key: 1 }])
    await keysOf({})
    let documents = 0
    await views.query('d/w', {}, { onStep: (step) => { documents += step.documents } })
    assert.equal(documents, 0)
  })

  it('keep their rows until no design document has the view', async () => {
    const { rev } = await store.put(design({ v: byKey }))
    await store.put({ _id: 'a', key: 1 })
    await keysOf({})
    const rows = async () => (await level.keys({ gte: 'p/ir', lt: 'p/is' }).all()).length
    await views.cleanup()
    assert.equal(await rows(), 1)
    await store.put({ ...design({}), _rev: rev })
    await views.cleanup()
    assert.equal(await rows(), 0)
  })

  it('tell of errors and index the other documents', async () => {
    await store.write([design({ v: { map: 'function (doc) { emit(doc.a.b) }' } }), { _id: 'bad' }, { _id: 'good', a: { b: 1 } }])
    const errors = []
    const { rows } = await views.query('d/v', {}, { onError: (error, { doc }) => errors.push([error.name, doc._id]) })
    assert.deepEqual(rows, [{ id: 'good', key: 1, value: null }])
    assert.deepEqual(errors, [['TypeError', 'bad']])
  })

  it('refuse functions that do not compile, for each document', async () => {
    await store.write([design({ v: { map: 'function (doc) {' } }), { _id: 'a' }])
    const errors = []
    const { rows } = await views.query('d/v', {}, { onError: ({ name }) => errors.push(name) })
    assert.deepEqual([rows, errors], [[], ['SyntaxError']])
  })

  it('run functions where nothing of Node.js or of other documents is', async () => {
    const map = `function (doc) {
      emit(typeof require + typeof process + typeof Buffer, this)
      emit(doc.list instanceof Array, Object.keys(globalThis))
      doc.list.push(1)
    }`
    await store.write([design({ v: { map } }), { _id: 'a', list: [] }])
    assert.deepEqual((await views.query('d/v', {}, {})).rows, [
      { id: 'a', key: true, value: [] }, { id: 'a', key: 'undefinedundefinedundefined', value: null }
    ])
  })

  it('refuse a reduce function that starts like a built-in one and is none', async () => {
    await store.write([design({ v: { ...byKey, reduce: '_median' } }), { _id: 'a' }])
    await assert.rejects(views.query('d/v', {}, {}), { status: 400, reason: '_median is not a supported reduce function.' })
  })

  it('read no more rows than are wanted', async () => {
    await store.write([design({ v: byKey }), ...Array.from({ length: 500 }, (_, i) => ({ _id: `doc-${i}`, key: i }))])
    await keysOf({ limit: 0 })
    let read = 0
    const { nextPage } = store.indexSpace
    store.indexSpace.nextPage = async (...args) => {
      const page = await nextPage.apply(store.indexSpace, args)
      read += page.length
      return page
    }
    assert.deepEqual(await keysOf({ startkey: 100, skip: 2, limit: 3 }), [102, 103, 104])
    assert.equal(read, 5)
  })

  it('answer alike in a design document and in none', async () => {
    const map = 'function (doc) { doc.list.forEach(function (each) { emit(each, doc._id) }) }'
    const random = seedrandom('temporary')
    const below = count => Math.floor(random() * count)
    await store.write(Array.from({ length: 3000 }, (_, i) => ({ _id: `doc-${i}`, list: [below(1000), [below(10), 'x']] })))
    await store.write([design({ v: { map } })])
    for (let i = 0; i < 40; i++) {
      const [start, end] = [below(1000), below(1000)].sort((a, b) => a - b)
      const descending = below(2) === 0
      const options = {
        descending,
        ...(below(3) > 0 && { limit: [0, 1, 7, 2000][below(4)] }),
        ...(below(3) === 0 && { skip: below(900) }),
        ...[{}, { key: start }, { keys: [start, [1, 'x'], end] }, { keys: [] }, descending ? { startkey: end, endkey: start } : { startkey: start, endkey: end }][below(5)]
      }
      assert.deepEqual(await views.queryTemporary({ map }, options, {}), await views.query('d/v', options, {}), JSON.stringify(options))
    }
  })

  it('take a reduce function from the query', async () => {
    await store.write([design({ v: byKey }), { _id: 'a', key: 1, value: 3 }, { _id: 'b', key: 2, value: 4 }])
    const both = async options => [await views.query('d/v', options, {}), await views.queryTemporary(byKey, options, {})].map(({ rows }) => rows)
    for (const [reduce, value] of [['_sum', 7], ['_count', 2], [function (keys, values) { return values.concat(keys.length) }, [3, 4, 2]]]) {
      const rows = [{ key: null, value }]
      assert.deepEqual(await both({ reduce }), [rows, rows])
    }
    const [rows] = await both({ reduce: '_sum', group: true, startkey: 2 })
    assert.deepEqual(rows, [{ key: 2, value: 4 }])
    await assert.rejects(views.query('d/v', { reduce: '_sum', include_docs: true }, {}), { error: 'query_parse_error' })
  })
})
