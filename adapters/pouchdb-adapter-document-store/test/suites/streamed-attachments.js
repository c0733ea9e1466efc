'use strict'

const assert = require('node:assert/strict')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Readable } = require('node:stream')
const { buffer } = require('node:stream/consumers')

const bytes = randomBytes(5 * 1024 * 1024 + 1)

async function * parts () {
  for (let at = 0; at < bytes.length; at += 65537) yield bytes.subarray(at, at + 65537)
}

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('streamed attachments', () => {
  let folder

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'streamed-attachments-'))
    fs.writeFileSync(path.join(folder, 'f'), bytes)
  })

  after(() => fs.rmSync(folder, { recursive: true }))

  const sources = {
    'a Buffer': () => bytes,
    base64: () => bytes.toString('base64'),
    'a Blob': () => new Blob([bytes]),
    'a file\'s Blob': () => fs.openAsBlob(path.join(folder, 'f')),
    'a Readable': () => fs.createReadStream(path.join(folder, 'f')),
    'a Web stream': () => Readable.toWeb(Readable.from(parts())),
    'an AsyncIterable': parts
  }

  for (const [name, open] of Object.entries(sources)) {
    it(`come as ${name}`, async () => {
      const { db } = context
      const { rev } = await db.put({ _id: 'a', _attachments: { x: { content_type: 'x/y', data: await open() } } })
      assert.ok((await db.getAttachment('a', 'x')).equals(bytes))
      await db.putAttachment('a', 'y', rev, await open(), 'y/z')
      const doc = await db.get('a', { attachments: true, binary: true })
      assert.ok(doc._attachments.x.data.equals(bytes))
      assert.ok(doc._attachments.y.data.equals(bytes))
      assert.deepEqual([doc._attachments.x.revpos, doc._attachments.y.revpos, doc._attachments.y.content_type], [1, 2, 'y/z'])
    })
  }

  it('go out as a Readable', async () => {
    const { db } = context
    const { rev } = await db.putAttachment('a', 'x', bytes, 'x/y')
    const stream = await db.getAttachment('a', 'x', { rev, stream: true })
    assert.ok(stream instanceof Readable)
    const { length, digest } = (await db.get('a'))._attachments.x
    assert.deepEqual([stream.type, stream.length, stream.digest], ['x/y', length, digest])
    assert.ok((await buffer(stream)).equals(bytes))
    await assert.rejects(db.getAttachment('a', 'y', { stream: true }), { status: 404, name: 'not_found' })
  })

  it('go from one document to another', async () => {
    const { db } = context
    await db.putAttachment('a', 'x', bytes, 'x/y')
    await db.putAttachment('b', 'x', await db.getAttachment('a', 'x', { stream: true }), 'x/y')
    assert.ok((await db.getAttachment('b', 'x')).equals(bytes))
  })

  it('replace others whatever the document said of those', async () => {
    const { db } = context
    await db.putAttachment('a', 'x', Buffer.from('old'), 'x/y')
    const doc = await db.get('a', { attachments: true })
    doc._attachments.x.data = Readable.from(parts())
    await db.put(doc)
    assert.ok((await db.getAttachment('a', 'x')).equals(bytes))
  })

  it('that fail fail the write', async () => {
    const { db } = context
    async function * broken () {
      yield bytes
      throw Object.assign(new Error('no disk'), { code: 'EIO' })
    }
    await assert.rejects(db.putAttachment('a', 'x', broken(), 'x/y'), { code: 'EIO', message: 'no disk' })
    await assert.rejects(db.get('a'), { status: 404 })
    await assert.rejects(db.putAttachment('a', 'x', Readable.from(['text']), 'x/y'), { status: 400, name: 'bad_request' })
  })

  it('are made before the database is open', async () => {
    const { db, name, open } = context
    const other = open(name)
    await other.putAttachment('a', 'x', Readable.from(parts()), 'x/y')
    assert.ok((await db.getAttachment('a', 'x')).equals(bytes))
    await other.close()
  })

  it('are copies of small Buffers, and base64 as Node.js writes it', async () => {
    const { db } = context
    const data = Buffer.from('good bye')
    const written = db.putAttachment('a', 'x', data, 'x/y')
    data.fill(0)
    await written
    assert.equal(String(await db.getAttachment('a', 'x')), 'good bye')
    for (const bad of ['Y', 'YQ', 'YQ=', 'YQ ==', 'YQ=a', 'YR==', 'Y-_=', 'a===', '====']) {
      await assert.rejects(db.putAttachment('b', 'x', bad, 'x/y'), { status: 500, message: 'Some query argument is invalid' }, bad)
    }
  })
})
