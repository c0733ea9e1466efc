'use strict'

const assert = require('node:assert/strict')
const PouchDB = require('pouchdb-core')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('bulkDocs', () => {
  it('writes many documents, each with its own result', async () => {
    const { db } = context
    await db.put({ _id: 'b' })
    const results = await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }, { n: 1 }])
    assert.equal(results[0].ok, true)
    assert.deepEqual([results[1].status, results[1].name, results[1].id], [409, 'conflict', 'b'])
    assert.equal(results[2].ok, true)
    assert.equal((await db.info()).doc_count, 3)
  })

  it('writes none where one cannot be read', async () => {
    const { db } = context
    await assert.rejects(db.bulkDocs([{ _id: 'a' }, { _id: '_b' }]), { status: 400 })
    await assert.rejects(db.bulkDocs([{ _id: 'a' }, 1]), { status: 400 })
    await assert.rejects(db.bulkDocs({ docs: 1 }), { message: 'Missing JSON list of \'docs\'' })
    assert.equal((await db.info()).doc_count, 0)
  })

  it('stores revisions as they come with new_edits false, and says only what failed', async () => {
    const { db } = context
    const docs = [
      { _id: 'a', _rev: '2-b', _revisions: { start: 2, ids: ['b', 'a'] } },
      { _id: 'a', _rev: '2-c', _revisions: { start: 2, ids: ['c', 'a'] } }
    ]
    assert.deepEqual(await db.bulkDocs(docs, { new_edits: false }), [])
    assert.deepEqual(await db.get('a', { conflicts: true }), { _id: 'a', _rev: '2-c', _conflicts: ['2-b'] })
  })

  it('writes all or nothing where that is asked for', async () => {
    const { db } = context
    await db.put({ _id: 'b' })
    const refused = await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }], { all_or_nothing: true })
    assert.deepEqual(refused.map(({ id, status, error }) => [id, status, error]), [['a', 417, true], ['b', 409, true]])
    await assert.rejects(db.get('a'), { status: 404 })
    const written = await db.bulkDocs({ docs: [{ _id: 'a' }, { _id: 'c' }], all_or_nothing: true })
    assert.deepEqual(written.map(({ ok }) => ok), [true, true])
  })

  it('shows a compaction among the tasks', async () => {
    const { db } = context
    for (let i = 0, rev; i < 3; i++) rev = (await db.put({ _id: 'a', _rev: rev, i })).rev
    const seen = []
    const { update } = PouchDB.activeTasks
    PouchDB.activeTasks.update = function (id, task) {
      update.call(this, id, task)
      seen.push(this.get(id))
    }
    try {
      await db.compact()
    } finally {
      PouchDB.activeTasks.update = update
    }
    assert.deepEqual(seen.map(({ name, completed_items: done, total_items: total }) => [name, done, total]), [['database_compaction', 2, 2]])
    assert.deepEqual(PouchDB.activeTasks.list(), [])
  })
})
