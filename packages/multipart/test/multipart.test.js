'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { CouchError } = require('@potoroo/errors')
const { MultipartReader, RelatedWriter, boundaryOf, fileNameOf } = require('..')

/** A body that arrives in these pieces. */
function sourceOf (pieces) {
  const rest = [...pieces]
  return { next: async () => rest.shift() ?? null }
}

async function readAll (pieces, boundary) {
  const reader = new MultipartReader(sourceOf(pieces), boundary)
  const parts = []
  for (let headers; (headers = await reader.next()) !== null;) {
    parts.push({ headers: Object.fromEntries(headers), content: (await reader.whole(1e6)).toString('latin1') })
  }
  return parts
}

const body = Buffer.from([
  'preamble\r\n--B \r\nContent-Type: application/json\r\nX: a:b\r\n\r\n{"a":1}',
  '\r\n--B\r\n\r\n\r\n--\r\n-\r\n--A\r\n--',
  '\r\n--B\r\ncontent-disposition: attachment; filename="x"\r\n\r\n',
  '\r\n--B--\r\nepilogue'
].join(''))

const expected = [
  { headers: { 'content-type': 'application/json', x: 'a:b' }, content: '{"a":1}' },
  { headers: {}, content: '\r\n--\r\n-\r\n--A\r\n--' },
  { headers: { 'content-disposition': 'attachment; filename="x"' }, content: '' }
]

const runs = { numRuns: Number(process.env.MULTIPART_RUNS ?? 500) }

/** Bytes of which many look like a boundary. */
const content = fc.array(fc.oneof(fc.constantFrom('\r\n', '--', '-', '\r', '\n', '--B', '\r\n--', '\r\n--A', '\r\n\r\n', ':'), fc.string({ maxLength: 5 })), { maxLength: 12 })
  .map(words => words.join('')).filter(text => !text.includes('\r\n--B'))
const headers = fc.dictionary(fc.stringMatching(/^[a-z-]{1,9}$/), fc.stringMatching(/^[!-~]{0,9}$/), { maxKeys: 4, noNullPrototype: true })

/** Places at which a body is cut into what arrives at once. */
const cuts = fc.array(fc.nat(2000), { maxLength: 8 })

function cut (bytes, places) {
  const at = [0, ...places.filter(place => place < bytes.length).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end)).filter(piece => piece.length > 0)
}

describe('The multipart reader', () => {
  it('reads whatever is in the parts, however it is cut', () => fc.assert(fc.asyncProperty(
    fc.array(fc.record({ headers, content }), { maxLength: 5 }), cuts,
    async (parts, places) => {
      const written = parts.map(part => `\r\n--B\r\n${Object.entries(part.headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${part.content}`)
      const bytes = Buffer.from(`${written.join('')}\r\n--B--`)
      const found = await readAll(cut(bytes, places), 'B')
      assert.deepEqual(found.map(part => [part.headers, Buffer.from(part.content, 'latin1').toString()]), parts.map(part => [part.headers, part.content]))
    }), runs))

  it('reads any bytes to their end, or refuses them', () => fc.assert(fc.asyncProperty(
    fc.array(fc.record({ at: fc.nat(body.length), remove: fc.nat(20), add: content }), { minLength: 1, maxLength: 4 }), cuts,
    async (edits, places) => {
      let bytes = body
      for (const { at, remove, add } of edits) bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(add), bytes.subarray(at + remove)])
      try {
        for (const part of await readAll(cut(bytes, places), 'B')) assert.ok(part.content.length <= bytes.length)
      } catch (error) {
        assert.ok(error instanceof CouchError && error.status === 400, String(error.stack))
      }
    }), runs))

  it('reads a body in one piece', async () => {
    assert.deepEqual(await readAll([body], 'B'), expected)
  })

  it('reads it byte by byte', async () => {
    assert.deepEqual(await readAll([...body].map(byte => Buffer.from([byte])), 'B'), expected)
  })

  it('reads it cut anywhere', async () => {
    for (let at = 1; at < body.length; at++) {
      assert.deepEqual(await readAll([body.subarray(0, at), body.subarray(at)], 'B'), expected, `cut at ${at}`)
    }
  })

  it('skips what is not read', async () => {
    const reader = new MultipartReader(sourceOf([body]), 'B')
    for (let i = 0; i < 3; i++) assert.notEqual(await reader.next(), null)
    assert.equal(await reader.next(), null)
    assert.equal(await reader.next(), null)
  })

  it('refuses every body that ends too early', async () => {
    const end = body.lastIndexOf('--B--') + 5
    for (let at = 0; at < end; at++) {
      await assert.rejects(readAll([body.subarray(0, at)], 'B'), { error: 'bad_request' }, `ends at ${at}`)
    }
  })

  it('refuses headers without end', async () => {
    const endless = Buffer.from('--B\r\n' + 'x: y\r\n'.repeat(10000))
    await assert.rejects(readAll([endless, endless], 'B'), { reason: 'The headers of a multipart part are too long' })
  })

  it('holds no more than its limit', async () => {
    const reader = new MultipartReader(sourceOf([body]), 'B')
    await reader.next()
    await assert.rejects(reader.whole(3), { error: 'too_large' })
  })
})

describe('The multipart writer', () => {
  it('writes as many bytes as it says, and what the reader reads', async () => {
    const attachments = ['hello', '', 'ü'.repeat(1000)].map((text, i) => ({
      name: i === 0 ? 'größe' : `größe ${i}\r\nX: injected`,
      contentType: 'text/plain',
      length: Buffer.byteLength(text),
      open: async () => (async function * () { yield Buffer.from(text) })()
    }))
    const writer = new RelatedWriter('{"a":"ü"}', attachments)
    const chunks = []
    for await (const chunk of writer) chunks.push(chunk)
    const written = Buffer.concat(chunks)
    assert.equal(written.length, writer.length)
    const parts = await readAll([written], boundaryOf(writer.contentType))
    assert.deepEqual(parts.map(part => Buffer.from(part.content, 'latin1').toString()), ['{"a":"ü"}', 'hello', '', 'ü'.repeat(1000)])
    assert.equal(fileNameOf(parts[1].headers['content-disposition']), 'größe')
    // A name with line breaks is in no header.
    assert.deepEqual([parts[2].headers['content-disposition'], parts[2].headers.x], [undefined, undefined])
  })
})

describe('Headers of multipart', () => {
  it('name a boundary, with quotes or without', () => {
    assert.equal(boundaryOf('multipart/related; boundary="a b"; type=x'), 'a b')
    assert.equal(boundaryOf('multipart/related;type=x;boundary=abc'), 'abc')
    assert.equal(boundaryOf('multipart/related'), null)
  })

  it('name a file as CouchDB does', () => {
    assert.equal(fileNameOf('attachment; filename="a "b".txt"'), 'a "b".txt')
    assert.equal(fileNameOf('attachment; filename=plain'), 'plain')
    assert.equal(fileNameOf(undefined), undefined)
  })
})
