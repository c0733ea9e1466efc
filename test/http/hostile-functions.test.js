'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { get, put, post } = require('./support/request')

/** Sets a limit of functions, in milliseconds or bytes, for the tests of a `describe`. */
function limited (name, value) {
  const path = `/_node/_local/_config/query_server_config/${name}`
  let usual
  before(async () => {
    const { status, body } = await put(path, JSON.stringify(String(value)))
    assert.equal(status, 200)
    usual = body
  })
  after(() => put(path, JSON.stringify(usual)))
}

const LOOP = 'function () { while (true) {} }'

/** Each of its functions does not return. */
const ddoc = {
  views: { map: { map: LOOP }, reduce: { map: 'function (doc) { emit(doc._id, 1) }', reduce: LOOP } },
  filters: { f: LOOP },
  validate_doc_update: LOOP
}

/** Requests that call them. */
const calls = {
  map: db => db.get('_design/bad/_view/map'),
  'map as a filter': db => db.get('_changes?filter=_view&view=bad/map'),
  filter: db => db.get('_changes?filter=bad/f'),
  validation: db => db.put('new', {})
}

describe('functions that do not return', function () {
  this.timeout(600_000)
  const bad = new TestDatabase()
  const good = new TestDatabase()
  limited('os_process_timeout', 6000)

  it('end with an error, and others are answered before, though there are many', async () => {
    await bad.write('a')
    await bad.write('_design/bad', ddoc)
    await good.write('a', { n: 1 })
    await good.write('_design/good', { views: { v: { map: 'function (doc) { emit(doc.n) }' } }, filters: { f: 'function (doc) { return doc.n === 1 }' } })
    const order = []
    const answers = Object.entries(calls).map(async ([name, call]) => {
      const answer = await call(bad)
      order.push(name)
      return answer
    })
    const rows = await good.get('_design/good/_view/v')
    const changes = await good.get('_changes?filter=good/f')
    const written = await good.put('b', { n: 2 })
    order.push('good')
    assert.deepEqual(rows.body.rows, [{ id: 'a', key: 1, value: null }])
    assert.deepEqual(changes.body.results.map(({ id }) => id), ['a'])
    assert.equal(written.status, 201)
    for (const { status, body: { error, reason } } of await Promise.all(answers)) {
      assert.deepEqual([status, error, reason], [500, 'os_process_error', 'OS process timed out.'])
    }
    assert.equal(order[0], 'good')
    assert.equal((await bad.get('a')).status, 200)
  })
})

describe('functions that do not return, when nobody else waits', function () {
  this.timeout(600_000)
  const bad = new TestDatabase()
  limited('os_process_timeout', 1000)

  it('end with an error: reduce', async () => {
    await bad.write('a')
    await bad.write('_design/bad', { views: { reduce: ddoc.views.reduce } })
    const { status, body } = await bad.get('_design/bad/_view/reduce')
    assert.deepEqual([status, body.error, body.reason], [500, 'os_process_error', 'OS process timed out.'])
  })

  it('are no hindrance to the deletion of their database', async () => {
    await bad.write('a')
    await bad.write('_design/bad', ddoc)
    const answer = bad.get('_design/bad/_view/map')
    assert.equal((await bad.remove('')).status, 200)
    assert.ok((await answer).status >= 400)
  })
})

describe('functions that do harm', function () {
  this.timeout(600_000)
  const db = new TestDatabase()
  const other = new TestDatabase()
  limited('os_process_memory', 16 * 1024 * 1024)

  const bodies = {
    'more memory than there is': 'var a = []; while (true) a.push({ n: a.length })',
    'a text of 100 MB': 'emit(1, "x".repeat(100 * 1024 * 1024))',
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

  it('have no rows where they emit without end, and others their own', async () => {
    for (const id of ['a', 'b']) await db.write(id)
    const map = 'function (doc) { emit(doc._id); while (doc._id === "a") emit(1, { a: 1 }) }'
    await db.write('_design/d', { views: { v: { map } } })
    assert.deepEqual((await db.get('_design/d/_view/v')).body.rows, [{ id: 'b', key: 'b', value: null }])
  })

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
  this.timeout(600_000)
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
