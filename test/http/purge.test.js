'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get } = require('./support/request')

const UNKNOWN = `1-${'f'.repeat(32)}`

describe('_purge', () => {
  const db = new TestDatabase()

  it('removes a document without a trace', async () => {
    const rev = await db.write('a')
    await db.write('b')
    const { status, body } = await db.post('_purge', { a: [rev, UNKNOWN] })
    assert.equal(status, 201)
    assert.deepEqual(body, { purge_seq: null, purged: { a: [rev] } })
    assertRefused(await db.get('a'), 404, 'not_found', 'missing')
    assert.deepEqual((await db.get('_all_docs')).body.rows.map(({ id }) => id), ['b'])
    assert.deepEqual((await db.get('_changes')).body.results.map(({ id }) => id), ['b'])
    const info = (await db.get()).body
    assert.match(info.purge_seq, /^1-/)
    assert.match(info.update_seq, /^3-/)
    assert.deepEqual((await db.get('_purged_infos')).body, { purged_infos: [{ id: 'a', revs: [rev, UNKNOWN].sort() }] })
  })

  it('remembers what was asked for, local documents too, which stay', async () => {
    const rev = await db.write('b')
    const { body: local } = await db.put('_local/a', {})
    await db.put('_design/d', { views: { all: { map: 'function (doc) { emit(doc._id) }' } } })
    assert.equal((await db.get('_design/d/_view/all')).body.total_rows, 1)
    assert.deepEqual((await db.post('_purge', { none: [rev], b: [rev, UNKNOWN] })).body.purged, { none: [], b: [rev] })
    assert.deepEqual((await db.post('_purge', { '_local/a': [local.rev] })).body.purged, { '_local/a': [] })
    assert.equal((await db.get('_local/a')).status, 200)
    assert.deepEqual((await db.get('_purged_infos')).body.purged_infos, [{ id: '_local/a', revs: ['0-1'] }, { id: 'b', revs: [rev, UNKNOWN].sort() }, { id: 'none', revs: [rev] }])
    assert.equal((await db.get('_design/d/_view/all')).body.total_rows, 0)
  })

  it('removes one branch of a conflict', async () => {
    const ids = { x: 'aa000000000000000000000000000000', y: 'bb000000000000000000000000000000' }
    await db.post('_bulk_docs', { docs: [{ _id: 'a', _rev: `1-${ids.x}` }, { _id: 'a', _rev: `1-${ids.y}` }], new_edits: false })
    await db.post('_purge', { a: [`1-${ids.y}`] })
    const { body } = await db.get('a?conflicts=true')
    assert.equal(body._rev, `1-${ids.x}`)
    assert.equal(body._conflicts, undefined)
  })

  it('takes the rows of views along', async () => {
    await db.put('_design/d', { views: { all: { map: 'function (doc) { emit(doc._id) }' } } })
    const rev = await db.write('a')
    const other = await db.write('b')
    assert.equal((await db.get('_design/d/_view/all')).body.total_rows, 2)
    await db.post('_purge', { a: [rev] })
    assert.deepEqual((await db.get('_design/d/_view/all')).body.rows.map(({ id }) => id), ['b'])
    await db.post('_purge', { b: [other] })
    await db.write('b')
    assert.deepEqual((await db.get('_design/d/_view/all')).body.rows.map(({ id }) => id), ['b'])
    assert.equal((await db.get('_design/d/_info')).body.view_index.purge_seq, 2)
  })

  it('is too long ago for a view: then it is built again', async () => {
    await db.put('_design/d', { views: { all: { map: 'function (doc) { emit(doc._id) }' } } })
    const revs = { a: await db.write('a'), b: await db.write('b'), c: await db.write('c') }
    assert.equal((await db.get('_design/d/_view/all')).body.total_rows, 3)
    await db.put('_purged_infos_limit', '1')
    for (const id of ['a', 'b']) await db.post('_purge', { [id]: [revs[id]] })
    const { body } = await db.get('_design/d/_view/all')
    assert.deepEqual([body.total_rows, body.rows.map(({ id }) => id)], [1, ['c']])
  })

  it('has a limit to what is remembered', async () => {
    assert.equal((await db.get('_purged_infos_limit')).body, 1000)
    assert.deepEqual((await db.put('_purged_infos_limit', '5')).body, { ok: true })
    assert.equal((await db.get('_purged_infos_limit')).body, 5)
    for (const bad of ['0', '"x"', '-1', '1.5']) assertRefused(await db.put('_purged_infos_limit', bad), 400, 'bad_request', '`purged_infos_limit` must be positive integer')
  })

  it('refuses what it does not understand, and who may not', async () => {
    assertRefused(await db.post('_purge', []), 400, 'bad_request')
    assertRefused(await db.post('_purge', { a: '1-x' }), 400, 'bad_request')
    assertRefused(await db.post('_purge', { a: ['x'] }), 400, 'bad_request')
    assert.equal((await db.post('_purge', { a: ['1-x'] }, { headers: { Authorization: '' } })).status, 401)
    assertRefused(await db.get('_purge'), 405, 'method_not_allowed')
    assert.deepEqual((await get('/_active_tasks')).body, [])
  })
})
