'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { assertRefused } = require('./support/refusal')

const map = 'function (doc) { if (doc.n !== undefined) { emit(doc.n, doc.t); emit([doc.t, doc.n], { _id: doc.other }) } }'

describe('queries of a database with access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user('staff')
    bob = await db.user()
    await db.admin.write('_design/app', {
      options: { access: true },
      views: { n: { map }, sum: { map: 'function (doc) { emit(doc.t, doc.n) }', reduce: '_sum' }, count: { map: 'function (doc) { emit(doc.n) }', reduce: 'function (keys, values, again) { return again ? sum(values) : values.length }' } },
      lists: { ids: 'function (head, req) { var row, ids = []; while ((row = getRow())) ids.push(row.id); return JSON.stringify([head.total_rows, ids]) }' },
      shows: { n: 'function (doc, req) { return JSON.stringify([doc && doc.n, req.info.doc_count, req.userCtx.name]) }' },
      updates: { add: 'function (doc, req) { if (doc) doc.n++; else doc = { _id: req.id, n: 0, _access: [req.userCtx.name] }; return [doc, String(doc.n)] }' },
      rewrites: [{ from: '/docs', to: '../../_all_docs' }, { from: '/one/:id', to: '../../:id' }]
    })
    await db.admin.write('_design/plain', { views: { n: { map } } })
    assert.equal((await db.admin.post('_index', { index: { fields: ['n'] }, ddoc: 'index', name: 'n', access: true })).body.result, 'created')
    await db.admin.write('_design/other', { language: 'query', views: { t: { map: { fields: { t: 'asc' } }, reduce: '_count', options: { def: { fields: ['t'] } } } } })
    for (let n = 0; n < 12; n++) {
      const access = [[alice.name], [bob.name], ['role:staff', alice.name], []][n % 4]
      await db.admin.write(`d${n}`, { n, t: n < 6 ? 'a' : 'b', other: 'd1', _access: access })
    }
  })

  const rows = async (user, rest) => {
    const { status, body, text } = await user.get(`_design/app/_view/${rest}`)
    assert.equal(status, 200, text)
    return body
  }

  it('give views of what the user may see, where the design document asks', async () => {
    assertRefused(await alice.get('_design/plain/_view/n'), 403, 'forbidden')
    assert.equal((await db.admin.get('_design/plain/_view/n')).body.total_rows, 24)
    const whole = await rows(db.admin, 'n')
    assert.deepEqual([whole.total_rows, whole.rows.length], [24, 24])
    const hers = await rows(alice, 'n')
    assert.deepEqual([hers.total_rows, hers.offset, hers.rows.slice(0, 6).map(({ id }) => id)], [12, 0, ['d0', 'd2', 'd4', 'd6', 'd8', 'd10']])
    assert.deepEqual(hers.rows, whole.rows.filter(({ id }) => Number(id.slice(1)) % 2 === 0))
    assert.deepEqual((await rows(bob, 'n')).rows.map(({ id }) => id), ['d1', 'd5', 'd9', 'd1', 'd5', 'd9'])
    assert.deepEqual((await rows(db.nobody, 'n')), { total_rows: 0, offset: 0, rows: [] })
  })

  it('give ranges, pages and documents as to administrators', async () => {
    for (const search of ['startkey=3&endkey=9', 'descending=true', 'descending=true&startkey=9&skip=1&limit=2', 'limit=3&skip=2', 'key=4', 'keys=[4,2,1]', 'startkey=["a"]&endkey=["b",8]', 'inclusive_end=false&endkey=8', 'limit=0']) {
      const whole = (await rows(db.admin, `n?${search.replace(/&?(limit|skip)=\d+/g, '')}`)).rows.filter(({ id }) => Number(id.slice(1)) % 2 === 0)
      const { limit, skip = 0 } = Object.fromEntries(new URLSearchParams(search))
      assert.deepEqual((await rows(alice, `n?${search}`)).rows, whole.slice(Number(skip), limit === undefined ? undefined : Number(skip) + Number(limit)), search)
    }
    assert.deepEqual((await rows(alice, 'n?startkey=4')).offset, 2)
    assert.deepEqual((await rows(db.admin, 'n?startkey=4')).offset, 4)
    assert.deepEqual((await rows(db.admin, 'n?startkey=4&descending=true')).offset, 24 - 5)
    const { rows: linked } = await rows(alice, 'n?include_docs=true&startkey=["a"]')
    // The documents that they name are bob's.
    assert.ok(linked.every(({ doc }) => doc === null))
    assert.deepEqual((await rows(bob, 'n?include_docs=true&startkey=["b"]')).rows.map(({ doc }) => doc._id), ['d1'])
    assert.equal((await alice.get('_design/app/_view/n?update_seq=true')).body.update_seq, undefined)
    assert.equal((await alice.post('_design/app/_view/n/queries', { queries: [{ key: 2 }, { key: 1 }] })).body.results.map(({ rows }) => rows.length).join(), '1,0')
  })

  it('reduce what the user may see, each document once', async () => {
    const sum = async (user, search = '') => (await rows(user, `sum${search}`)).rows.map(({ value }) => value)
    assert.deepEqual(await sum(db.admin), [66])
    assert.deepEqual(await sum(alice), [30])
    assert.deepEqual(await sum(bob), [15])
    assert.deepEqual(await sum(alice, '?group=true'), [6, 24])
    assert.deepEqual((await rows(alice, 'count')).rows, [{ key: null, value: 6 }])
    assert.deepEqual((await rows(db.admin, 'count')).rows, [{ key: null, value: 12 }])
    assert.deepEqual((await rows(alice, 'sum?reduce=false&limit=1')).rows, [{ id: 'd0', key: 'a', value: 0 }])
  })

  it('follow a change of who may see', async () => {
    await rows(alice, 'sum')
    const { body } = await db.admin.get('d0')
    await db.admin.write('d0', { ...body, n: 100, _access: [bob.name] })
    const gone = (await db.admin.get('d2')).body._rev
    await db.admin.remove(`d2?rev=${gone}`)
    assert.deepEqual((await rows(alice, 'sum')).rows, [{ key: null, value: 28 }])
    assert.deepEqual((await rows(bob, 'sum')).rows, [{ key: null, value: 115 }])
    alice = await db.setRoles(alice)
    await db.admin.write('team', { n: 1000, _access: ['role:staff'] })
    assert.deepEqual((await rows(alice, 'sum')).rows, [{ key: null, value: 28 }])
  })

  it('find what the user may see, with their rows of an index and without', async () => {
    const find = async (user, body) => {
      const { status, body: answer, text } = await user.post('_find', { execution_stats: true, ...body })
      assert.equal(status, 200, text)
      return { ids: answer.docs.map(({ _id }) => _id), ...answer }
    }
    const indexed = await find(alice, { selector: { n: { $gte: 2, $lt: 9 } } })
    assert.deepEqual([indexed.ids, indexed.execution_stats.total_keys_examined, indexed.warning], [['d2', 'd4', 'd6', 'd8'], 4, undefined])
    const scanned = await find(alice, { selector: { t: 'b' } })
    assert.deepEqual([scanned.ids, scanned.execution_stats.total_docs_examined], [['d10', 'd6', 'd8'], 6 + 4])
    assert.deepEqual((await find(bob, { selector: { n: { $gt: null } }, sort: [{ n: 'desc' }] })).ids, ['d9', 'd5', 'd1'])
    assert.deepEqual((await find(db.admin, { selector: { n: { $gte: 2, $lt: 5 } } })).ids, ['d2', 'd3', 'd4'])
    assert.deepEqual((await find(alice, { selector: { n: { $gte: 0 } }, fields: ['n'] })).docs.map(({ n }) => n), [0, 2, 4, 6, 8, 10])
    const first = await find(alice, { selector: { n: { $gte: 0 } }, limit: 4 })
    assert.deepEqual((await find(alice, { selector: { n: { $gte: 0 } }, limit: 4, bookmark: first.bookmark })).ids, ['d8', 'd10'])
    assert.equal((await alice.post('_explain', { selector: { n: 1 } })).body.index.ddoc, '_design/index')
    assert.equal((await alice.post('_explain', { selector: { t: 'a' } })).body.index.name, '_all_docs')
    assert.deepEqual((await alice.get('_index?adaptive=true')).body.indexes.map(({ ddoc }) => ddoc), [null, '_design/index', '_design/other'])
    assert.equal((await alice.post('_index', { index: { fields: ['x'] } })).status, 403)
    assert.equal((await db.admin.post('_index', { index: { fields: ['n'] }, ddoc: 'index', name: 'n', access: true })).body.result, 'exists')
    assertRefused(await db.admin.post('_index', { index: { fields: ['n'] }, ddoc: 'index' }), 400, 'invalid_access_option')
    assertRefused(await db.admin.post('_index', { index: { fields: ['n'] }, access: 'yes' }), 400, 'invalid_value')
  })

  it('run functions of administrators for the user', async () => {
    assert.deepEqual(JSON.parse((await alice.get('_design/app/_list/ids/n?limit=2')).text), [12, ['d0', 'd2']])
    assert.deepEqual(JSON.parse((await bob.get('_design/app/_list/ids/_all_docs')).text)[0], 7)
    assertRefused(await alice.get('_design/app/_list/ids/plain/n'), 403, 'forbidden')
    assert.deepEqual(JSON.parse((await alice.get('_design/app/_show/n/d2')).text), [2, 10, alice.name])
    assert.deepEqual(JSON.parse((await alice.get('_design/app/_show/n/d1')).text), [null, 10, alice.name])
    assert.equal((await alice.put('_design/app/_update/add/new')).text, '0')
    assert.equal((await alice.put('_design/app/_update/add/new')).text, '1')
    assertRefused(await bob.put('_design/app/_update/add/new'), 403, 'forbidden')
    assert.equal((await bob.get('_design/app/_rewrite/docs')).body.rows.length, 7)
    assertRefused(await bob.get('_design/app/_rewrite/one/d0'), 404, 'not_found')
  })

  it('leave to administrators what tells of others', async () => {
    for (const [method, rest, body] of [
      ['GET', '_design/app/_info'], ['GET', '_purged_infos'], ['GET', '_adaptive_indexes'], ['POST', '_purge', { d0: ['1-a'] }],
      ['POST', '_compact', {}], ['POST', '_index', {}], ['GET', '_shards'], ['POST', '_view_cleanup', {}], ['PUT', '_revs_limit', 5]
    ]) {
      const { status, text } = await alice.request(method, rest, body)
      assert.ok(status === 401 || status === 403, `${method} ${rest}: ${text}`)
    }
  })
})
