'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { PmemLevel } = require('pmem-level')
const seedrandom = require('seedrandom')
const { Databases, DocumentStore } = require('@potoroo/document-store')
const { QueryServer } = require('@potoroo/query-server')
const { Views } = require('..')
const { Life, ddoc: ddocOfLife } = require('./random-life')

const SEED = process.env.VIEWS_SEED ?? String(Math.random())

const ddoc = {
  _id: '_design/d',
  views: {
    // Some documents have several rows under one key: backwards these come forwards.
    v: { map: 'function (doc) { for (var i = 0; i <= doc.n % 4; i++) emit([doc.n % 7, doc.n >> 4], doc.n + i) }', reduce: '_count' },
    // Keys that are longer than what is stored of them.
    long: { map: 'function (doc) { if (doc.n % 10 === 0) emit(new Array(4000).join("x") + doc.n, doc.n) }' }
  }
}
const whole = { ...ddoc, options: { partitioned: false } }
const partitioned = { ...ddoc, _id: '_design/p' }

describe('views on a level that counts', function () {
  this.timeout(600_000)

  const queryServer = new QueryServer()
  let folder
  let databases
  let stores
  let views

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'views-'))
    views = new Views({ queryServer })
    databases = [await Databases.open(new PmemLevel(path.join(folder, 'pool'))), await Databases.open(new MemoryLevel())]
    stores = []
    const docs = Array.from({ length: 3000 }, (_, n) => ({ _id: `p${n % 3}:d${n}`, n }))
    for (const each of databases) {
      await each.create('db', { partitioned: true })
      const store = await each.get('db')
      await store.write([whole, partitioned, ...docs])
      stores.push(store)
    }
  })

  after(async () => {
    for (const each of databases) await each.close()
    await queryServer.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** The answer on both levels, which must be one. */
  async function ask (name, view, options) {
    const answers = []
    for (const store of stores) answers.push(await (await views.query(store, name, view, options)).toObject())
    assert.deepEqual(answers[0], answers[1], JSON.stringify({ name, view, options, seed: SEED }))
    return answers[0]
  }

  it('answer as on one that does not, whatever is asked and changed', async () => {
    const random = seedrandom(SEED)
    const below = count => Math.floor(random() * count)
    const keyOf = () => random() < 0.3 ? [below(8)] : [below(8), below(190)]
    for (let i = 0; i < 250; i++) {
      const options = { descending: random() < 0.5, reduce: false, limit: below(5) }
      if (random() < 0.7) options.skip = below(random() < 0.5 ? 20 : 8000)
      if (random() < 0.3) options.limit = below(100)
      if (random() < 0.2) options.include_docs = true
      const kind = below(5)
      if (kind === 4) options.startkey = options.endkey = keyOf()
      else if (kind === 0) options.keys = Array.from({ length: 1 + below(4) }, keyOf)
      else if (kind > 1) {
        const [from, to] = [keyOf(), keyOf()].sort(([a, b = -1], [c, d = -1]) => a - c || b - d)
        const [start, end] = options.descending ? [to, from] : [from, to]
        if (random() < 0.8) options.startkey = start
        if (random() < 0.8) options.endkey = end
        if (random() < 0.4) options.startkey_docid = `p1:d${below(3000)}`
        if (random() < 0.3) options.inclusive_end = false
      }
      if (random() < 0.3) options.partition = `p${below(3)}`
      await ask(options.partition === undefined ? 'd' : 'p', 'v', options)
      if (i % 20 > 0) continue
      const n = below(3000)
      const doc = { _id: `p${n % 3}:d${n}`, n: below(3000), _deleted: random() < 0.2 }
      for (const store of stores) await store.write([{ ...doc, _rev: (await store.get(doc._id).catch(() => ({}))).rev }])
    }
  })

  it('skip among keys that only their whole text tells apart', async () => {
    for (const descending of [false, true]) {
      for (const skip of [0, 1, 57, 290, 400]) await ask('d', 'long', { descending, skip, limit: 3 })
      const start = 'x'.repeat(3999) + '1500'
      await ask('d', 'long', { descending, startkey: start, skip: 5, limit: 3 })
    }
  })

  it('count by reduction as on one that does not', async () => {
    for (const options of [{}, { startkey: [2], endkey: [4, 50] }, { group_level: 1 }, { group: true, skip: 30, limit: 4 }, { descending: true, startkey: [5], endkey: [1, 7] }]) await ask('d', 'v', options)
  })

  it('read no rows for an offset or a skip', async () => {
    const [store] = stores
    const { indexSpace } = store
    const { nextPage } = indexSpace
    let records = 0
    indexSpace.nextPage = async (...args) => {
      const page = await nextPage.apply(indexSpace, args)
      records += page.length
      return page
    }
    try {
      for (const options of [{ startkey: [3] }, { skip: 5000 }, { descending: true, skip: 5000 }, { keys: [[1, 5], [2], [3]], skip: 0 }]) {
        await (await views.query(store, 'd', 'v', { ...options, reduce: false, limit: 1 })).toObject()
      }
      await (await views.query(store, 'd', 'v', { startkey: [1], endkey: [5] })).toObject()
    } finally {
      indexSpace.nextPage = nextPage
    }
    assert.ok(records < 40, `${records} records were read`)
  })

  it('read the rows of a key, and few of a range, at once, as they are after each change', async () => {
    const [store] = stores
    const { indexSpace } = store
    const { nextPage } = indexSpace
    const key = [3, 1]
    const rowsOf = async (options) => (await (await views.query(store, 'd', 'v', { reduce: false, ...options })).toObject()).rows
    const before = await rowsOf({ startkey: key, endkey: key })
    const { rev } = await store.get(before[0].id)
    await store.write([{ _id: before[0].id, _rev: rev, n: 17, more: true }])
    await rowsOf({ limit: 0 })
    indexSpace.nextPage = () => assert.fail('a page is read')
    try {
      const after = await rowsOf({ startkey: key, endkey: key, include_docs: true })
      assert.equal(after.find(({ id }) => id === before[0].id).doc.more, true)
      assert.ok(after.every(row => row.key[0] === 3 && row.key[1] === 1))
      assert.equal((await rowsOf({ startkey: key, limit: 20 })).length, 20)
      assert.deepEqual(await rowsOf({ startkey: key, endkey: key, skip: 1, limit: 2 }), after.slice(1, 3).map(({ doc, ...row }) => row))
    } finally {
      indexSpace.nextPage = nextPage
    }
  })

  it('give what a plain filter of all rows gives, in a random life', async () => {
    const store = await DocumentStore.open(new PmemLevel(path.join(folder, 'life')))
    try {
      await store.put(ddocOfLife)
      const life = new Life(store, queryServer, seedrandom(SEED))
      for (let i = 0; i < 200; i++) await life.step()
    } catch (error) {
      error.message += ` (with VIEWS_SEED=${SEED})`
      throw error
    } finally {
      await store.close()
    }
  })
})
