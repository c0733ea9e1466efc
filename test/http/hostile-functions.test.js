'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { get, put, post } = require('./support/request')

const SETTING = '/_node/_local/_config/query_server_config/os_process_timeout'

const LOOP = 'function () { while (true) {} }'

/** Members of a design document with a function that does not return, and what calls it. */
const places = {
  map: { ddoc: { views: { v: { map: LOOP } } }, call: db => db.get('_design/bad/_view/v') },
  reduce: { ddoc: { views: { v: { map: 'function (doc) { emit(doc._id, 1) }', reduce: LOOP } } }, call: db => db.get('_design/bad/_view/v') },
  filter: { ddoc: { filters: { f: LOOP } }, call: db => db.get('_changes?filter=bad/f') },
  'map as a filter': { ddoc: { views: { v: { map: LOOP } } }, call: db => db.get('_changes?filter=_view&view=bad/v') },
  'validation of documents': { ddoc: { validate_doc_update: LOOP }, call: db => db.put('new', {}) }
}

describe('functions that do not return', function () {
  this.timeout(30_000)
  const bad = new TestDatabase()
  const good = new TestDatabase()
  let usual

  before(async () => {
    usual = (await get(SETTING)).body
    assert.equal((await put(SETTING, '"500"')).status, 200)
  })
  after(() => put(SETTING, JSON.stringify(typeof usual === 'string' ? usual : '5000')))

  for (const [place, { ddoc, call }] of Object.entries(places)) {
    it(`end with an error, and others are answered before: ${place}`, async () => {
      await bad.write('a')
      await bad.write('_design/bad', ddoc)
      await good.write('a', { n: 1 })
      await good.write('_design/good', { views: { v: { map: 'function (doc) { emit(doc.n) }' } }, filters: { f: 'function (doc) { return doc.n === 1 }' } })
      const order = []
      const answer = call(bad).then(result => { order.push('bad'); return result })
      const rows = await good.get('_design/good/_view/v')
      const changes = await good.get('_changes?filter=good/f')
      const written = await good.put('b', { n: 2 })
      order.push('good')
      const failed = await answer
      assert.deepEqual(rows.body.rows, [{ id: 'a', key: 1, value: null }])
      assert.deepEqual(changes.body.results.map(({ id }) => id), ['a'])
      assert.equal(written.status, 201)
      assert.deepEqual(order, ['good', 'bad'])
      assert.deepEqual([failed.status, failed.body.error, failed.body.reason], [500, 'os_process_error', 'OS process timed out.'])
      assert.equal((await bad.get('a')).status, 200)
    })
  }

  it('are no hindrance to the deletion of their database', async () => {
    await bad.write('a')
    await bad.write('_design/bad', places.map.ddoc)
    const answer = bad.get('_design/bad/_view/v')
    assert.equal((await bad.remove('')).status, 200)
    assert.ok((await answer).status >= 400)
  })
})

describe('functions that do harm', function () {
  this.timeout(30_000)
  const db = new TestDatabase()
  const other = new TestDatabase()

  const bodies = {
    'more memory than there is': 'var a = []; while (true) a.push({ n: a.length })',
    'a text of 100 MB': 'emit(1, "x".repeat(100 * 1024 * 1024))',
    'rows without end': 'while (true) emit(1, { a: 1 })',
    'what JSON has nothing for': 'emit(1, 1n)'
  }
  for (const [what, body] of Object.entries(bodies)) {
    it(`are answered with an error: ${what}`, async () => {
      await db.write('a')
      await db.write('_design/d', { views: { v: { map: `function (doc) { ${body} }` }, w: { map: 'function (doc) { emit(1) }' } } })
      const { status, body: { error } } = await db.get('_design/d/_view/v')
      assert.equal(status, 500)
      assert.ok(['os_process_error', 'TypeError', 'InternalError'].includes(error), error)
      assert.equal((await db.get('a')).status, 200)
    })
  }

  it('spoil no other design document and no other database by prototypes', async () => {
    const trick = 'Array.prototype.toJSON = Object.prototype.toJSON = function () { return 1 }; Array.prototype.push = JSON.parse; emit(1)'
    for (const each of [db, other]) await each.write('a', { n: 1 })
    await db.write('_design/bad', { views: { v: { map: `function (doc) { ${trick} }` } } })
    for (const each of [db, other]) await each.write('_design/good', { views: { v: { map: 'function (doc) { emit([doc.n], { a: [1] }) }' } } })
    for (let i = 0; i < 2; i++) {
      await db.get('_design/bad/_view/v')
      for (const each of [db, other]) {
        const { body } = await each.get('_design/good/_view/v')
        assert.deepEqual(body.rows, [{ id: 'a', key: [1], value: { a: [1] } }])
      }
    }
  })

  it('see no documents of other databases', async () => {
    const map = 'function (doc) { if (typeof seen === "undefined") seen = []; seen.push(doc._id); emit(doc._id, seen) }'
    await db.write('secret')
    await other.write('mine')
    for (const each of [db, other]) await each.write('_design/d', { views: { v: { map } } })
    assert.deepEqual((await db.get('_design/d/_view/v')).body.rows.map(({ value }) => value), [['secret']])
    assert.deepEqual((await other.get('_design/d/_view/v')).body.rows.map(({ value }) => value), [['mine']])
  })
})

describe('indexes that are built', function () {
  this.timeout(30_000)
  const db = new TestDatabase()

  it('are told of in _active_tasks', async () => {
    const docs = Array.from({ length: 4000 }, (_, n) => ({ _id: `doc-${n}`, n }))
    assert.equal((await post(db.path('_bulk_docs'), { docs })).status, 201)
    await db.write('_design/d', { views: { v: { map: 'function (doc) { var s = 0; for (var i = 0; i < 3000; i++) s += i; emit(doc.n, s) }' } } })
    const rows = db.get('_design/d/_view/v?limit=0')
    let tasks = []
    while (tasks.length === 0) {
      const { body } = await Promise.race([rows, get('/_active_tasks')])
      if (!Array.isArray(body)) break
      tasks = body.filter(({ type, database }) => type === 'indexer' && database.includes(db.name))
    }
    assert.equal((await rows).body.total_rows, 4000)
    assert.ok(tasks.length > 0)
    const [{ design_document: ddoc, changes_done: changes, total_changes: total, progress, started_on: started, updated_on: updated, pid }] = tasks
    assert.equal(ddoc, '_design/d')
    assert.ok(changes <= total && total <= 4001 && progress >= 0 && progress <= 100, JSON.stringify(tasks[0]))
    assert.ok(started <= updated && typeof pid === 'string')
  })

  it('are built without being asked for', async () => {
    await db.write('a', { n: 1 })
    await db.write('_design/d', { views: { v: { map: 'function (doc) { emit(doc.n) }' } } })
    let rows = []
    while (rows.length === 0) rows = (await db.get('_design/d/_view/v?update=false')).body.rows
    assert.deepEqual(rows, [{ id: 'a', key: 1, value: null }])
  })
})
