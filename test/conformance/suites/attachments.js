'use strict'

const assert = require('node:assert/strict')
const { branches, codeOf } = require('../pages')

const base64 = (text) => Buffer.from(text).toString('base64')

module.exports = (context) => describe('attachments', () => {
  const keys = async (store) => (await context.level.keys({ gte: store, lt: store + '~' }).all()).length
  const counts = async () => ({ records: await keys('a'), chunks: await keys('c'), uploads: await keys('u') })

  it('come as base64 or bytes, and are read whole or in part', async () => {
    const { store } = context
    const bytes = Buffer.alloc(700000, 'potoroo ')
    const { rev } = await store.put({ _id: 'a', _attachments: { text: { content_type: 'text/plain', data: base64('hello') }, big: { data: bytes } } })
    const text = await store.getAttachment('a', 'text')
    assert.deepEqual([text.contentType, text.length, text.revpos, text.rev, text.digest], ['text/plain', 5, 1, rev, 'md5-XUFAKrxLKna5cZ2REBfFkg=='])
    assert.equal(String(await text.read()), 'hello')
    const big = await store.getAttachment('a', 'big')
    assert.equal(big.contentType, 'application/octet-stream')
    assert.ok((await big.read()).equals(bytes))
    assert.ok((await big.read(262140, 262150)).equals(bytes.subarray(262140, 262150)))
    assert.equal((await big.read(699999)).length, 1)
    assert.equal((await big.read(10, 10)).length, 0)
    assert.equal((await big.read(0, 9999999)).length, 700000)
    const parts = []
    for await (const part of big.stream(1, 600000)) parts.push(part)
    assert.ok(Buffer.concat(parts).equals(bytes.subarray(1, 600000)))
    assert.ok(parts.length > 1)
  })

  it('are as long as their data, whatever a document says that was edited', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { data: base64('hello'), length: 3, digest: 'md5-of something else' } } })
    const { length, digest } = (await store.get('a')).attachments.f
    assert.deepEqual([length, digest], [5, 'md5-XUFAKrxLKna5cZ2REBfFkg=='])
  })

  it('may be empty', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { data: '' } } })
    const attachment = await store.getAttachment('a', 'f')
    assert.deepEqual([attachment.length, (await attachment.read()).length], [0, 0])
  })

  it('are missing by name, document or revision', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a' })
    assert.equal(await codeOf(store.getAttachment('a', 'f')), 'MISSING_ATTACHMENT')
    assert.equal(await codeOf(store.getAttachment('a', 'constructor', { rev })), 'MISSING_ATTACHMENT')
    assert.equal(await codeOf(store.getAttachment('b', 'f')), 'MISSING')
    assert.equal(await codeOf(store.getAttachment('a', 'f', { rev: '1-x' })), 'MISSING')
  })

  it('stay with stubs and go without', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data: base64('one') }, g: { data: base64('two') } } })
    const second = await store.put({ _id: 'a', _rev: first.rev, _attachments: { f: { stub: true }, h: { data: base64('three') } } })
    const { attachments } = await store.get('a')
    assert.deepEqual(Object.keys(attachments), ['f', 'h'])
    assert.deepEqual([attachments.f.revpos, attachments.f.contentType, attachments.h.revpos], [1, 'text/plain', 2])
    const third = await store.put({ _id: 'a', _rev: second.rev })
    assert.equal((await store.get('a', { rev: third.rev })).attachments, null)
    assert.equal(String(await (await store.getAttachment('a', 'f', { rev: second.rev })).read()), 'one')
  })

  it('refuse stubs of what the document does not have', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', _attachments: { f: { data: base64('one') } } })
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: rev, _attachments: { g: { stub: true } } })), 'MISSING_STUB')
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: rev, _attachments: { f: { stub: true, revpos: 7, digest: 'md5-none' } } })), 'MISSING_STUB')
    assert.equal(await codeOf(store.put({ _id: 'a', _rev: '1-x', _attachments: { f: { stub: true } } })), 'CONFLICT')
    assert.equal((await store.put({ _id: 'a', _rev: rev, _attachments: { f: { stub: true, revpos: 1, digest: 'md5-of gzipped' } } })).ok, true)
  })

  it('are found by digest when a replicated document refers to them', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { data: base64('one') } } })
    const { digest } = (await store.get('a')).attachments.f
    await store.write([{ _id: 'b', _rev: '3-x', _attachments: { copy: { stub: true, digest, revpos: 2, content_type: 'x/y' } } }], { newEdits: false })
    const info = (await store.get('b')).attachments.copy
    assert.deepEqual([info.revpos, info.length, info.contentType], [2, 3, 'x/y'])
    assert.equal(String(await (await store.getAttachment('b', 'copy')).read()), 'one')
  })

  it('of a replicated ancestor stay with stubs', async () => {
    const { store } = context
    const [first, second] = branches('a', '1-a', '1-a 2-b')
    await store.write([{ ...first, _attachments: { f: { data: base64('one'), revpos: 1 } } }], { newEdits: false })
    await store.write([{ ...second, _attachments: { f: { stub: true, revpos: 1, digest: 'md5-other' } } }], { newEdits: false })
    assert.equal(String(await (await store.getAttachment('a', 'f')).read()), 'one')
  })

  it('are stored once for equal content, and kept while anything refers to them', async () => {
    const { store } = context
    const [a, b] = await store.write([
      { _id: 'a', _attachments: { f: { data: base64('same') }, g: { data: base64('same') } } },
      { _id: 'b', _attachments: { f: { data: base64('same') } } }
    ])
    assert.deepEqual(await counts(), { records: 1, chunks: 1, uploads: 0 })
    await store.put({ _id: 'a', _rev: a.rev, _deleted: true })
    await store.compact()
    assert.equal(String(await (await store.getAttachment('b', 'f')).read()), 'same')
    await store.put({ _id: 'b', _rev: b.rev, _deleted: true })
    assert.deepEqual(await counts(), { records: 1, chunks: 1, uploads: 0 })
    await store.compact()
    assert.deepEqual(await counts(), { records: 0, chunks: 0, uploads: 0 })
    assert.equal((await store.info()).sizes.external, 0)
  })

  it('of refused documents leave nothing behind', async () => {
    const { store } = context
    await store.put({ _id: 'a' })
    await store.write([{ _id: 'a', _attachments: { f: { data: base64('lost') } } }, { _id: 'b', _attachments: { f: { data: base64('lost') }, g: { stub: true } } }])
    assert.deepEqual(await counts(), { records: 0, chunks: 0, uploads: 0 })
  })

  it('are loaded with documents, those newer than what the reader has', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', _attachments: { old: { data: base64('old') } } })
    const second = await store.put({ _id: 'a', _rev: first.rev, _attachments: { old: { stub: true }, new: { data: base64('new') } } })
    const data = async (options) => {
      const { attachments } = await store.get('a', { attachments: true, ...options })
      return [attachments.old.data?.toString(), attachments.new.data?.toString()]
    }
    assert.deepEqual(await data(), ['old', 'new'])
    assert.deepEqual(await data({ attsSince: [first.rev] }), [undefined, 'new'])
    assert.deepEqual(await data({ attsSince: [second.rev] }), [undefined, undefined])
    assert.deepEqual(await data({ attsSince: ['1-other'] }), ['old', 'new'])
    const [leaf] = await store.openRevs('a', 'all', { attachments: true })
    assert.equal(leaf.ok.attachments.new.data.toString(), 'new')
    const [answer] = await store.bulkGet([{ id: 'a', attsSince: [first.rev] }], { attachments: true })
    assert.deepEqual([answer.ok.attachments.old.data, String(answer.ok.attachments.new.data)], [undefined, 'new'])
  })

  it('come along up to a length', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', _attachments: { f: { data: base64('one') }, g: { data: base64('four') } } })
    const limited = { attachments: true, attachmentsLimit: 6 }
    const within = { attachments: true, attachmentsLimit: 7 }
    assert.equal(await codeOf(store.get('a', limited)), 'TOO_LARGE')
    assert.equal(String((await store.get('a', within)).attachments.g.data), 'four')
    assert.equal((await store.get('a', { ...limited, attsSince: [rev] })).attachments.g.data, undefined)
    assert.equal((await store.bulkGet([{ id: 'a' }], limited))[0].error.code, 'TOO_LARGE')
    assert.equal(await codeOf(store.openRevs('a', 'all', limited)), 'TOO_LARGE')
  })

  it('are added and removed one by one', async () => {
    const { store } = context
    const first = await store.putAttachment('a', 'f', { contentType: 'text/plain', data: Buffer.from('one') })
    assert.match(first.rev, /^1-/)
    assert.equal(await codeOf(store.putAttachment('a', 'f', { contentType: 'text/plain', data: Buffer.from('x') })), 'CONFLICT')
    assert.equal(await codeOf(store.putAttachment('a', 'f', { contentType: 'text/plain', data: Buffer.from('x') }, { rev: '1-x' })), 'CONFLICT')
    const second = await store.put({ _id: 'a', _rev: first.rev, kept: true, _attachments: { f: { stub: true } } })
    const third = await store.putAttachment('a', 'g', { contentType: 'x/y', data: Buffer.from('two') }, { rev: second.rev })
    const document = await store.get('a')
    assert.deepEqual([document.body, Object.keys(document.attachments)], ['{"kept":true}', ['g', 'f']])
    assert.equal(await codeOf(store.removeAttachment('a', 'no', { rev: third.rev })), 'MISSING_ATTACHMENT')
    await store.removeAttachment('a', 'f', { rev: third.rev })
    assert.deepEqual(Object.keys((await store.get('a')).attachments), ['g'])
  })
})
