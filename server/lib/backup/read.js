'use strict'

const zlib = require('node:zlib')
const { KIND, LONGEST, MAGIC } = require('./format')

/**
 * Reads a backup, and checks all of it.
 *
 * @param {AsyncIterable<Buffer>} source
 * @returns {AsyncGenerator<{ header?: any, config?: string, entries?: Array<[Buffer, Buffer]>, bytes: number }, void>}
 *   `bytes` that were read so far
 * @throws BACKUP_DAMAGED where it is no backup, ends too early, or fails a checksum
 */
async function * readBackup (source) {
  const bytes = new Bytes(source)
  const magic = await bytes.take(MAGIC.length)
  if (magic === null || !magic.equals(MAGIC)) throw damaged('this is no backup of Potoroo, or one of another version')
  let count = 0
  for (;;) {
    const payload = await nextPayload(bytes)
    const rest = payload.subarray(1)
    if (payload[0] === KIND.end) {
      if (JSON.parse(rest.toString()).entries !== count) throw damaged('the backup lacks entries')
      if (await bytes.take(1) !== null) throw damaged('the backup goes on after its end')
      return
    }
    const read = contentOf(payload[0], rest)
    count += read.entries?.length ?? 0
    yield { ...read, bytes: bytes.taken }
  }
}

async function nextPayload (bytes) {
  const head = await bytes.take(8)
  const length = head?.readUInt32LE(0) ?? 0
  const payload = length > 0 && length <= LONGEST ? await bytes.take(length) : null
  if (head === null || payload === null) throw damaged('the backup is cut short')
  if (zlib.crc32(payload) !== head.readUInt32LE(4)) throw damaged('the backup fails a checksum')
  return payload
}

function contentOf (kind, rest) {
  if (kind === KIND.header) return { header: JSON.parse(rest.toString()) }
  if (kind === KIND.config) return { config: rest.toString() }
  if (kind === KIND.entries) return { entries: entriesOf(rest) }
  throw damaged('the backup has a part that is not known')
}

function entriesOf (bytes) {
  /** @type {Array<[Buffer, Buffer]>} */
  const entries = []
  let at = 0
  while (at < bytes.length) {
    const keyEnd = at + 8 + bytes.readUInt32LE(at)
    const end = keyEnd + bytes.readUInt32LE(at + 4)
    entries.push([bytes.subarray(at + 8, keyEnd), bytes.subarray(keyEnd, end)])
    at = end
  }
  return entries
}

/** A stream of chunks, from which so many bytes are taken at a time. */
class Bytes {
  #chunks
  /** @type {Buffer[]} */
  #held = []
  #length = 0
  taken = 0

  constructor (source) { this.#chunks = source[Symbol.asyncIterator]() }

  /** @returns {Promise<Buffer | null>} null where there are not so many */
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

function damaged (message) { return Object.assign(new Error(message), { code: 'BACKUP_DAMAGED' }) }

module.exports = { readBackup }
