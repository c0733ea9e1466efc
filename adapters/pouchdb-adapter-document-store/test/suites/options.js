'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('options', () => {
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
