'use strict'

const { namesOf } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { MultipartReader, boundaryOf, fileNameOf } = require('@potoroo/multipart')
const { ByteSource } = require('../http/byte-source')
const { bodyStream, parseBytes, JSON_LIMIT } = require('../http/body')
const { limitAttachment } = require('../documents/size-limits')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** Bytes of contents that came too early and are kept until their turn. */
const HELD = 16 * 1024 * 1024

/**
 * A document that comes as multipart/related: its JSON first, then the content of those
 * attachments that say `"follows": true`, in their order or under their names. The contents are read
 * while the store takes them, and the last one ends only with the last boundary: of a body that breaks
 * off nothing is written.
 *
 * @see https://docs.couchdb.org/en/stable/api/document/common.html#creating-multiple-attachments
 */
class MultipartDocument {
  #req
  #source
  #reader
  /** Names that follow and have not come yet. @type {Set<string>} */
  #awaited = new Set()
  /** The part whose headers are read and whose content is not. @type {{ name: string | undefined } | null} */
  #next = null
  /** Contents that came before their turn, where the store does not take them as they come. @type {Map<string, Buffer>} */
  #held = new Map()
  /** Bytes that may still be held so. */
  #room = HELD

  /** @param {PotorooRequest} req */
  constructor (req) {
    const boundary = boundaryOf(req.headers['content-type'])
    if (boundary === null) throw badRequest('Content-Type of a multipart body must name its boundary')
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
    const doc = await parseBytes(this.#req, bytes, 0)
    for (const name of namesOf(doc?._attachments ?? {})) if (doc._attachments[name]?.follows === true) this.#awaited.add(name)
    for (const name of this.#awaited) this.#attach(doc._attachments, name)
    if (this.#awaited.size === 0) await this.#requireEnd()
    return { doc, bytes: bytes.length }
  }

  /** Lets go of the request, whether all was read or not. */
  release () { this.#source.release() }

  /** @param {Record<string, any>} attachments @param {string} name */
  #attach (attachments, name) {
    const { follows, ...rest } = attachments[name]
    const expected = rest.encoding === 'gzip' ? rest.encoded_length : rest.length
    const content = limitAttachment(this.#req, name, this.#content(name, expected))
    attachments[name] = { ...rest, data: new FollowingContent(content, () => this.#arriving()) }
  }

  /** @returns {Promise<string | undefined>} the name of the part that comes next, where it has one */
  async #arriving () {
    if (this.#awaited.size === 0) return undefined
    this.#next ??= await this.#nextPart()
    return this.#next.name
  }

  async #nextPart () {
    const headers = await this.#reader.next()
    if (headers === null) throw badRequest('attachment shorter than expected')
    return { name: fileNameOf(headers.get('content-disposition')) }
  }

  /** @param {string} name @param {number} expected */
  async * #content (name, expected) {
    const held = this.#held.get(name)
    if (held === undefined) yield * ofLength(await this.#find(name), expected)
    else {
      this.#held.delete(name)
      this.#room += held.length
      yield held
    }
    if (this.#awaited.size === 0 && this.#held.size === 0) await this.#requireEnd()
  }

  /** Goes on to the part of this name; a part without a name is the next one. @param {string} name */
  async #find (name) {
    for (;;) {
      const { name: found = name } = this.#next ?? await this.#nextPart()
      this.#next = null
      if (!this.#awaited.delete(found)) throw badRequest(`A part for ${found} was not expected`)
      if (found === name) return this.#reader.content()
      // The parts may come in another order than the names.
      const content = await this.#reader.whole(this.#room)
      this.#room -= content.length
      this.#held.set(found, content)
    }
  }

  async #requireEnd () {
    if (await this.#reader.next() !== null) throw badRequest('attachment longer than expected')
  }
}

/** Content that comes in its turn: the store asks whose turn it is. */
class FollowingContent {
  #content

  /**
   * @param {AsyncIterable<Buffer>} content
   * @param {() => Promise<string | undefined>} arriving the name of the attachment of this document whose content is there next
   */
  constructor (content, arriving) {
    this.#content = content
    this.arriving = arriving
  }

  [Symbol.asyncIterator] () { return this.#content[Symbol.asyncIterator]() }
}

/** @param {AsyncIterable<Buffer>} content @param {number} expected */
async function * ofLength (content, expected) {
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > expected) throw badRequest('attachment longer than expected')
    yield chunk
  }
  if (length < expected) throw badRequest('attachment shorter than expected')
}

/** @param {Map<string, string>} headers */
function typeOf (headers) {
  return (headers.get('content-type') ?? '').split(';', 1)[0].trim().toLowerCase()
}

module.exports = { MultipartDocument }
