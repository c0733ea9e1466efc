'use strict'

const assert = require('node:assert/strict')

const names = (rows) => rows.map((row) => row.id)

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('reading many', () => {
  beforeEach(() => context.db.bulkDocs(['a', 'b', 'c', 'd', 'e'].map((_id) => ({ _id, up: _id.toUpperCase() }))))

  it('lists documents in order, in ranges, with skip and limit', async () => {
    const { db } = context
    const all = await db.allDocs()
    assert.deepEqual([all.total_rows, all.offset, ...names(all.rows)], [5, 0, 'a', 'b', 'c', 'd', 'e'])
    const ids = async (options) => names((await db.allDocs(options)).rows)
    assert.deepEqual(await ids({ startkey: 'b', endkey: 'd' }), ['b', 'c', 'd'])
    assert.deepEqual(await ids({ start_key: 'b', end_key: 'd', inclusive_end: false }), ['b', 'c'])
    assert.deepEqual(await ids({ descending: true, startkey: 'd', endkey: 'b' }), ['d', 'c', 'b'])
    assert.deepEqual(await ids({ skip: 1, limit: 2 }), ['b', 'c'])
    assert.deepEqual(await ids({ limit: 0 }), [])
    assert.deepEqual(await ids({ key: 'c' }), ['c'])
    assert.deepEqual(await ids({ startkey: 'd', endkey: 'b' }), [])
  })

  it('lists by keys, the missing and the deleted too', async () => {
    const { db } = context
    const { rev } = await db.remove(await db.get('b'))
    const { rows } = await db.allDocs({ keys: ['c', 'x', 'b'], include_docs: true })
    assert.equal(rows[0].doc.up, 'C')
    assert.deepEqual(rows[1], { key: 'x', error: 'not_found' })
    assert.deepEqual(rows[2], { id: 'b', key: 'b', value: { rev, deleted: true }, doc: null })
    assert.deepEqual(names((await db.allDocs({ keys: ['c', 'a', 'd'], skip: 1, limit: 1 })).rows), ['a'])
    await assert.rejects(db.allDocs({ keys: ['a'], key: 'a' }), { name: 'query_parse_error' })
  })

  it('includes documents and the update sequence', async () => {
    const { rows, update_seq: updateSeq } = await context.db.allDocs({ include_docs: true, update_seq: true })
    assert.deepEqual(rows[0].doc, { _id: 'a', _rev: rows[0].value.rev, up: 'A' })
    assert.equal(updateSeq, 5)
  })

  it('gets many revisions at once', async () => {
    const { db } = context
    const { results } = await db.bulkGet({ docs: [{ id: 'a' }, { id: 'x' }, { id: 'b', rev: '1-x' }, { id: 'a' }] })
    assert.deepEqual(names(results), ['a', 'a', 'x', 'b'])
    assert.equal(results[0].docs[0].ok.up, 'A')
    assert.equal(results[2].docs[0].error.status, 404)
    assert.deepEqual(results[3].docs, [{ missing: '1-x' }])
  })

  it('says which revisions are not here', async () => {
    const { db } = context
    const { _rev } = await db.get('a')
    assert.deepEqual(await db.revsDiff({ a: [_rev, '2-x'], x: ['1-y'] }), { a: { missing: ['2-x'] }, x: { missing: ['1-y'] } })
  })
})
