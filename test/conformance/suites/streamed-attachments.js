'use strict'

const assert = require('node:assert/strict')
const { createHash } = require('node:crypto')
const { codeOf } = require('../pages')

async function * stream (...parts) {
  yield * parts
}

module.exports = (context) => describe('streamed attachments', () => {
  const everything = async () => (await context.level.keys().all()).filter((key) => /^[acu]/.test(key))

  it('are stored as they come', async () => {
    const { store } = context
    const parts = Array.from({ length: 9 }, (_, i) => Buffer.alloc(100000 + i, i))
    await store.put({ _id: 'a', _attachments: { f: { content_type: 'x/y', data: stream(...parts) }, g: { data: stream() } } })
    const attachment = await store.getAttachment('a', 'f')
    const whole = Buffer.concat(parts)
    assert.ok((await attachment.read()).equals(whole))
    assert.equal(attachment.digest, 'md5-' + createHash('md5').update(whole).digest('base64'))
    assert.equal((await store.getAttachment('a', 'g')).length, 0)
    assert.deepEqual((await everything()).filter((key) => key.startsWith('u')), [])
  })

  it('equal to what is stored are not stored again', async () => {
    const { store } = context
    const first = await store.put({ _id: 'a', _attachments: { f: { data: Buffer.from('same') } } })
    const before = (await everything()).length
    await store.put({ _id: 'b', _attachments: { f: { data: stream(Buffer.from('sa'), Buffer.from('me')) }, g: { data: stream(Buffer.from('same')) } } })
    assert.equal((await everything()).length, before)
    await store.putAttachment('a', 'g', { contentType: 'x/y', data: stream(Buffer.from('same')) }, { rev: first.rev })
    assert.equal((await everything()).length, before)
    assert.equal(String(await (await store.getAttachment('b', 'g')).read()), 'same')
  })

  it('that break off leave nothing behind', async () => {
    const { store } = context
    async function * broken () {
      yield Buffer.alloc(600000)
      throw Object.assign(new Error('The client went away'), { code: 'ECONNRESET' })
    }
    const writing = store.write([{ _id: 'a' }, { _id: 'b', _attachments: { f: { data: stream(Buffer.alloc(300000)) }, g: { data: broken() } } }])
    await assert.rejects(writing, { code: 'ECONNRESET' })
    assert.deepEqual(await everything(), [])
    assert.equal(store.updateSeq, 0)
  })

  it('of another length than announced are refused', async () => {
    const { store } = context
    assert.equal(await codeOf(store.put({ _id: 'a', _attachments: { f: { length: 3, data: stream(Buffer.from('four')) } } })), 'BAD_REQUEST')
    assert.deepEqual(await everything(), [])
    await store.put({ _id: 'a', _attachments: { f: { length: 4, data: stream(Buffer.from('four')) } } })
  })

  it('of a refused document leave nothing behind', async () => {
    const { store } = context
    await store.put({ _id: 'a' })
    assert.equal(await codeOf(store.put({ _id: 'a', _attachments: { f: { data: stream(Buffer.alloc(600000)) } } })), 'CONFLICT')
    assert.deepEqual(await everything(), [])
  })

  it('stay readable to their end while they are compacted away', async () => {
    const { store } = context
    const bytes = Buffer.alloc(800000, 7)
    const { rev } = await store.put({ _id: 'a', _attachments: { f: { data: bytes } } })
    const attachment = await store.getAttachment('a', 'f')
    const parts = []
    for await (const part of attachment.stream()) {
      if (parts.length === 0) {
        await store.put({ _id: 'a', _rev: rev })
        await store.compact()
      }
      parts.push(Buffer.from(part))
    }
    assert.ok(Buffer.concat(parts).equals(bytes))
    assert.deepEqual(await everything(), [])
  })
})
