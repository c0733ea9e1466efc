'use strict'

const assert = require('node:assert/strict')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('attachments', () => {
  const text = Buffer.from('hello').toString('base64')
  const digest = 'md5-XUFAKrxLKna5cZ2REBfFkg=='

  it('gives attachments as stubs, as base64 and as Buffers', async () => {
    const { db } = context
    await db.put({ _id: 'a', _attachments: { 'x.txt': { content_type: 'text/plain', data: text } } })
    const stub = { content_type: 'text/plain', revpos: 1, digest, length: 5, stub: true }
    assert.deepEqual((await db.get('a'))._attachments, { 'x.txt': stub })
    const base64 = (await db.get('a', { attachments: true }))._attachments['x.txt']
    assert.deepEqual(base64, { content_type: 'text/plain', revpos: 1, digest, data: text })
    const { data } = (await db.get('a', { attachments: true, binary: true }))._attachments['x.txt']
    assert.deepEqual([data instanceof Buffer, data.toString(), data.type], [true, 'hello', 'text/plain'])
    const listed = await db.allDocs({ include_docs: true, attachments: true })
    assert.equal(listed.rows[0].doc._attachments['x.txt'].data, text)
    const { results } = await db.changes({ include_docs: true, attachments: true, binary: true })
    assert.equal(results[0].doc._attachments['x.txt'].data.toString(), 'hello')
  })

  it('puts, gets and removes one attachment', async () => {
    const { db } = context
    const { rev } = await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    const content = await db.getAttachment('a', 'x.txt')
    assert.deepEqual([content.toString(), content.type], ['hello', 'text/plain'])
    assert.equal((await db.getAttachment('a', 'x.txt', { rev })).toString(), 'hello')
    await assert.rejects(db.getAttachment('a', 'y.txt'), { status: 404, name: 'not_found', message: 'missing' })
    await assert.rejects(db.getAttachment('b', 'x.txt'), { status: 404, message: 'missing' })
    await db.removeAttachment('a', 'x.txt', rev)
    assert.equal((await db.get('a'))._attachments, undefined)
  })

  it('takes new content in place of a stub, and a copy of it', async () => {
    const { db } = context
    await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    const doc = await db.get('a')
    const data = Buffer.from('good bye')
    delete doc._attachments['x.txt'].stub
    doc._attachments['x.txt'].data = data
    const written = db.put(doc)
    data.fill(0)
    await written
    assert.equal((await db.getAttachment('a', 'x.txt')).toString(), 'good bye')
    assert.equal((await db.get('a'))._attachments['x.txt'].revpos, 2)
  })

  it('keeps attachments through an update with stubs, and refuses stubs of nothing', async () => {
    const { db } = context
    await db.putAttachment('a', 'x.txt', Buffer.from('hello'), 'text/plain')
    await db.put({ ...await db.get('a'), n: 1 })
    assert.equal((await db.getAttachment('a', 'x.txt')).toString(), 'hello')
    await assert.rejects(db.put({ _id: 'b', _attachments: { x: { stub: true, digest: 'md5-x', content_type: 'a/b' } } }), { status: 412 })
    await assert.rejects(db.put({ _id: 'b', _attachments: { x: { data: '?', content_type: 'a/b' } } }), { status: 500, name: 'badarg' })
    await assert.rejects(db.put({ _id: 'b', _attachments: { _x: { data: text, content_type: 'a/b' } } }), { status: 400 })
  })
})
