'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('transactions', () => {
  it('write all documents if those that were read are the same', async () => {
    const { db } = context
    const [a, b] = await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }])
    const results = await db.transact({
      reads: [{ id: 'a', rev: a.rev }, { id: 'c', rev: null }],
      writes: [{ _id: 'b', _rev: b.rev, n: 2 }, { _id: 'c', _attachments: { f: { content_type: 'text/plain', data: Buffer.from('hello') } } }, { n: 3 }, { _id: '_local/l', _kept: 1 }]
    })
    assert.deepEqual(results.map(({ ok, id, rev }) => [ok, id.length === 32 ? 'made up' : id, rev.slice(0, 2)]), [[true, 'b', '2-'], [true, 'c', '1-'], [true, 'made up', '1-'], [true, '_local/l', '0-']])
    assert.equal((await db.get('b')).n, 2)
    assert.equal((await db.getAttachment('c', 'f')).toString(), 'hello')
    assert.equal((await db.get('_local/l'))._kept, 1)
    assert.equal((await db.info()).update_seq, 5)
  })

  it('write nothing if one is not, and say what changed', async () => {
    const { db } = context
    const { rev } = await db.put({ _id: 'a' })
    const { rev: now } = await db.put({ _id: 'a', _rev: rev, n: 2 })
    const conflict = { status: 409, name: 'conflict', message: 'Document update conflict', error: true }
    await assert.rejects(db.transact({ reads: [{ id: 'a', rev }], writes: [{ _id: 'b' }] }), { ...conflict, conflicts: [{ id: 'a', rev: now }] })
    await assert.rejects(db.transact({ writes: [{ _id: 'b' }, { _id: 'a', _rev: rev, _deleted: true }] }), { ...conflict, conflicts: [{ id: 'a', rev: now }] })
    await assert.rejects(db.transact({ writes: [{ _id: 'b' }, { _id: 'c', _attachments: { f: { stub: true, digest: 'md5-x', content_type: 'a/b' } } }] }), { status: 412, docId: 'c' })
    await assert.rejects(db.transact({ writes: [{ _id: 'b' }, { _id: '_c' }] }), { status: 400 })
    await assert.rejects(db.transact({ writes: [{ _id: 'b' }, { _id: 'b' }] }), { status: 400, name: 'bad_request' })
    for (const malformed of [undefined, null, [], { writes: {} }, { reads: [1] }, { writes: [1] }]) await assert.rejects(db.transact(malformed), { status: 400 }, JSON.stringify(malformed))
    await assert.rejects(db.transact({ wrtes: [{ _id: 'b' }] }), { status: 400, reason: 'A transaction has no `wrtes`; do you mean `writes`?' })
    assert.deepEqual((await db.allDocs()).rows.map(({ id }) => id), ['a'])
  })

  it('answer callbacks, and wait for a database that opens', (done) => {
    const db = context.open(context.newName())
    db.transact({ writes: [{ _id: 'a' }] }, (error, results) => {
      if (error) return done(error)
      db.transact({ writes: [{ _id: 'a' }] }, (conflict, none) => {
        db.destroy().then(() => {
          assert.deepEqual([conflict.status, conflict.conflicts, none], [409, [{ id: 'a', rev: results[0].rev }], undefined])
        }).then(done, done)
      })
    })
  })

  it('are told to listeners in one', async () => {
    const { db } = context
    const feed = db.changes({ live: true, since: 'now' })
    const seen = []
    const both = new Promise((resolve) => feed.on('change', ({ id }) => seen.push(id) === 2 && resolve()))
    await db.transact({ writes: [{ _id: 'a' }, { _id: 'b' }] })
    await both
    feed.cancel()
    assert.deepEqual(seen, ['a', 'b'])
  })
})
