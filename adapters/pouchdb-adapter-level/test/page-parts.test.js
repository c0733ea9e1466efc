'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { gzipSync } = require('node:zlib')
const fc = require('fast-check')

const { Bytes } = require('../page/bytes')
const inStore = require('../../../packages/document-store/lib/attachments/decode-attachment')
const pageCrypto = require('../page/crypto')
const inPages = require('../page/decode-attachment')

/** Any text, lone surrogates among it. */
const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units)))
const bytes = fc.uint8Array({ maxLength: 300 })

describe('What pages have in place of Node.js', () => {
  it('has Buffer\'s methods with Buffer\'s results', () => {
    fc.assert(fc.property(texts, bytes, bytes, (text, some, other) => {
      assert.equal(Bytes.byteLength(text), Buffer.byteLength(text))
      assert.deepEqual([...Bytes.from(text)], [...Buffer.from(text)])
      for (const encoding of ['hex', 'latin1', 'base64', 'base64url', 'utf8']) {
        const said = Buffer.from(some).toString(encoding)
        assert.equal(Bytes.from(some).toString(encoding), said)
        assert.deepEqual([...Bytes.from(said, encoding)], [...Buffer.from(said, encoding)])
      }
      assert.equal(Bytes.compare(some, other), Buffer.compare(some, other))
      assert.deepEqual([...Bytes.concat([some, other])], [...Buffer.concat([some, other])])
      const [mine, theirs] = [Bytes.alloc(40), Buffer.alloc(40)]
      assert.equal(mine.write(text, 3), theirs.write(text, 3))
      assert.equal(Bytes.from(some).copy(mine, 7), Buffer.from(some).copy(theirs, 7))
      assert.deepEqual([...mine], [...theirs])
    }))
  })

  it('decodes base64 as Buffer does, whatever it is', () => {
    fc.assert(fc.property(fc.string(), text => {
      const upToEnd = text.split('=')[0]
      assert.deepEqual([...Bytes.from(upToEnd, 'base64')], [...Buffer.from(upToEnd, 'base64')])
    }))
  })

  it('has the digests of node:crypto, in parts too', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1000 }), fc.nat({ max: 1000 }), (data, at) => {
      for (const algorithm of ['md5', 'sha256']) {
        const parts = pageCrypto.createHash(algorithm).update(data.subarray(0, at)).update(data.subarray(at))
        assert.equal(parts.digest('hex'), crypto.createHash(algorithm).update(data).digest('hex'))
      }
    }))
    assert.equal(pageCrypto.hash('md5', 'é'), crypto.hash('md5', 'é'))
  })

  it('decodes gzip, and gives what is none as it is', async () => {
    const plain = crypto.randomBytes(200_000)
    const encoded = gzipSync(plain)
    for (const { decodeBuffer, decodePart, decodeStream } of [inPages, inStore]) {
      assert.deepEqual(Buffer.from(await decodeBuffer(encoded)), plain)
      for (const stored of [() => encoded, () => parts(encoded.subarray(0, 1000), encoded.subarray(1000))]) {
        assert.deepEqual(Buffer.from(await decodePart('name', stored())), plain)
        assert.deepEqual(Buffer.from(await decodePart('name', stored(), 70_000, 70_010)), plain.subarray(70_000, 70_010))
        const chunks = []
        for await (const chunk of decodeStream('name', stored(), 70_000)) chunks.push(chunk)
        assert.deepEqual(Buffer.concat(chunks), plain.subarray(70_000))
      }
      assert.equal(await decodeBuffer(plain), plain)
      await assert.rejects(decodeBuffer(encoded, 1000), { code: 'TOO_LARGE' })
    }
  })
})

/** @param {Uint8Array[]} list */
async function * parts (...list) { yield * list }
