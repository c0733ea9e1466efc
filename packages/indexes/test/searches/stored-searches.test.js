'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('@potoroo/query-server')
const seedrandom = require('seedrandom')
const { Searches, StoredSearches } = require('../..')
const { openElsewhere } = require('../written-elsewhere')
const { SearchLife, designs } = require('./random-searches')

const STEPS = 80

const INDEX = 'function (doc) { if (doc.text) index("default", doc.text, { store: true }); if (doc.n) index("n", doc.n) }'

describe('searches of what another thread writes', () => {
  const queryServer = new QueryServer()
  after(() => queryServer.close())

  let store, reader, searches, stored, opened, close
  const open = async options => {
    ({ store, reader, opened, close } = await openElsewhere('memory', options))
    searches = new Searches({ queryServer })
    // It asks no function.
    stored = new StoredSearches({ queryServer: /** @type {any} */ (null) })
  }
  beforeEach(() => open())
  afterEach(() => close())

  const ask = (args, name = 'text', dialect = /** @type {const} */ ('search')) => stored.search(reader, dialect, 'd', name, { q: 'one', limit: 10, ...args })
  const owners = (args, name = 'text', dialect = /** @type {const} */ ('search')) => searches.search(store, dialect, 'd', name, { q: 'one', limit: 10, ...args })
  const idsOf = result => result.hits.map(({ id }) => id)
  const define = (index = INDEX, more = {}) => store.put({ _id: '_design/d', indexes: { text: { index } }, ...more })

  it('find the same, whatever is asked and whatever was written', async () => {
    const seed = process.env.SEARCHES_SEED ?? String(Math.random())
    for (const ddoc of designs) await store.put(ddoc)
    const life = new SearchLife(store, queryServer, seedrandom(seed), (...asked) => stored.search(reader, ...asked))
    try {
      for (let i = 0; i < STEPS; i++) await life.step()
      await life.assertAsFresh()
    } catch (error) {
      error.message += ` (with SEARCHES_SEED=${seed})`
      throw error
    }
  })

  it('let others run while they mark what was found in many long texts', async () => {
    const index = 'function (doc) { index("default", "one"); for (var i = 0; i < 12; i++) index("f" + i, doc.text, { index: false, store: true }) }'
    await store.put({ _id: '_design/d', indexes: { text: { index, analyzer: 'chinese' } } })
    await store.put({ _id: 'long', text: 'one two three '.repeat(6000) })
    const highlightFields = Array.from({ length: 12 }, (_, i) => `f${i}`)
    const highlighting = { preTag: '<', postTag: '>', number: 1, size: 10 }
    await owners()
    for (const search of [owners, ask]) {
      let turns = 0
      let isDone = false
      const count = () => {
        turns++
        if (!isDone) setImmediate(count)
      }
      const found = search({ q: `one ${highlightFields.map(field => `${field}:one`).join(' ')}`, includeFields: [], highlightFields, highlighting })
      setImmediate(count)
      const { hits: [{ highlights }] } = await found
      isDone = true
      assert.deepEqual(highlights, Object.fromEntries(highlightFields.map(field => [field, ['<one> two']])))
      assert.ok(turns >= 5, `${turns} turns`)
    }
  })

  it('are left to the owner as long as the index is not there, or is behind', async () => {
    await define()
    const { rev } = await store.put({ _id: 'a', text: 'one' })
    assert.equal(await ask(), null)
    assert.equal(await ask({ update: false }), null)
    await owners()
    assert.deepEqual(idsOf(await ask()), ['a'])
    await store.put({ _id: 'b', text: 'one' })
    assert.equal(await ask(), null)
    assert.deepEqual(idsOf(await ask({ update: false })), ['a'])
    await owners()
    assert.deepEqual(idsOf(await ask()), ['a', 'b'])
    await store.purge({ a: [rev] })
    assert.equal(await ask(), null)
    await owners()
    assert.deepEqual(idsOf(await ask()), ['b'])
  })

  it('are of the design document of the same moment', async () => {
    await store.put({ _id: 'a', text: 'one', n: 1 })
    let { rev } = await define()
    await owners()
    assert.deepEqual(idsOf(await ask()), ['a'])
    rev = (await define('function (doc) { index("default", "two") }', { _rev: rev })).rev
    assert.equal(await ask(), null)
    await owners()
    assert.deepEqual(idsOf(await ask()), [])
    assert.deepEqual(idsOf(await ask({ q: 'two' })), ['a'])
    rev = (await define(INDEX, { _rev: rev })).rev
    await owners()
    assert.deepEqual(idsOf(await ask({ q: 'two' })), [])
    // A body that another one had under its revision.
    await store.purge({ '_design/d': [rev] })
    await store.write([{ _id: '_design/d', _rev: rev, indexes: { text: { index: 'function (doc) { index("default", "three") }' } } }], { newEdits: false })
    await owners()
    assert.deepEqual(idsOf(await ask({ q: 'three' })), ['a'])
    const { rev: last } = await store.get('_design/d')
    await store.put({ _id: '_design/d', _rev: last, _deleted: true })
    await assert.rejects(ask(), { error: 'not_found', reason: 'deleted' })
  })

  it('are refused as the owner refuses them', async () => {
    await define(INDEX, { indexes: { text: { index: INDEX }, odd: { analyzer: 'klingon', index: INDEX }, bare: {} } })
    await store.put({ _id: 'a', text: 'one' })
    await owners()
    const refused = [[{ q: 'one AND' }], [{ sort: 'x<y>' }], [{ bookmark: 'x' }], [{ partition: 'p' }], [{ highlightFields: 3 }], [{ ranges: 3 }], [{}, 'odd'], [{}, 'bare'], [{}, 'none'], [{ timeout: 0 }]]
    for (const [args, name] of /** @type {Array<[object, string | undefined]>} */ (refused)) {
      const error = await owners(args, name).catch(error => error)
      assert.ok(error.status >= 400, JSON.stringify(args))
      await assert.rejects(ask(args, name), { status: error.status, error: error.error, reason: error.reason })
    }
    await assert.rejects(stored.search(reader, 'search', 'none', 'text', { q: 'one', limit: 1 }), { error: 'not_found', reason: 'missing' })
  })

  it('end where nobody waits, and where they are late', async () => {
    await define('function (doc) { for (var i = 0; i < 1000; i++) index("default", doc._id + "x" + i) }')
    await store.write(Array.from({ length: 30 }, (_, n) => ({ _id: `a${n}` })))
    await owners()
    const { total } = await ask({ q: '/a.*[13579]x?.*9/' })
    assert.ok(total > 0)
    await assert.rejects(ask({ q: '/a.*[13579]x?.*9/', isWanted: () => false }), { reason: 'Nobody waits for the answer' })
    await assert.rejects(ask({ q: '/a.*[13579]x?.*9/', timeout: 1 }), { error: 'timeout' })
    while (opened.size > 0) await new Promise(setImmediate)
  })

  it('want a partition, or none', async () => {
    await close()
    await open({ partitioned: true })
    await define(INDEX, { nouveau: { text: { index: 'function (doc) { index("text", "default", doc.text) }' } } })
    for (const _id of ['p:a', 'q:a']) await store.put({ _id, text: 'one' })
    for (const dialect of /** @type {const} */ (['search', 'nouveau'])) {
      await owners({ partition: 'p' }, 'text', dialect)
      assert.deepEqual(idsOf(await ask({ partition: 'p' }, 'text', dialect)), ['p:a'])
      await assert.rejects(ask({}, 'text', dialect), { reason: '`partition` parameter is mandatory for queries to this index.' })
    }
  })

  it('see all of a commit or nothing of it', async () => {
    await define()
    let revs = (await store.write([0, 1, 2, 3].map(n => ({ _id: `a${n}`, text: n < 2 ? 'one' : 'two' })))).map(({ rev }) => rev)
    const written = new AbortController()
    const found = []
    const write = (async () => {
      for (let round = 1; round < 100 || found.length < 50; round++) {
        revs = (await store.write(revs.map((_rev, n) => ({ _id: `a${n}`, _rev, text: (n + round) % 4 < 2 ? 'one' : 'two' })))).map(({ rev }) => rev)
        await owners()
        await new Promise(setImmediate)
      }
    })().finally(() => written.abort())
    while (!written.signal.aborted) {
      const result = await ask()
      if (result !== null) found.push(result.total)
      await new Promise(setImmediate)
    }
    await write
    assert.deepEqual(new Set(found), new Set([2]))
  })
})
