'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('documents', () => {
  it('takes, gives, updates and removes a document', async () => {
    const { db } = context
    const first = await db.put({ _id: 'a', n: 1 })
    assert.match(first.rev, /^1-[0-9a-f]{32}$/)
    const second = await db.put({ _id: 'a', _rev: first.rev, n: 2 })
    assert.deepEqual(await db.get('a'), { _id: 'a', _rev: second.rev, n: 2 })
    const { rev } = await db.remove('a', second.rev)
    await assert.rejects(db.get('a'), { status: 404, name: 'not_found', message: 'missing', reason: 'deleted', docId: 'a' })
    assert.deepEqual(await db.get('a', { rev }), { _id: 'a', _rev: rev, _deleted: true })
  })

  it('answers callbacks, not before the call has returned', async () => {
    const { db } = context
    let returned = false
    await new Promise((resolve, reject) => {
      db.put({ _id: 'a' }, (error) => {
        assert.equal(returned, true)
        error ? reject(error) : db.get('a', (error, doc) => error ? reject(error) : resolve(doc))
      })
      returned = true
    })
  })

  it('gives errors to callbacks in PouchDB\'s form', (done) => {
    context.db.get('nothing', (error) => {
      assert.deepEqual([error.status, error.name, error.message, error.error, error.docId],
        [404, 'not_found', 'missing', true, 'nothing'])
      done()
    })
  })

  it('refuses a conflicting update in PouchDB\'s words', async () => {
    const { db } = context
    await db.put({ _id: 'a' })
    await assert.rejects(db.put({ _id: 'a' }), {
      status: 409, name: 'conflict', message: 'Document update conflict', error: true, docId: 'a', id: 'a'
    })
  })

  it('makes up an id for a document without one', async () => {
    const { db } = context
    const { id } = await db.post({ n: 1 })
    assert.equal((await db.get(id)).n, 1)
    await assert.rejects(db.put({ n: 1 }), { status: 412, name: 'missing_id' })
  })

  it('neither keeps nor changes the objects that it is given', async () => {
    const { db } = context
    await db.info()
    const doc = { _id: 'a', list: [1] }
    const written = db.put(doc)
    doc.list.push(2)
    await written
    assert.deepEqual(doc, { _id: 'a', list: [1, 2] })
    assert.deepEqual((await db.get('a')).list, [1])
  })

  it('refuses ids, members and revisions that are not allowed', async () => {
    const { db } = context
    await assert.rejects(db.put({ _id: '_a' }), { status: 400, name: 'bad_request' })
    await assert.rejects(db.put({ _id: 'a', _b: 1 }), { status: 500, name: 'doc_validation', message: 'Bad special document member: _b' })
    await assert.rejects(db.put({ _id: 'a', _rev: 'x' }), { status: 400, message: 'Invalid rev format' })
    await assert.rejects(db.put([]), { status: 400, message: 'Document must be a JSON object' })
    await assert.rejects(db.get(1), { status: 400, message: '_id field must contain a string' })
  })

  it('says that there is nothing to remove', async () => {
    const { db } = context
    await assert.rejects(db.remove({ _id: 'a', _rev: '1-a' }), { status: 404, reason: 'deleted' })
    assert.equal((await db.info()).update_seq, 0)
  })

  it('says which document it refuses', async () => {
    const { db } = context
    await assert.rejects(db.put({ _id: 'a', _b: 1 }), { docId: 'a', message: 'Bad special document member: _b' })
    await assert.rejects(db.put({ _id: 'a', _attachments: { x: { data: '#' } } }), { docId: 'a', name: 'badarg' })
    await assert.rejects(db.remove('a', '1-x'), { docId: 'a', id: 'a', status: 404 })
    await db.put({ _id: 'b', _undefined: undefined })
  })

  it('keeps local documents apart', async () => {
    const { db } = context
    const { rev } = await db.put({ _id: '_local/a', n: 1 })
    assert.deepEqual(await db.get('_local/a'), { _id: '_local/a', _rev: rev, n: 1 })
    await assert.rejects(db.put({ _id: '_local/a', n: 2 }), { status: 409 })
    assert.deepEqual((await db.allDocs()).rows, [])
    assert.equal((await db.info()).doc_count, 0)
    assert.deepEqual((await db.bulkGet({ docs: [{ id: '_local/a' }] })).results, [{ id: '_local/a', docs: [{ ok: { _id: '_local/a', _rev: rev, n: 1 } }] }])
    await db.remove('_local/a', rev)
    await assert.rejects(db.get('_local/a'), { status: 404 })
  })
})
