'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('revisions', () => {
  it('gives histories and open revisions', async () => {
    const { db } = context
    await db.bulkDocs([
      { _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'a'] } },
      { _id: 'a', _rev: '2-c', _deleted: true, _revisions: { start: 2, ids: ['c', 'a'] } }
    ], { new_edits: false })
    const doc = await db.get('a', { revs: true, revs_info: true })
    assert.deepEqual(doc._revisions, { start: 2, ids: ['b', 'a'] })
    assert.deepEqual(doc._revs_info, [{ rev: '2-b', status: 'available' }, { rev: '1-a', status: 'missing' }])
    const leaves = await db.get('a', { open_revs: 'all' })
    assert.deepEqual(leaves.map(({ ok }) => ok._rev).sort(), ['2-b', '2-c'])
    assert.deepEqual(await db.get('a', { open_revs: ['2-x', '2-b'] }), [{ missing: '2-x' }, { ok: { _id: 'a', _rev: '2-b' } }])
    await assert.rejects(db.get('a', { open_revs: 'x' }), { status: 500 })
    await assert.rejects(db.get('a', { open_revs: ['x'] }), { status: 400 })
  })

  it('gives the latest of a branch', async () => {
    const { db } = context
    const { rev } = await db.put({ _id: 'a', n: 1 })
    await db.put({ _id: 'a', _rev: rev, n: 2 })
    assert.equal((await db.get('a', { rev })).n, 1)
    assert.equal((await db.get('a', { rev, latest: true })).n, 2)
  })

  it('compacts when asked, and by itself when told to', async () => {
    const { db, open, newName } = context
    const rewrite = async (target) => {
      const { rev } = await target.put({ _id: 'a', n: 1 })
      await target.put({ _id: 'a', _rev: rev, n: 2 })
      return rev
    }
    const rev = await rewrite(db)
    await db.compact()
    await assert.rejects(db.get('a', { rev }), { status: 404 })
    const automatic = open(newName(), { auto_compaction: true })
    const old = await rewrite(automatic)
    await assert.rejects(automatic.get('a', { rev: old }), { status: 404 })
    assert.equal((await automatic.info()).auto_compaction, true)
    await automatic.destroy()
  })
})
