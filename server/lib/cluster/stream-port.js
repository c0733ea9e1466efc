'use strict'

/** A frame is no longer: parts of bodies and answers are much shorter, whole answers go in one. */
const LONGEST = 1024 * 1024 * 1024

/** The same of a peer that has not proved who it is. */
const SHORT = 4096

/** Form of what follows the head. */
const NOTHING = 0
const BYTES = 1
const TEXT = 2

const HEAD = 9

/**
 * Messages over a stream between two servers, as a port of a thread has them. A message is an array of JSON whose last
 * member may be bytes, or a text that goes as it is. A frame is
 *
 *   length of the head in bytes (4), length of the rest (4), form of the rest (1), head, rest
 */
class StreamPort {
  #stream
  /** @type {Buffer[]} */
  #chunks = []
  #length = 0
  #wanted = HEAD
  /** @type {(messages: any[][]) => void} */
  #receive = () => {}
  #longest

  /**
   * @param {import('node:stream').Duplex} stream
   * @param {{ isKnown: boolean }} peer of one that is not known, frames have to be short until `know`
   */
  constructor (stream, { isKnown }) {
    this.#stream = stream
    this.#longest = isKnown ? LONGEST : SHORT
    stream.on('data', chunk => this.#take(chunk))
  }

  /** The peer has proved who it is. */
  know () { this.#longest = LONGEST }

  /** @param {any[][]} messages */
  postMessage (messages) {
    if (this.#stream.destroyed || this.#stream.writableEnded) return
    this.#stream.write(Buffer.concat(messages.flatMap(encode)))
  }

  /** @param {'message'} event @param {(messages: any[][]) => void} listener */
  on (event, listener) { this.#receive = listener }

  /** @param {Buffer} chunk */
  #take (chunk) {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#wanted) return
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    const messages = []
    let at = 0
    try {
      for (this.#wanted = sizeOf(bytes, at); bytes.length - at >= this.#wanted; this.#wanted = sizeOf(bytes, at)) {
        messages.push(decode(bytes, at))
        at += this.#wanted
      }
    } catch (error) {
      this.#stream.destroy(error)
      return
    }
    this.#chunks = at === bytes.length ? [] : [bytes.subarray(at)]
    this.#length = bytes.length - at
    this.#receive(messages)
    // One of the messages may have been the proof.
    if (this.#wanted > this.#longest) this.#stream.destroy(new Error('A message between servers is too long'))
  }
}

/** The size of the frame that begins there, as far as it is known. @param {Buffer} bytes @param {number} at */
function sizeOf (bytes, at) {
  if (bytes.length - at < HEAD) return HEAD
  return HEAD + bytes.readUInt32BE(at) + bytes.readUInt32BE(at + 4)
}

/** @param {any[]} message @returns {Buffer[]} */
function encode (message) {
  const last = message.at(-1)
  const form = last instanceof Uint8Array ? BYTES : typeof last === 'string' ? TEXT : NOTHING
  const head = Buffer.from(JSON.stringify(form === NOTHING ? message : message.slice(0, -1)))
  const rest = form === BYTES ? Buffer.from(last.buffer, last.byteOffset, last.byteLength) : form === TEXT ? Buffer.from(last) : EMPTY
  const lengths = Buffer.allocUnsafe(HEAD)
  lengths.writeUInt32BE(head.length, 0)
  lengths.writeUInt32BE(rest.length, 4)
  lengths[8] = form
  return [lengths, head, rest]
}

const EMPTY = Buffer.alloc(0)

/** @param {Buffer} bytes @param {number} at @returns {any[]} @throws where it is no message */
function decode (bytes, at) {
  const middle = at + HEAD + bytes.readUInt32BE(at)
  const end = middle + bytes.readUInt32BE(at + 4)
  const message = JSON.parse(bytes.toString('utf8', at + HEAD, middle))
  if (!Array.isArray(message)) throw new Error('A message between servers is not an array')
  if (bytes[at + 8] === BYTES) message.push(bytes.subarray(middle, end))
  else if (bytes[at + 8] === TEXT) message.push(bytes.toString('utf8', middle, end))
  return message
}

module.exports = { StreamPort }
