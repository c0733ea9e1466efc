'use strict'

const assert = require('node:assert/strict')
const { applyPatch } = require('fast-json-patch')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('history', () => {
  /** Edits a document, with a change of another document in between. */
  async function edit (db, id, ...bodies) {
    const moments = []
    let rev
    for (const body of bodies) {
      rev = (await db.put({ _id: id, _rev: rev, ...body })).rev
      moments.push((await db.info()).update_seq)
    }
    return moments
  }

  it('is kept where it is asked for, and read by sequence or time', async () => {
    const { db } = context
    await db.put({ _id: 'before' })
    await assert.rejects(db.get('before', { at: 1 }), { status: 410, name: 'gone' })
    assert.deepEqual(await db.keepHistory({ retain: '30d' }), { ok: true })
    const [one, two] = await edit(db, 'a', { n: 1, _attachments: { f: { content_type: 'text/plain', data: Buffer.from('one') } } }, { n: 2 })
    assert.equal((await db.get('a', { at: one })).n, 1)
    const { _meta: { time, user, seq } } = await db.get('a', { at: one, meta: true })
    assert.deepEqual([user, seq], [null, one])
    while (Date.now() <= Date.parse((await db.get('a', { meta: true }))._meta.time)) await new Promise(setImmediate)
    assert.equal((await db.get('a', { at: new Date() })).n, 2)
    assert.ok(Date.parse(time) <= Date.now())
    await db.compact()
    assert.equal((await db.get('a', { at: one, attachments: true, binary: true }))._attachments.f.data.toString(), 'one')
    assert.equal((await db.getAttachment('a', 'f', { at: one })).toString(), 'one')
    await assert.rejects(db.get('a', { at: 1 }), { status: 404 })
    await assert.rejects(db.get('a', { at: 100 }), { status: 400 })
    await assert.rejects(db.get('a', { at: one, revs: true }), { status: 400 })
    const { total_rows: total, rows } = await db.allDocs({ at: one, include_docs: true })
    assert.deepEqual([total, rows.map(({ doc }) => doc.n)], [null, [1, undefined]])
    assert.deepEqual((await db.allDocs({ at: two, keys: ['a'], meta: true })).rows[0].value._meta.seq, two)
    await db.keepHistory({})
    await assert.rejects(db.allDocs({ at: two }), { status: 410 })
    await assert.rejects(db.keepHistory({ retain: 'long' }), { status: 400 })
  })

  it('lists versions, and restores them', async () => {
    const { db } = context
    await db.keepHistory({ versions: 10 })
    const [one] = await edit(db, 'a', { n: 1 }, { n: 2, more: ['x'] })
    await db.put({ _id: 'new' })
    const { id, history } = await db.history('a')
    assert.equal(id, 'a')
    assert.deepEqual(history.map(({ rev, deleted }) => [parseInt(rev, 10), deleted]), [[2, false], [1, false]])
    assert.deepEqual(applyPatch({ n: 1 }, history[0].patch).newDocument, { n: 2, more: ['x'] })
    assert.equal((await db.history('a', { limit: 1 })).history.length, 1)
    const results = await db.restore({ at: one, docs: ['a', 'new', 'never'] })
    assert.deepEqual(results.map(({ ok, status }) => ok ?? status), [true, true, 404])
    assert.equal((await db.get('a')).n, 1)
    await assert.rejects(db.get('new'), { status: 404 })
    await assert.rejects(db.restore({ at: one }), { status: 400 })
    await assert.rejects(db.history('never'), { status: 404 })
  })

  it('is read before the database is open, and with callbacks', (done) => {
    const db = context.open(context.newName())
    db.keepHistory({ retain: '1d' }, (error) => {
      if (error) return done(error)
      db.put({ _id: 'a', n: 1 }).then(() => {
        db.history('a', (failure, answer) => {
          db.destroy().then(() => assert.equal(failure ?? answer.history.length, 1)).then(done, done)
        })
      }, done)
    })
  })
})
