'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('options', () => {
  it('are an instance\'s own, and no other\'s of its name', async () => {
    const { db, open, name } = context
    const own = open(name, { revs_limit: 2, auto_compaction: true, deterministic_revs: false })
    const edit = async (db, id) => {
      const revs = []
      for (let n = 0; n < 4; n++) revs.push((await db.put({ _id: id, _rev: revs.at(-1), n })).rev)
      return revs
    }
    const [first, again, others] = [await edit(db, 'a'), await edit(db, 'b'), await edit(own, 'c')]
    assert.deepEqual(first, again)
    assert.notDeepEqual(others, first)
    assert.equal((await own.get('a', { revs: true }))._revisions.ids.length, 4)
    assert.equal((await db.get('c', { revs: true }))._revisions.ids.length, 2)
    assert.equal((await own.get('a', { rev: first[2] })).n, 2)
    await assert.rejects(db.get('c', { rev: others[2] }), { status: 404 })
    await own.put({ _id: 'a', _rev: first[3], n: 4 })
    await assert.rejects(db.get('a', { rev: first[2] }), { status: 404 })
    assert.equal((await db.get('b', { rev: again[2] })).n, 2)
    await own.close()
  })

  it('are refused if they are nearly known ones', async () => {
    const { open, newName } = context
    for (const [slip, known] of [['revs_limits', 'revs_limit'], ['autocompaction', 'auto_compaction'], ['deterministicRevs', 'deterministic_revs']]) {
      const db = open(newName(), { [slip]: 5 })
      await assert.rejects(db.info(), { name: 'TypeError', message: new RegExp(`^The adapter [-a-z]+ has no option ${slip}; do you mean ${known}\\?$`) })
    }
    const db = open(newName(), { revs_limits: undefined, view_update_changes_batch_size: 5, skip_setup: true, of_a_plugin: 1 })
    assert.equal((await db.info()).doc_count, 0)
    await db.close()
  })

  it('remembers as many purges as purged_infos_limit', async () => {
    const { open, newName } = context
    const db = open(newName(), { purged_infos_limit: 1 })
    for (const _id of ['a', 'b']) await db.purge(_id, (await db.put({ _id })).rev)
    const { purges, purgeSeq } = await db.get('_local/purges')
    assert.deepEqual([purges.length, purges[0].docId, purgeSeq], [1, 'b', 1])
    await db.destroy()
  })

  it('keeps no more revisions than revs_limit', async () => {
    const { open, newName } = context
    const db = open(newName(), { revs_limit: 2 })
    let rev
    for (let n = 0; n < 4; n++) rev = (await db.put({ _id: 'a', _rev: rev, n })).rev
    assert.equal((await db.get('a', { revs: true }))._revisions.ids.length, 2)
    await db.destroy()
  })

  it('gives equal documents equal revisions, unless told otherwise', async () => {
    const { open, newName } = context
    const revs = async (options) => {
      const dbs = [open(newName(), options), open(newName(), options)]
      const written = await Promise.all(dbs.map((db) => db.put({ _id: 'a', n: 1 })))
      await Promise.all(dbs.map((db) => db.destroy()))
      return new Set(written.map(({ rev }) => rev)).size
    }
    assert.equal(await revs({}), 1)
    assert.equal(await revs({ deterministic_revs: false }), 2)
  })
})
