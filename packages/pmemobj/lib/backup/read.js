'use strict'

const binding = require('../binding/binding')
const { UNDO } = require('../map/map-name')
const { Checksum, damaged, decodeHeader, HEADER_SIZE, FRAME_HEADER_SIZE, MAX_PAYLOAD, MAP, ENTRIES, LARGE, PIECE_OF_VALUE, END } = require('./format')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @typedef {{ key: Buffer, value: Buffer, at: number }} LargeValue a value that comes in pieces, and how much of it is there */

/**
 * Reads a whole backup into a pool. Nothing is put into it that has failed its checksum; but what
 * was put is good for something only when this returns.
 */
class BackupReader {
  #reader
  #filler
  #checksum = new Checksum()
  #totals = { maps: 0, entries: 0, bytes: 0 }
  /** @type {Buffer | undefined} name of the map that is being read */
  #map
  /** @type {Uint8Array | undefined} the greatest key in it so far */
  #key
  /** @type {LargeValue | undefined} the one that is being read */
  #large

  /**
   * @param {import('../base/byte-reader').ByteReader} reader
   * @param {import('../base/filler').Filler} filler
   */
  constructor (reader, filler) {
    this.#reader = reader
    this.#filler = filler
  }

  /**
   * @returns {Promise<import('../..').BackupSummary>}
   * @throws PMEMOBJ_NOT_A_BACKUP, PMEMOBJ_BACKUP_VERSION, PMEMOBJ_BACKUP_DAMAGED
   */
  async run () {
    const about = await this.readHeader()
    /** @type {Record<number, (this: BackupReader, payload: Buffer) => void>} */
    const handlers = { [MAP]: this.#readMap, [ENTRIES]: this.#readEntries, [LARGE]: this.#readLarge, [PIECE_OF_VALUE]: this.#readPiece }
    for (;;) {
      const { type, payload } = await this.#readFrame()
      if ((type === PIECE_OF_VALUE) !== (this.#large !== undefined)) throw damaged('the pieces of a value are not where they belong')
      if (type === END) {
        await this.#readEnd(payload)
        return { ...about, ...this.#totals }
      }
      if (handlers[type] === undefined) throw damaged(`there is no frame of type ${type}`)
      handlers[type].call(this, payload)
      await this.#filler.pause()
    }
  }

  async readHeader () {
    const header = await this.#reader.read(HEADER_SIZE)
    if (header.length === HEADER_SIZE) return decodeHeader(this.#checksum, header)
    // Whatever is short is no backup, unless it begins as one.
    decodeHeader(this.#checksum, Buffer.concat([header], HEADER_SIZE))
    throw damaged('it ends within its header')
  }

  async #readFrame () {
    const header = await this.#read(FRAME_HEADER_SIZE)
    const type = header.readUInt32LE(0)
    const length = header.readUInt32LE(4)
    const checksum = header.readUInt32LE(8)
    if (length > MAX_PAYLOAD) throw damaged(`a frame claims to have ${length} bytes`)
    this.#checksum.add(header.subarray(0, 8))
    const payload = await this.#read(length)
    if (this.#checksum.add(payload) !== checksum) throw damaged(`the frame that ends at byte ${this.#reader.count} fails its checksum`)
    return { type, payload }
  }

  /** @param {number} size */
  async #read (size) {
    const bytes = await this.#reader.read(size)
    if (bytes.length < size) throw damaged(`it ends too early, after ${this.#reader.count} bytes`)
    return bytes
  }

  /** @param {Buffer} name */
  #readMap (name) {
    if (name.length === 0 || name.length > 255) throw damaged(`the name of a map has ${name.length} bytes`)
    if (this.#map !== undefined && Buffer.compare(this.#map, name) >= 0) throw damaged('its maps are not in order')
    const text = decodeName(name)
    if (text === UNDO) throw damaged('it has a map that means nothing in another pool')
    this.#map = name
    this.#key = undefined
    this.#totals.maps++
    this.#filler.map(text)
  }

  /** @param {Buffer} payload */
  #readEntries (payload) {
    const count = payload.length >= 4 ? payload.readUInt32LE(0) : 0
    const start = 4 + 8 * count
    if (count === 0 || start > payload.length) throw damaged('a frame has fewer entries than it claims')
    let at = start
    for (let i = 0; i < count; i++) {
      const keySize = payload.readUInt32LE(4 + 8 * i)
      const valueSize = payload.readUInt32LE(8 + 8 * i)
      if (at + keySize + valueSize > payload.length) throw damaged('an entry is longer than its frame')
      const from = payload.byteOffset + at
      this.#put(new Uint8Array(payload.buffer, from, keySize), new Uint8Array(payload.buffer, from + keySize, valueSize))
      at += keySize + valueSize
    }
    if (at !== payload.length) throw damaged('a frame is longer than its entries')
  }

  /** @param {Buffer} payload */
  #readLarge (payload) {
    const size = payload.length >= 4 ? payload.readUInt32LE(0) : 0
    if (size === 0 || size > binding.maxValueSize) throw damaged(`a value in pieces claims to have ${size} bytes`)
    // Memory that nothing is written to is not taken: a lie about the size costs nothing.
    this.#large = { key: payload.subarray(4), value: Buffer.allocUnsafeSlow(size), at: 0 }
  }

  /** @param {Buffer} piece */
  #readPiece (piece) {
    const large = /** @type {LargeValue} */ (this.#large)
    const { key, value, at } = large
    if (piece.length === 0 || at + piece.length > value.length) throw damaged('the pieces of a value are longer than it is')
    value.set(piece, at)
    large.at += piece.length
    if (large.at < value.length) return
    this.#large = undefined
    this.#put(key, value)
  }

  /** @param {Uint8Array} key @param {Uint8Array} value */
  #put (key, value) {
    if (this.#map === undefined) throw damaged('an entry comes before the first map')
    if (key.length > binding.maxKeySize) throw damaged(`a key has ${key.length} bytes`)
    if (this.#key !== undefined && Buffer.compare(this.#key, key) >= 0) throw damaged('the keys of a map are not in order')
    this.#key = key
    this.#totals.entries++
    this.#totals.bytes += key.length + value.length
    this.#filler.put(key, value)
  }

  /** @param {Buffer} payload */
  async #readEnd (payload) {
    const { maps, entries, bytes } = this.#totals
    const found = [maps, entries, bytes].map(BigInt)
    if (payload.length !== 24 || found.some((total, i) => payload.readBigUInt64LE(8 * i) !== total)) throw damaged('it does not hold what its end says')
    if ((await this.#reader.read(1)).length !== 0) throw damaged('something follows its end')
  }
}

/** @param {Buffer} name */
function decodeName (name) {
  try {
    return utf8.decode(name)
  } catch {
    throw damaged('the name of a map is not UTF-8')
  }
}

module.exports = { BackupReader }
