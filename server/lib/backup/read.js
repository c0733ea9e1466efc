'use strict'

const zlib = require('node:zlib')
const { damageOfBytes } = require('../config/ini')
const { escapeControls } = require('../log/safe-text')
const { KIND, LONGEST, MAGIC } = require('./format')

const LENGTHS = 8

/**
 * Reads a backup, and checks all of it.
 *
 * @param {AsyncIterable<Buffer>} source
 * @returns {AsyncGenerator<{ header?: any, config?: string, entries?: Array<[Buffer, Buffer]>, bytes: number }, void>}
 *   `bytes` that were read so far
 * @throws BACKUP_DAMAGED where it is no backup, ends too early, fails a checksum, or says what no backup says
 */
async function * readBackup (source) {
  const bytes = new Bytes(source)
  const magic = await bytes.take(MAGIC.length)
  if (magic === null || !magic.equals(MAGIC)) throw damaged('this is no backup of Potoroo, or one of another version')
  const contents = new Contents()
  for (;;) {
    const payload = await nextPayload(bytes)
    const read = contents.read(payload[0], payload.subarray(1))
    if (read === null) break
    yield { ...read, bytes: bytes.taken }
  }
  if (await bytes.take(1) !== null) throw damaged('the backup goes on after its end')
}

/** @param {Bytes} bytes */
async function nextPayload (bytes) {
  const head = await bytes.take(8)
  if (head === null) throw damaged('the backup is cut short')
  const length = head.readUInt32LE(0)
  if (length === 0 || length > LONGEST) throw damaged(`a part of the backup claims to have ${length} bytes`)
  const payload = await bytes.take(length)
  if (payload === null) throw damaged('the backup is cut short')
  if (zlib.crc32(payload) !== head.readUInt32LE(4)) throw damaged('the backup fails a checksum')
  return payload
}

/** Reads the frames, one after the other: checksums find accidents only. */
class Contents {
  #started = false
  #configured = false
  #count = 0
  /** @type {Buffer | null} the greatest key so far */
  #key = null

  /**
   * @param {number} kind
   * @param {Buffer} rest
   * @returns {{ header?: any, config?: string, entries?: Array<[Buffer, Buffer]> } | null} null at the end
   */
  read (kind, rest) {
    if ((kind === KIND.header) === this.#started) throw damaged('the backup has its header not at its beginning')
    if (kind === KIND.header) return { header: this.#header(rest) }
    if (kind === KIND.config) return { config: this.#config(rest) }
    if (kind === KIND.entries) return { entries: this.#entries(rest) }
    if (kind === KIND.failed) throw damaged(`the backup is not whole: ${escapeControls(String(parse(rest).reason))}`)
    if (kind !== KIND.end) throw damaged('the backup has a part that is not known')
    if (parse(rest).entries !== this.#count) throw damaged('the backup lacks entries')
    return null
  }

  /** @param {Buffer} rest */
  #header (rest) {
    this.#started = true
    const header = parse(rest)
    if (typeof header.created !== 'string' || typeof header.version !== 'string') throw damaged('the header of the backup is none')
    return header
  }

  /** @param {Buffer} rest */
  #config (rest) {
    if (this.#configured || this.#count > 0) throw damaged('the backup has its configuration twice, or too late')
    this.#configured = true
    // A server without an ini file has an empty one in its backup.
    const damage = rest.length === 0 ? null : damageOfBytes(rest)
    if (damage !== null) throw damaged(`the configuration of the backup is damaged: ${damage}`)
    return rest.toString()
  }

  /** @param {Buffer} bytes */
  #entries (bytes) {
    /** @type {Array<[Buffer, Buffer]>} */
    const entries = []
    for (let at = 0; at < bytes.length;) {
      if (bytes.length - at < LENGTHS) throw damaged('an entry of the backup is cut short')
      const keyEnd = at + LENGTHS + bytes.readUInt32LE(at)
      const end = keyEnd + bytes.readUInt32LE(at + 4)
      if (end > bytes.length) throw damaged('an entry of the backup is longer than its part')
      const key = bytes.subarray(at + LENGTHS, keyEnd)
      if (this.#key !== null && Buffer.compare(this.#key, key) >= 0) throw damaged('the entries of the backup are not in order')
      this.#key = key
      entries.push([key, bytes.subarray(keyEnd, end)])
      at = end
    }
    this.#count += entries.length
    return entries
  }
}

/** @param {Buffer} bytes @returns {Record<string, any>} */
function parse (bytes) {
  try {
    return Object(JSON.parse(bytes.toString()))
  } catch {
    throw damaged('a part of the backup is not JSON')
  }
}

/** A stream of chunks, from which a number of bytes is taken at a time. */
class Bytes {
  #chunks
  /** @type {Buffer[]} */
  #held = []
  #length = 0
  taken = 0

  /** @param {AsyncIterable<Buffer>} source */
  constructor (source) { this.#chunks = source[Symbol.asyncIterator]() }

  /** @param {number} count @returns {Promise<Buffer | null>} null if there are not that many */
  async take (count) {
    while (this.#length < count) {
      const { done, value } = await this.#chunks.next()
      if (done) return null
      this.#held.push(value)
      this.#length += value.length
    }
    const all = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held)
    this.#held = [all.subarray(count)]
    this.#length -= count
    this.taken += count
    return all.subarray(0, count)
  }
}

/** An error that says how a backup is damaged. @param {string} message */
function damaged (message) { return Object.assign(new Error(message), { code: 'BACKUP_DAMAGED' }) }

module.exports = { damaged, readBackup }
