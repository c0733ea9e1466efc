'use strict'

const { createError } = require('@potoroo/errors')

/** The answer to a request of the server's own: its status and headers, and its body as it comes, at the pace of who reads it. */
class InnerAnswer {
  status = 0
  /** With names in lower case. @type {Record<string, string>} */
  headers = {}
  /** @type {Buffer[]} */
  #chunks = []
  #isWhole = false
  #isBroken = false
  #isHeard = false
  /** @type {(() => void) | null} */
  #wake = null
  #resolve
  #cut
  #taken

  /**
   * @param {(answer: InnerAnswer) => void} resolve is told once the status is known
   * @param {() => void} cut breaks the request off
   * @param {(length: number) => void} taken is told of bytes that were read
   */
  constructor (resolve, cut, taken) {
    this.#resolve = resolve
    this.#cut = cut
    this.#taken = taken
  }

  get ok () { return this.status < 300 }

  /** A message of a PassedResponse. @param {string} kind @param {any[]} rest */
  receive (kind, [first, second]) {
    if (kind === 'head' || kind === 'whole') this.#head(first)
    if (kind === 'data') this.#chunks.push(toBuffer(first))
    if (kind === 'whole' && second !== undefined) this.#chunks.push(toBuffer(second))
    if (kind === 'whole' || kind === 'end') this.#isWhole = true
    if (kind === 'destroy') this.#break()
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }

  /** @param {string} text */
  #head (text) {
    const { status, headers } = JSON.parse(text)
    this.status = status
    for (let i = 0; i < headers.length; i += 2) this.headers[headers[i].toLowerCase()] = String(headers[i + 1])
    this.#isHeard = true
    this.#resolve(this)
  }

  /** Breaks it off: if nothing was said before, it cannot be reached. */
  #break () {
    this.#isBroken = !this.#isWhole
    if (this.#isHeard) return
    this.status = 503
    this.#isHeard = true
    this.#resolve(this)
  }

  /** The next bytes; null at the end. @returns {Promise<Buffer | null>} @throws where it breaks off */
  async read () {
    while (this.#chunks.length === 0) {
      if (this.#isWhole) return null
      if (this.#isBroken) throw createError('UNAVAILABLE', { reason: 'The answer to a request of the server itself broke off' })
      await /** @type {Promise<void>} */ (new Promise(resolve => { this.#wake = resolve }))
    }
    const chunk = /** @type {Buffer} */ (this.#chunks.shift())
    if (!this.#isWhole) this.#taken(chunk.length)
    return chunk
  }

  /** Reads no further. */
  close () {
    if (!this.#isWhole && !this.#isBroken) this.#cut()
    this.#chunks = []
    this.#isBroken = !this.#isWhole
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }

  /** @returns {Promise<Buffer>} all of the body */
  async bytes () {
    const chunks = []
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) chunks.push(chunk)
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  }

  async json () { return JSON.parse((await this.bytes()).toString()) }
}

/** @param {any} chunk */
function toBuffer (chunk) {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

module.exports = { InnerAnswer }
