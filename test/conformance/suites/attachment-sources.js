'use strict'

const assert = require('node:assert/strict')
const { createHash, randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Readable } = require('node:stream')
const { codeOf } = require('../pages')

const bytes = randomBytes(700001)

async function * parts () {
  for (let at = 0; at < bytes.length; at += 99991) yield bytes.subarray(at, at + 99991)
}

module.exports = (context) => describe('content of attachments', () => {
  const keys = async () => (await context.level.keys().all()).filter((key) => /^[acu]/.test(key))
  let folder

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attachment-sources-'))
    fs.writeFileSync(path.join(folder, 'f'), bytes)
  })

  after(() => fs.rmSync(folder, { recursive: true }))

  const sources = {
    'a Buffer': () => bytes,
    'a Uint8Array': () => new Uint8Array(bytes),
    base64: () => bytes.toString('base64'),
    'base64 with line breaks': () => bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    'an AsyncIterable': parts,
    'a Readable': () => Readable.from(parts()),
    'a file\'s Readable': () => fs.createReadStream(path.join(folder, 'f')),
    'a Web stream': () => Readable.toWeb(Readable.from(parts())),
    'a Blob': () => new Blob([bytes]),
    'a file\'s Blob': () => fs.openAsBlob(path.join(folder, 'f'))
  }

  for (const [name, open] of Object.entries(sources)) {
    it(`may be ${name}`, async () => {
      const { store } = context
      await store.put({ _id: 'a', _attachments: { f: { content_type: 'x/y', data: await open() } } })
      const attachment = await store.getAttachment('a', 'f')
      assert.deepEqual([attachment.length, attachment.contentType], [bytes.length, 'x/y'])
      assert.equal(attachment.digest, 'md5-' + createHash('md5').update(bytes).digest('base64'))
      assert.ok((await attachment.read()).equals(bytes))
      assert.equal((await keys()).length, 4)
      const stub = await store.putAttachment('b', 'f', { contentType: 'x/y', data: await open() })
      assert.ok((await (await store.getAttachment('b', 'f', { rev: stub.rev })).read()).equals(bytes))
      assert.equal((await keys()).length, 4)
    })
  }

  it('of a Blob brings its type', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { data: new Blob(['hi'], { type: 'text/plain' }) }, g: { data: new Blob(['hi']) }, h: { content_type: 'x/y', data: new Blob(['hi'], { type: 'text/plain' }) } } })
    const { attachments } = await store.get('a')
    assert.deepEqual(Object.values(attachments).map(({ contentType }) => contentType), ['text/plain', 'application/octet-stream', 'x/y'])
  })

  it('that is large is taken as bytes and as base64', async () => {
    const { store } = context
    const large = randomBytes(5 * 1024 * 1024 + 7)
    await store.put({ _id: 'a', _attachments: { f: { data: large, digest: 'md5-old', length: 3 } } })
    assert.ok((await (await store.getAttachment('a', 'f')).read()).equals(large))
    const before = (await keys()).length
    await store.put({ _id: 'b', _attachments: { f: { data: large.toString('base64'), digest: 'md5-old', length: 3 } } })
    assert.ok((await (await store.getAttachment('b', 'f')).read()).equals(large))
    assert.equal((await keys()).length, before)
  })

  it('is bytes', async () => {
    const { store } = context
    const put = (data) => codeOf(store.put({ _id: 'a', _attachments: { f: { data } } }))
    for (const data of [undefined, null, 7, {}, [1], 'no base64!', 'Y', 'YQ', 'YQ=', 'YQ==YQ==', 'Y-_=', new ArrayBuffer(3)]) {
      assert.equal(await put(data), 'BAD_REQUEST', String(data))
    }
    assert.equal(await put(Readable.from(['text'])), 'BAD_REQUEST')
    assert.equal(await put(Readable.from([{}])), 'BAD_REQUEST')
    assert.deepEqual(await keys(), [])
  })

  it('that is a stream is as announced, or nothing is written', async () => {
    const { store } = context
    const digest = 'md5-' + createHash('md5').update(bytes).digest('base64')
    const put = (announced) => codeOf(store.put({ _id: 'a', _attachments: { f: { ...announced, data: parts() } } }))
    assert.equal(await put({ digest: 'md5-XUFAKrxLKna5cZ2REBfFkg==' }), 'CONTENT_MD5_MISMATCH')
    assert.equal(await put({ length: bytes.length + 1 }), 'BAD_REQUEST')
    assert.equal(await put({ length: bytes.length - 1 }), 'BAD_REQUEST')
    assert.equal(await codeOf(store.putAttachment('a', 'f', { contentType: 'x/y', data: parts(), digest: 'md5-no' })), 'CONTENT_MD5_MISMATCH')
    assert.deepEqual(await keys(), [])
    assert.equal((await store.put({ _id: 'b', _attachments: { f: { digest: 'other-x', data: parts() } } })).ok, true)
    assert.equal((await store.put({ _id: 'a', _attachments: { f: { digest, length: bytes.length, data: parts() } } })).ok, true)
  })

  it('that nobody will read any more is let go', async () => {
    const { store } = context
    const broken = Readable.from([Buffer.alloc(1)], { objectMode: true })
    broken.destroy(new Error('no disk'))
    const next = fs.createReadStream(path.join(folder, 'f'))
    const last = fs.createReadStream(path.join(folder, 'f'))
    const web = Readable.toWeb(last)
    await assert.rejects(store.put({ _id: 'a', _attachments: { f: { data: broken }, g: { data: next }, h: { data: web } } }), { message: 'no disk' })
    assert.equal(next.destroyed, true)
    assert.equal((await web.getReader().read()).done, true)
    // A file that is still being opened would be missed when its folder has gone.
    for (const stream of [next, last]) if (!stream.closed) await new Promise(resolve => stream.once('close', resolve))
    assert.deepEqual(await keys(), [])
  })
})
