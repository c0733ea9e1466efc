'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('instances', () => {
  it('shares a database between instances of one name', async () => {
    const { db, open, name } = context
    const other = open(name)
    await db.put({ _id: 'a' })
    assert.equal((await other.get('a'))._id, 'a')
    await other.close()
    await db.put({ _id: 'b' })
    assert.equal((await db.info()).doc_count, 2)
  })

  it('tells all instances that it is destroyed', async () => {
    const { db, open, name } = context
    const other = open(name)
    await other.info()
    const told = once(other, 'destroyed')
    await db.destroy()
    await told
  })

  it('keeps its data over a close', async () => {
    const { db, open, name } = context
    await db.put({ _id: 'a', n: 1 })
    const id = await db.id()
    await db.close()
    await assert.rejects(db.get('a'), { message: 'database is closed' })
    context.db = open(name)
    assert.equal((await context.db.get('a')).n, 1)
    assert.equal(await context.db.id(), id)
  })

  it('is empty when made again, at once, after being destroyed', async () => {
    const { db, open, name } = context
    await db.put({ _id: 'a' })
    const destroyed = db.destroy()
    await destroyed
    context.db = open(name)
    assert.equal((await context.db.info()).doc_count, 0)
  })

  it('says what it is', async () => {
    const { db, name } = context
    await db.put({ _id: 'a' })
    const { adapter, db_name: dbName, doc_count: docCount, update_seq: updateSeq } = await db.info()
    assert.deepEqual([adapter, dbName, docCount, updateSeq], [db.adapter, name, 1, 1])
  })
})
