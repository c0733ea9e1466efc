'use strict'

const assert = require('node:assert/strict')
const { createHash, randomBytes } = require('node:crypto')
const zlib = require('node:zlib')
const { toJson } = require('@potoroo/document-store')
const { assertIntegrity } = require('../../../packages/document-store/test/integrity')

const TEXT = Buffer.from('all work and no play '.repeat(100))

const digestOf = (bytes) => 'md5-' + createHash('md5').update(bytes).digest('base64')

async function * stream (...parts) {
  yield * parts
}

async function whole (content) {
  const parts = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts)
}

module.exports = (context) => describe('compressed attachments', () => {
  beforeEach(async () => {
    await context.store.close()
    await context.openStore({ compressionLevel: (type) => type === 'text/plain' ? 8 : 0 })
  })
  afterEach(() => assertIntegrity(context.level))

  const contents = {
    base64: () => ({ data: TEXT.toString('base64') }),
    bytes: () => ({ data: TEXT }),
    'a stream': () => ({ data: stream(TEXT.subarray(0, 700), TEXT.subarray(700)), length: TEXT.length, digest: digestOf(TEXT) })
  }

  for (const [name, content] of Object.entries(contents)) {
    it(`given as ${name} are stored compressed, and read as they were`, async () => {
      const { store } = context
      await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', ...content() } } })
      const attachment = await store.getAttachment('a', 'f')
      const stored = await whole(attachment.streamStored())
      assert.ok(stored.length < TEXT.length && zlib.gunzipSync(stored).equals(TEXT))
      assert.deepEqual([attachment.length, attachment.encoding, attachment.encodedLength, attachment.digest], [TEXT.length, 'gzip', stored.length, digestOf(stored)])
      assert.ok((await attachment.read()).equals(TEXT))
      assert.ok((await attachment.read(5, 900)).equals(TEXT.subarray(5, 900)))
      assert.ok((await whole(attachment.stream(2000))).equals(TEXT.subarray(2000)))
      const { attachments } = await store.get('a', { attachments: true })
      assert.ok(attachments.f.data.equals(TEXT))
      assert.equal((await store.info()).sizes.active < TEXT.length, true)
    })
  }

  it('are the same again, whatever a reader does to the bytes', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data: TEXT } } })
    for (let time = 0; time < 3; time++) {
      const attachment = await store.getAttachment('a', 'f')
      const read = [await attachment.read(), await whole(attachment.stream()), await attachment.read(3, 9)]
      assert.deepEqual(read, [TEXT, TEXT, TEXT.subarray(3, 9)])
      for await (const part of attachment.stream()) part.fill(0)
      for (const bytes of read) bytes.fill(0)
    }
  })

  // Little content is decoded in one piece, and much of it as a stream.
  for (const length of [0, 13, 64 * 1024, 64 * 1024 + 1, 200 * 1024]) {
    for (const [kind, data] of Object.entries({ zeros: Buffer.alloc(length), 'random bytes': randomBytes(length) })) {
      it(`${length} ${kind} are read in parts`, async () => {
        const { store } = context
        await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data } } })
        const attachment = await store.getAttachment('a', 'f')
        assert.equal(attachment.encoding, 'gzip')
        for (const [from, to] of [[], [0, 1], [5, 9], [7], [length], [length, length + 5], [length - 1, length + 5], [0, length - 1]]) {
          const part = data.subarray(Math.max(0, from ?? 0), Math.max(0, to ?? length))
          assert.ok((await attachment.read(from, to)).equals(part))
          assert.ok((await whole(attachment.stream(from, to))).equals(part))
        }
        assert.ok(zlib.gunzipSync(await whole(attachment.streamStored())).equals(data))
      })
    }
  }

  // Little content is compressed in one piece, and much of it as a stream.
  for (const length of [0, 1, 16 * 1024, 16 * 1024 + 1, 100_000]) {
    it(`${length} bytes of text are the same bytes, however they come`, async () => {
      const { store } = context
      const data = Buffer.from('all work and no play '.repeat(5000)).subarray(0, length)
      const expected = digestOf(zlib.gzipSync(data, { level: 8 }))
      const cuts = size => Array.from({ length: Math.ceil(length / size) }, (_, i) => data.subarray(i * size, (i + 1) * size))
      const ways = { bytes: data, 'one part': stream(data), 'an empty part': stream(Buffer.alloc(0), data, Buffer.alloc(0)), 'small parts': stream(...cuts(1000)), 'large parts': stream(...cuts(60_000)) }
      for (const [way, given] of Object.entries(ways)) {
        await store.put({ _id: way, _attachments: { f: { content_type: 'text/plain', data: given, ...(way === 'one part' && { length, digest: digestOf(data) }) } } })
        const attachment = await store.getAttachment(way, 'f')
        assert.deepEqual([attachment.digest, attachment.length], [expected, length], way)
        assert.ok((await attachment.read()).equals(data), way)
      }
    })

    it(`whose stream fails, or is no bytes, after ${length} are let go of, and leave nothing behind`, async () => {
      const { store } = context
      for (const [last, expected] of [[() => { throw new Error('torn') }, /torn/], [() => 'text', { code: 'BAD_REQUEST' }]]) {
        let ended = false
        const data = (async function * () {
          try {
            yield Buffer.alloc(length)
            yield last()
          } finally {
            ended = true
          }
        })()
        await assert.rejects(store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data } } }), expected)
        assert.ok(ended)
      }
      assert.deepEqual((await context.level.keys().all()).filter((key) => /^[acu]/.test(key)), [])
    })
  }

  it('of other types, or on a store that does not compress, are stored as they are', async () => {
    await context.store.put({ _id: 'a', _attachments: { f: { content_type: 'image/png', data: TEXT } } })
    assert.equal((await context.store.getAttachment('a', 'f')).digest, digestOf(TEXT))
    await context.store.close()
    const store = await context.openStore()
    await store.put({ _id: 'b', _attachments: { f: { content_type: 'text/plain', data: TEXT } } })
    assert.equal((await store.getAttachment('b', 'f')).encoding, undefined)
  })

  it('that come compressed are kept so', async () => {
    const { store } = context
    const zipped = zlib.gzipSync(TEXT)
    await store.put({ _id: 'a', _attachments: { f: { content_type: 'image/x', encoding: 'gzip', encoded_length: zipped.length, length: TEXT.length, digest: digestOf(zipped), data: stream(zipped) } } })
    await store.putAttachment('b', 'f', { contentType: 'text/plain', encoding: 'gzip', data: stream(zipped) })
    const [known, unknown] = [await store.getAttachment('a', 'f'), await store.getAttachment('b', 'f')]
    assert.deepEqual([known.digest, known.length, unknown.digest, unknown.length], [digestOf(zipped), TEXT.length, digestOf(zipped), zipped.length])
    for (const attachment of [known, unknown]) assert.ok((await attachment.read()).equals(TEXT))
    const lying = store.put({ _id: 'c', _attachments: { f: { encoding: 'gzip', encoded_length: zipped.length, digest: digestOf(TEXT), data: stream(zipped) } } })
    await assert.rejects(lying, { code: 'CONTENT_MD5_MISMATCH' })
  })

  it('announced otherwise than they are leave nothing behind', async () => {
    const { store } = context
    const long = Array.from({ length: 9 }, (_, i) => Buffer.alloc(100000, i))
    for (const announced of [{ length: 5 }, { length: 900001 }, { length: 900000, digest: digestOf(TEXT) }]) {
      await assert.rejects(store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', ...announced, data: stream(...long) } } }))
    }
    assert.deepEqual((await context.level.keys().all()).filter((key) => /^[acu]/.test(key)), [])
  })

  it('are kept by stubs, by name and by digest', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data: TEXT } } })
    const { digest } = await store.getAttachment('a', 'f')
    await store.put({ _id: 'a', _rev: rev, _attachments: { f: { stub: true } } })
    await store.put({ _id: 'b', _attachments: { g: { stub: true, digest, content_type: 'text/plain' } } })
    for (const [id, name] of [['a', 'f'], ['b', 'g']]) {
      const attachment = await store.getAttachment(id, name)
      assert.deepEqual([attachment.encoding, attachment.length], ['gzip', TEXT.length])
      assert.ok((await attachment.read()).equals(TEXT))
    }
  })

  it('say how they are stored only where that is asked for', async () => {
    const { store } = context
    await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', data: TEXT } } })
    const document = await store.get('a')
    const { encodedLength } = document.attachments.f
    assert.equal(JSON.parse(toJson(document))._attachments.f.encoding, undefined)
    assert.deepEqual(JSON.parse(toJson(document, { encodings: true }))._attachments.f, {
      content_type: 'text/plain', revpos: 1, digest: document.attachments.f.digest, length: TEXT.length, stub: true, encoding: 'gzip', encoded_length: encodedLength
    })
  })

  it('far longer than they look are not read into memory beyond the limit', async () => {
    const { store } = context
    const bomb = zlib.gzipSync(Buffer.alloc(20 * 1024 * 1024))
    await store.putAttachment('a', 'f', { contentType: 'x/y', encoding: 'gzip', data: stream(bomb) })
    await assert.rejects(store.get('a', { attachments: true, attachmentsLimit: 1024 * 1024 }), { code: 'TOO_LARGE' })
    const { stream: read } = await store.getAttachment('a', 'f')
    let most = 0
    let length = 0
    for await (const part of read()) {
      most = Math.max(most, part.length)
      length += part.length
    }
    assert.equal(length, 20 * 1024 * 1024)
    assert.ok(most <= 64 * 1024)
  })

  const broken = {
    'no gzip': Buffer.from('no gzip'),
    nothing: Buffer.alloc(0),
    'gzip that breaks off': zlib.gzipSync(randomBytes(300 * 1024)).subarray(0, -9),
    'gzip with a wrong checksum': flipped(zlib.gzipSync(TEXT), -8),
    'the head of gzip': zlib.gzipSync(TEXT).subarray(0, 10),
    'gzip with another thing behind it': Buffer.concat([zlib.gzipSync(TEXT), Buffer.from('and more')])
  }
  const ways = {
    'a stream': (bytes) => stream(bytes.subarray(0, 5), bytes.subarray(5)),
    'one chunk': (bytes) => stream(bytes),
    bytes: (bytes) => bytes
  }

  for (const [name, bytes] of Object.entries(broken)) {
    for (const [way, given] of Object.entries(ways)) {
      it(`sent as gzip that are ${name}, given as ${way}, are stored as plain content`, async () => {
        const { store } = context
        await store.put({ _id: 'a', _attachments: { f: { content_type: 'text/plain', encoding: 'gzip', length: 7, encoded_length: bytes.length, digest: digestOf(bytes), data: given(bytes) } } })
        const attachment = await store.getAttachment('a', 'f')
        assert.deepEqual([attachment.encoding, attachment.length, attachment.digest], [undefined, bytes.length, digestOf(bytes)])
        for (const read of [attachment.read(), whole(attachment.stream()), whole(attachment.streamStored())]) assert.ok((await read).equals(bytes))
        const { attachments } = await store.get('a', { attachments: true })
        assert.ok(attachments.f.data.equals(bytes))
      })
    }
  }

  it('sent as gzip are as long as they were found to be, whatever their sender said', async () => {
    const { store } = context
    const bytes = zlib.gzipSync(TEXT)
    for (const data of [bytes, stream(bytes)]) {
      const { rev } = await store.put({ _id: 'a', _attachments: { f: { encoding: 'gzip', length: 7, encoded_length: bytes.length, data } } })
      const { encoding, length, encodedLength } = await store.getAttachment('a', 'f')
      assert.deepEqual([encoding, length, encodedLength], ['gzip', TEXT.length, bytes.length])
      await store.put({ _id: 'a', _rev: rev, _deleted: true })
    }
  })

  it('that are plain are not taken as gzip because a stub says so', async () => {
    const { store } = context
    const digest = digestOf(Buffer.from('no gzip'))
    await store.put({ _id: 'a', _attachments: { f: { content_type: 'x/y', data: Buffer.from('no gzip') } } })
    await store.put({ _id: 'b', _attachments: { f: { content_type: 'x/y', stub: true, digest, encoding: 'gzip' } } })
    assert.equal((await store.getAttachment('b', 'f')).encoding, undefined)
    assert.equal(String((await store.get('b', { attachments: true })).attachments.f.data), 'no gzip')
  })

  it('that an older version took as gzip are read as they are stored', async () => {
    const { store, level } = context
    const member = ',"encoding":"gzip","encodedLength":7'
    // The record stays as long as it is, because the database counts its characters.
    const filler = 'y'.repeat(member.length)
    await store.putAttachment('a', 'f', { contentType: `x/y${filler}`, data: Buffer.from('no gzip') })
    await store.close()
    for await (const [key, text] of level.iterator()) {
      if (text.includes(filler)) await level.put(key, text.replace(filler, '').replace('}', `${member}}`))
    }
    const reopened = await context.openStore()
    const attachment = await reopened.getAttachment('a', 'f')
    assert.deepEqual([attachment.encoding, attachment.length], [undefined, 7])
    assert.equal(String(await attachment.read()), 'no gzip')
    assert.equal(String(await whole(attachment.stream(3))), 'gzip')
    assert.equal(String((await reopened.get('a', { attachments: true })).attachments.f.data), 'no gzip')
  })
})

function flipped (bytes, at) {
  bytes[bytes.length + at] ^= 1
  return bytes
}
