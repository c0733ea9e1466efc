'use strict'

const crypto = require('node:crypto')
const zlib = require('node:zlib')
const { Readable, pipeline } = require('node:stream')
const { parseExact } = require('@potoroo/document-store')
const { CouchError, createError } = require('@potoroo/errors')
const { ByteSource } = require('../byte-source')
const { bodyStream, JSON_LIMIT } = require('../body')
const { limitAttachment } = require('../documents/size-limits')
const { MultipartReader, boundaryOf, fileNameOf } = require('./reader')

/**
 * A document that comes as multipart/related: its JSON first, then the content of those
 * attachments that say `"follows": true`, in their order. The contents are read while the store
 * takes them, and the last one ends only with the last boundary: of a body that breaks off
 * nothing is written.
 *
 * @see https://docs.couchdb.org/en/stable/api/document/common.html#creating-multiple-attachments
 */
class MultipartDocument {
  #req
  #source
  #reader
  /** Names that follow and have not come yet. @type {Set<string>} */
  #awaited = new Set()
  /** Contents that came before their turn. @type {Map<string, Buffer>} */
  #held = new Map()

  /** @param {any} req */
  constructor (req) {
    const boundary = boundaryOf(req.headers['content-type'])
    if (boundary === null) throw createError('BAD_REQUEST', { reason: 'Content-Type of a multipart body must name its boundary' })
    this.#req = req
    this.#source = new ByteSource(req, bodyStream(req))
    this.#reader = new MultipartReader(this.#source, boundary)
  }

  /**
   * @returns {Promise<{ doc: any, bytes: number }>} the document, whose following attachments
   *   have AsyncIterables as `data`; `bytes` of its JSON
   */
  async read () {
    const headers = await this.#reader.next()
    if (headers === null || typeOf(headers) !== 'application/json') {
      throw createError('BAD_CONTENT_TYPE', { reason: 'Content-Type must be application/json' })
    }
    const bytes = await this.#reader.whole(JSON_LIMIT)
    const doc = parse(bytes)
    for (const [name, stub] of Object.entries(doc?._attachments ?? {})) if (stub?.follows === true) this.#awaited.add(name)
    for (const name of this.#awaited) this.#attach(doc._attachments, name)
    if (this.#awaited.size === 0) await this.#requireEnd()
    return { doc, bytes: bytes.length }
  }

  /** Lets go of the request, whether all was read or not. */
  release () { this.#source.release() }

  #attach (attachments, name) {
    const { follows, encoding, encoded_length: encodedLength, length, digest, ...rest } = attachments[name]
    const data = limitAttachment(this.#req, name, this.#content(name, { length, encoding, encodedLength, digest }))
    // The store compares a digest of what it stores; of what comes compressed the digest is another.
    attachments[name] = encoding === undefined ? { ...rest, digest, data } : { ...rest, data }
  }

  async * #content (name, expected) {
    const held = this.#held.get(name)
    if (held === undefined) yield * await this.#find(name, expected)
    else {
      this.#held.delete(name)
      yield held
    }
    if (this.#awaited.size === 0 && this.#held.size === 0) await this.#requireEnd()
  }

  /** Goes on to the part of this name; a part without a name is the next one. */
  async #find (name, expected) {
    for (;;) {
      const headers = await this.#reader.next()
      if (headers === null) throw createError('BAD_REQUEST', { reason: 'attachment shorter than expected' })
      const found = fileNameOf(headers.get('content-disposition')) ?? name
      if (!this.#awaited.delete(found)) throw createError('BAD_REQUEST', { reason: `A part for ${found} was not expected` })
      if (found === name) return this.#decoded(headers, expected)
      // JavaScript's objects put names that look like numbers first, so theirs may come late.
      this.#held.set(found, await this.#whole(this.#decoded(headers, {})))
    }
  }

  async #whole (content) {
    const chunks = []
    let length = 0
    for await (const chunk of content) {
      length += chunk.length
      if (length > JSON_LIMIT) throw createError('TOO_LARGE')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks, length)
  }

  /**
   * CouchDB sends what it keeps compressed as it is; here content is kept as it was meant.
   * @param {Map<string, string>} headers
   * @param {{ length?: number, encoding?: string, encodedLength?: number, digest?: string }} expected
   */
  #decoded (headers, { length, encoding, encodedLength, digest }) {
    const content = this.#reader.content()
    if (encoding === 'gzip') return gunzip(ofDigest(ofLength(content, encodedLength), digest))
    return headers.get('content-encoding') === 'gzip' ? gunzip(content) : ofLength(content, length)
  }

  async #requireEnd () {
    if (await this.#reader.next() !== null) throw createError('BAD_REQUEST', { reason: 'attachment longer than expected' })
  }
}

async function * ofLength (content, expected) {
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > expected) throw createError('BAD_REQUEST', { reason: 'attachment longer than expected' })
    yield chunk
  }
  if (length < expected) throw createError('BAD_REQUEST', { reason: 'attachment shorter than expected' })
}

async function * ofDigest (content, expected) {
  const hash = crypto.createHash('md5')
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
  if (typeof expected === 'string' && expected !== `md5-${hash.digest('base64')}`) throw createError('CONTENT_MD5_MISMATCH')
}

async function * gunzip (content) {
  const plain = zlib.createGunzip()
  pipeline(Readable.from(content), plain, () => {})
  try {
    yield * plain
  } catch (cause) {
    throw cause instanceof CouchError ? cause : createError('BAD_REQUEST', { reason: 'Invalid gzip content in a multipart part', cause })
  }
}

function typeOf (headers) {
  return (headers.get('content-type') ?? '').split(';', 1)[0].trim().toLowerCase()
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse (bytes) {
  try {
    return parseExact(utf8.decode(bytes))
  } catch (cause) {
    throw createError('INVALID_JSON', { cause })
  }
}

module.exports = { MultipartDocument }
