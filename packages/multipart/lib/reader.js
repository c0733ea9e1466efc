'use strict'

const { badRequest, createError } = require('@potoroo/errors')

/** Bytes that the headers of one part may have. */
const HEADER_LIMIT = 16 * 1024

const CRLF = Buffer.from('\r\n')
const BLANK_LINE = Buffer.from('\r\n\r\n')

/**
 * Takes a multipart body apart as it comes in, holding no more than one chunk of it.
 *
 *   body      = [preamble CRLF] "--" boundary part *(CRLF "--" boundary part) CRLF "--" boundary "--"
 *   part      = CRLF *(header CRLF) CRLF content
 *
 * @see https://www.rfc-editor.org/rfc/rfc2046#section-5.1
 */
class MultipartReader {
  #source
  #delimiter
  // The first delimiter may open the body; this line break makes it one like the others.
  /** @type {Buffer} */
  #bytes = CRLF
  #inPart = true
  #ended = false

  /**
   * @param {{ next(): Promise<Buffer | null> }} source
   * @param {string} boundary
   */
  constructor (source, boundary) {
    this.#source = source
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /**
   * Goes to the next part, past what was not read of this one.
   * @returns {Promise<Map<string, string> | null>} its headers by lower-case name; null after the last
   * @throws bad_request where the body ends too early or is not multipart
   */
  async next () {
    if (this.#ended) return null
    if (this.#inPart) await this.#skip()
    while (this.#bytes.length < 2) await this.#more()
    if (this.#bytes[0] === 0x2d && this.#bytes[1] === 0x2d) {
      this.#ended = true
      return null
    }
    const headers = await this.#headers()
    this.#inPart = true
    return headers
  }

  /** The content of the part that `next` went to, in chunks as they come. */
  async * content () {
    while (this.#inPart) {
      const chunk = await this.#take()
      if (chunk.length > 0) yield chunk
    }
  }

  /**
   * The content in one piece.
   * @param {number} limit bytes
   * @throws too_large over the limit
   */
  async whole (limit) {
    const chunks = []
    let length = 0
    for await (const chunk of this.content()) {
      length += chunk.length
      if (length > limit) throw createError('TOO_LARGE')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks, length)
  }

  async #skip () {
    while (this.#inPart) await this.#take()
  }

  /** Returns bytes that are certainly content; at the delimiter it leaves the part. */
  async #take () {
    const at = this.#bytes.indexOf(this.#delimiter)
    if (at >= 0) {
      const chunk = this.#bytes.subarray(0, at)
      this.#bytes = this.#bytes.subarray(at + this.#delimiter.length)
      this.#inPart = false
      return chunk
    }
    // The end of these bytes may be the beginning of a delimiter.
    const safe = Math.max(0, this.#bytes.length - this.#delimiter.length + 1)
    const chunk = this.#bytes.subarray(0, safe)
    this.#bytes = this.#bytes.subarray(safe)
    await this.#more()
    return chunk
  }

  async #more () {
    const chunk = await this.#source.next()
    if (chunk === null) throw badRequest('The multipart body ends before its last boundary')
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
  }

  async #headers () {
    let end
    // Blanks may follow the boundary on its line; a part may have no headers at all.
    while ((end = this.#bytes.indexOf(BLANK_LINE)) < 0) {
      if (this.#bytes.length > HEADER_LIMIT) throw badRequest('The headers of a multipart part are too long')
      await this.#more()
    }
    const [rest, ...lines] = this.#bytes.subarray(0, end).toString('utf8').split('\r\n')
    if (rest.trim() !== '') throw badRequest('Malformed multipart boundary')
    this.#bytes = this.#bytes.subarray(end + BLANK_LINE.length)
    return parseHeaders(lines)
  }
}

/** @param {string[]} lines @returns {Map<string, string>} by lower-case name */
function parseHeaders (lines) {
  const headers = new Map()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 0) throw badRequest('Malformed header in a multipart part')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

/**
 * Returns the boundary that a Content-Type names.
 *
 * @param {string | undefined} contentType
 * @returns {string | null}
 */
function boundaryOf (contentType) {
  const match = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType ?? '')
  return match && (match[1] ?? match[2])
}

/**
 * Returns the file name in a Content-Disposition; CouchDB writes it as it is, quotes and all.
 *
 * @param {string | undefined} disposition
 */
function fileNameOf (disposition) {
  const match = /;\s*filename\s*=\s*(?:"(.*)"|([^\s;]+))\s*$/i.exec(disposition ?? '')
  return match === null ? undefined : match[1] ?? match[2]
}

module.exports = { MultipartReader, boundaryOf, fileNameOf }
