'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('purge', () => {
  const branches = async (db, ...histories) => db.bulkDocs(histories.map((ids) => (
    { _id: 'a', _rev: `${ids.length}-${ids[0]}`, _revisions: { start: ids.length, ids: [...ids] }, from: ids[0] }
  )), { new_edits: false })

  it('removes a document with its history', async () => {
    const { db } = context
    const first = await db.put({ _id: 'a', n: 1 })
    const second = await db.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.deepEqual(await db.purge('a', second.rev), { ok: true, deletedRevs: [second.rev, first.rev], documentWasRemovedCompletely: true })
    await assert.rejects(db.get('a'), { status: 404, reason: 'missing' })
    assert.deepEqual((await db.changes()).results, [])
  })

  it('removes a branch, and shows the winner among the others', async () => {
    const { db } = context
    await branches(db, 'ba', 'dca')
    assert.deepEqual(await db.purge('a', '3-d'), { ok: true, deletedRevs: ['3-d', '2-c'], documentWasRemovedCompletely: false })
    assert.deepEqual(await db.get('a', { conflicts: true }), { _id: 'a', _rev: '2-b', from: 'b' })
  })

  it('can be asked for before the database is open, again and again, with a callback too', async () => {
    const { db, open, name } = context
    await branches(db, 'a', 'b', 'c')
    await db.close()
    context.db = open(name)
    assert.equal(typeof context.db._purge, 'function')
    assert.deepEqual((await context.db.purge('a', '1-a')).deletedRevs, ['1-a'])
    const result = await new Promise((resolve, reject) => {
      context.db.purge('a', '1-b', (error, result) => error ? reject(error) : resolve(result))
    })
    assert.deepEqual(result.deletedRevs, ['1-b'])
    assert.equal((await context.db.purge('a', '1-c')).documentWasRemovedCompletely, true)
    const { purges, purgeSeq } = await context.db.get('_local/purges')
    assert.deepEqual(purges.map(({ docId, rev, purgeSeq }) => [docId, rev, purgeSeq]), [['a', '1-a', 0], ['a', '1-b', 1], ['a', '1-c', 2]])
    assert.equal(purgeSeq, 2)
  })

  it('refuses what is no leaf or is not there', async () => {
    const { db } = context
    await assert.rejects(db.get('_local/purges'), { status: 404 })
    await branches(db, 'ba')
    await assert.rejects(db.purge('b', '1-a'), { status: 404, name: 'not_found', docId: 'b' })
    await assert.rejects(db.purge('a', '1-a'), { status: 400, reason: 'The requested revision is not a leaf' })
    await assert.rejects(db.purge('a', '2-x'), { status: 404, reason: 'The requested revision does not exist' })
    await assert.rejects(db.purge('a', 'x'), { status: 400, message: 'Invalid rev format' })
    await assert.rejects(db.purge('a'), { status: 400, message: 'Invalid rev format' })
    await assert.rejects(db.purge(1, '1-a'), { status: 400, message: '_id field must contain a string' })
    assert.equal((await db.get('a'))._rev, '2-b')
  })

  it('is followed by views', async () => {
    const { db } = context
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: '_design/v', views: { v: { map: 'function (doc) { emit(doc.n) }' } } }])
    assert.equal((await db.query('v')).rows.length, 2)
    for (const id of ['a', 'b']) {
      await db.purge(id, (await db.get(id))._rev)
      assert.equal((await db.query('v')).rows.some((row) => row.id === id), false)
    }
  })
})
