'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { request } = require('./support/request')

describe('Local documents', () => {
  const db = new TestDatabase()

  it('are written, read, updated and removed', async () => {
    const first = await db.put('_local/checkpoint', { seq: 1 })
    assert.equal(first.status, 201)
    assert.equal(first.body.id, '_local/checkpoint')
    assert.equal(first.body.rev, '0-1')
    assert.deepEqual((await db.get('_local/checkpoint')).body, { _id: '_local/checkpoint', _rev: '0-1', seq: 1 })
    const second = await db.put('_local/checkpoint', { _rev: '0-1', seq: 2 })
    assert.equal(second.body.rev, '0-2')
    assert.equal((await db.get('_local%2Fcheckpoint')).body.seq, 2)
    assert.equal((await db.remove('_local/checkpoint?rev=0-2')).status, 200)
    assertRefused(await db.get('_local/checkpoint'), 404, 'not_found')
    assertRefused(await db.remove('_local/checkpoint?rev=0-2'), 404, 'not_found')
  })

  it('have an ETag of what is in them, as their revisions begin again', async () => {
    await db.put('_local/c', { n: 1 })
    const { headers, body } = await db.get('_local/c')
    const known = { headers: { 'If-None-Match': headers.get('etag') } }
    assert.equal((await db.get('_local/c', known)).status, 304)
    await db.put('_local/c', { n: 2 })
    const changed = await db.get('_local/c', known)
    assert.deepEqual([changed.status, changed.body._rev, changed.body.n], [200, body._rev, 2])
    const written = await db.put('_local/c', { n: 3 })
    assert.equal(written.headers.get('etag'), (await db.get('_local/c')).headers.get('etag'))
    assert.match((await db.remove('_local/c')).headers.get('etag'), /^"(?!0-0).+"$/)
  })

  it('are written with batch=ok whatever revision they name', async () => {
    await db.put('_local/c', { n: 1 })
    assert.equal((await db.put('_local/c?batch=ok', { n: 2 })).status, 202)
    await db.post('_ensure_full_commit', '', { headers: { 'Content-Type': 'application/json' } })
    assert.equal((await db.get('_local/c')).body.n, 2)
  })

  it('are copied', async () => {
    await db.put('_local/c', { n: 1 })
    const { status, body } = await request('COPY', db.path('_local/c'), { headers: { Destination: 'd' } })
    assert.deepEqual([status, body.id], [201, 'd'])
    assert.equal((await db.get('d')).body.n, 1)
    assertRefused(await request('COPY', db.path('_local/none'), { headers: { Destination: 'e' } }), 404, 'not_found')
  })

  it('are written whatever revision they name, and the next one counts from it', async () => {
    await db.put('_local/c', { n: 1 })
    assert.equal((await db.put('_local/c', { n: 2 })).body.rev, '0-1')
    assert.equal((await db.put('_local/c', { _rev: '0-77', n: 3 })).body.rev, '0-78')
    const { body } = await db.post('_bulk_docs', { docs: [{ _id: '_local/c', _rev: '0-5', n: 4 }] })
    assert.deepEqual(body, [{ ok: true, id: '_local/c', rev: '0-6' }])
    assert.deepEqual((await db.get('_local/c')).body, { _id: '_local/c', _rev: '0-6', n: 4 })
    assert.equal((await db.remove('_local/c?rev=0-1')).status, 200)
    assert.equal((await db.remove('_local/c')).status, 404)
  })

  it('are in neither _changes nor _all_docs nor the counts', async () => {
    await db.put('_local/c', { n: 1 })
    await db.write('d')
    assert.deepEqual((await db.get('_changes')).body.results.map(({ id }) => id), ['d'])
    assert.deepEqual((await db.get('_all_docs')).body.rows.map(({ id }) => id), ['d'])
    assert.equal((await db.get('')).body.doc_count, 1)
  })

  it('are listed by _local_docs', async () => {
    for (const id of ['c', 'a', 'b']) await db.put(`_local/${id}`, { id })
    const { body } = await db.get('_local_docs')
    assert.deepEqual(body.rows.map(({ id, key }) => [id, key]), ['a', 'b', 'c'].map(id => [`_local/${id}`, `_local/${id}`]))
    assert.deepEqual(body.rows[0].value, { rev: '0-1' })
    const some = await db.get(`_local_docs?include_docs=true&startkey=${encodeURIComponent('"_local/b"')}&limit=1`)
    assert.deepEqual(some.body.rows.map(({ doc }) => doc.id), ['b'])
  })

  it('are listed by keys, with a row for each', async () => {
    for (const id of ['a', 'b', 'c']) await db.put(`_local/${id}`, {})
    const keys = ['_local/c', '_local/none', 'a', '_local/a']
    const rows = async options => (await db.post('_local_docs', { keys, ...options })).body.rows
    assert.deepEqual(await rows(), [
      { id: '_local/c', key: '_local/c', value: { rev: '0-1' } },
      { key: '_local/none', error: 'not_found' },
      { id: '_local/a', key: '_local/a', value: { rev: '0-1' } }
    ])
    for (const [options, expected] of [[{ limit: 1 }, ['_local/c']], [{ skip: 1, limit: 1 }, ['_local/none']], [{ descending: true, limit: 1 }, ['_local/a']]]) {
      assert.deepEqual((await rows(options)).map(({ key }) => key), expected)
    }
  })

  it('have no revisions that can be asked for', async () => {
    await db.put('_local/c', {})
    for (const query of ['rev=0-1', 'open_revs=all']) assertRefused(await db.get(`_local/c?${query}`), 404, 'not_found', 'missing')
    assert.deepEqual((await db.get('_local/c?open_revs=["0-1"]')).body, [{ missing: '0-1' }])
    assert.deepEqual((await db.get('_local/c?revs=true')).body._revisions, { start: 0, ids: ['1'] })
  })

  it('come with _bulk_docs', async () => {
    const { body } = await db.post('_bulk_docs', { docs: [{ _id: '_local/c', n: 1 }, { _id: 'd' }] })
    assert.equal(body[0].id, '_local/c')
    assert.equal(body[0].rev, '0-1')
    assert.equal((await db.get('_local/c')).body.n, 1)
  })

  it('take no attachments, and need a name', async () => {
    await db.put('_local/c', {})
    for (const answer of [await db.get('_local/c/a.txt'), await db.put('_local/c/a.txt', 'x', { headers: { 'Content-Type': 'text/plain' } })]) {
      assertRefused(answer, 400, 'bad_request', '_local documents do not accept attachments.')
    }
    for (const path of ['_local', '_local/', '_local%2F']) {
      for (const answer of [await db.get(path), await db.put(path, {})]) assertRefused(answer, 400, 'bad_request', 'Invalid _local document id.')
    }
  })
})
