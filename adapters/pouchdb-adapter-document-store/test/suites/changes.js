'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')

const names = (rows) => rows.map((row) => row.id)

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('changes', () => {
  const write = async ({ db }) => {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c', n: 3 }])
    await db.remove(await db.get('a'))
  }

  it('lists changes, once for each document', async () => {
    await write(context)
    const { results, last_seq: lastSeq } = await context.db.changes()
    assert.deepEqual(results.map(({ id, seq, deleted }) => [id, seq, deleted]), [['b', 2, undefined], ['c', 3, undefined], ['a', 4, true]])
    assert.equal(lastSeq, 4)
    assert.match(results[0].changes[0].rev, /^1-/)
  })

  it('lists some of them, from where it is told, in either direction', async () => {
    await write(context)
    const { db } = context
    const ids = async (options) => names((await db.changes(options)).results)
    assert.deepEqual(await ids({ since: 2 }), ['c', 'a'])
    assert.deepEqual(await ids({ since: 'now' }), [])
    assert.deepEqual(await ids({ limit: 1 }), ['b'])
    assert.deepEqual(await ids({ descending: true }), ['a', 'c', 'b'])
    assert.deepEqual(await ids({ doc_ids: ['a', 'c', 'x'] }), ['c', 'a'])
    assert.deepEqual(await ids({ filter: (doc) => doc.n === 2 }), ['b'])
    assert.deepEqual(await ids({ selector: { n: { $gt: 2 } } }), ['c'])
  })

  it('includes documents, conflicts and all leaves', async () => {
    const { db } = context
    const docs = ['a', 'b'].map((hash) => ({ _id: 'x', _rev: `1-${hash}`, n: 1 }))
    await db.bulkDocs(docs, { new_edits: false })
    const { results } = await db.changes({ include_docs: true, conflicts: true, style: 'all_docs' })
    assert.deepEqual(results, [{
      id: 'x', seq: 1, changes: [{ rev: '1-b' }, { rev: '1-a' }], doc: { _id: 'x', _rev: '1-b', _conflicts: ['1-a'], n: 1 }
    }])
  })

  it('filters by a function of a design document, and reports one that throws', async () => {
    const { db } = context
    await db.put({ _id: '_design/d', filters: { big: 'function (doc, req) { return doc.n > req.query.n }' } })
    await write(context)
    assert.deepEqual(names((await db.changes({ filter: 'd/big', query_params: { n: 2 } })).results), ['c'])
    await assert.rejects(Promise.resolve(db.changes({ filter () { throw new Error('no') } })), { status: 400, name: 'bad_request' })
  })

  it('tells a live listener of what there is and of what comes', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    const feed = db.changes({ live: true, include_docs: true })
    const [first] = await once(feed, 'change')
    assert.equal(first.id, 'a')
    const next = once(feed, 'change')
    await db.put({ _id: 'b', n: 1 })
    assert.deepEqual((await next)[0].doc.n, 1)
    feed.cancel()
    assert.deepEqual(await feed, { status: 'cancelled' })
  })

  it('tells a live listener since now of nothing older, and of no change twice', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    const feed = db.changes({ live: true, since: 'now' })
    const seen = []
    const last = new Promise((resolve) => feed.on('change', ({ id }) => {
      seen.push(id)
      if (id === 'z') resolve()
    }))
    await db.info()
    await Promise.all(['b', 'c', 'd'].map((_id) => db.put({ _id })))
    await db.put({ _id: 'z' })
    await last
    feed.cancel()
    assert.deepEqual(seen.sort(), ['b', 'c', 'd', 'z'])
  })

  it('ends a live listener when the database is destroyed', async () => {
    const { db } = context
    const feed = db.changes({ live: true })
    await db.info()
    await db.destroy()
    assert.deepEqual(await feed, { status: 'cancelled' })
  })
})
