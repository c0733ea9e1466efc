'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('with plugins', () => {
  it('serves map/reduce and find', async () => {
    const { db } = context
    await db.bulkDocs([1, 2, 3].map((n) => ({ _id: `n${n}`, n })))
    await db.put({ _id: '_design/d', views: { n: { map: 'function (doc) { emit(doc.n) }', reduce: '_sum' } } })
    const { rows } = await db.query('d/n', { reduce: false, startkey: 2 })
    assert.deepEqual(rows.map(({ key }) => key), [2, 3])
    await db.createIndex({ index: { fields: ['n'] } })
    const { docs } = await db.find({ selector: { n: { $lt: 3 } }, fields: ['n'] })
    assert.deepEqual(docs, [{ n: 1 }, { n: 2 }])
  })

  it('makes no database to index in, for who asks before it is open either', async () => {
    const { db, open, name } = context
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: '_design/d', views: { v: { map: 'function (doc) { emit(doc.n) }' } } }])
    const made = []
    const onCreated = (created) => made.push(created)
    db.constructor.on('created', onCreated)
    const asks = [
      (other) => other.query('d/v'), (other) => other.query({ map: 'function (doc) { emit(doc.n) }' }),
      (other) => other.createIndex({ index: { fields: ['n'] } }), (other) => other.find({ selector: { n: 1 } }), (other) => other.viewCleanup()
    ]
    for (const ask of asks) {
      const other = open(name)
      const { rows, docs } = await ask(other)
      assert.equal((rows ?? docs ?? [1]).length, 1)
      await other.close()
    }
    db.constructor.off('created', onCreated)
    assert.deepEqual(made, asks.map(() => name))
  })

  it('replicates both ways, conflicts and attachments too, and goes on from its checkpoint', async () => {
    const { db, open, newName } = context
    const other = open(newName())
    await db.put({ _id: 'a', side: 1, _attachments: { x: { content_type: 'text/plain', data: 'aGVsbG8=' } } })
    await other.put({ _id: 'a', side: 2 })
    await db.sync(other)
    const read = async (side) => side.get('a', { conflicts: true, attachments: true })
    assert.deepEqual(await read(db), await read(other))
    assert.equal((await read(db))._conflicts.length, 1)
    await db.put({ _id: 'b' })
    const { docs_read: docsRead } = await db.replicate.to(other)
    assert.equal(docsRead, 1)
    await other.destroy()
  })
})
