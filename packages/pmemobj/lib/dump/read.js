'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { GrowingBytes } = require('../base/growing-bytes')
const { UNDO } = require('../map/map-name')
const { decoders, decodeName } = require('./text')

const NEWLINE = 10
const SPACE = 32
// Bytes of a line that are read at once; a line of a header has no more.
const LINE = 64 * 1024
const LAST = Buffer.from('DATA=END\n')
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a whole dump into a pool. */
class DumpReader {
  #reader
  #filler
  #map
  #names = new Set()
  #line = 0
  #totals = { maps: 0, entries: 0, bytes: 0 }

  /**
   * @param {import('../base/byte-reader').ByteReader} reader
   * @param {import('../base/filler').Filler} filler
   * @param {string} map for a part that names none
   */
  constructor (reader, filler, map) {
    this.#reader = reader
    this.#filler = filler
    this.#map = map
  }

  /**
   * @returns {Promise<import('../..').LoadSummary>}
   * @throws PMEMOBJ_BAD_DUMP
   */
  async run () {
    for (let header; (header = await this.#readHeader()) !== undefined;) {
      const { name, decode } = this.#check(header)
      this.#totals.maps++
      this.#filler.map(name)
      await this.#readEntries(decode)
    }
    if (this.#totals.maps === 0) throw this.#bad('it is empty')
    return this.#totals
  }

  /** @returns {Promise<Map<string, Buffer> | undefined>} undefined at the end of the stream */
  async #readHeader () {
    const header = new Map()
    for (;;) {
      const line = await this.#readLine()
      if (line.length === 0 && header.size === 0) return undefined
      if (line.at(-1) !== NEWLINE) throw this.#bad('a header does not end')
      const equals = line.indexOf('=')
      if (equals <= 0) throw this.#bad('a line of a header must be NAME=VALUE')
      const name = line.toString('latin1', 0, equals)
      const value = line.subarray(equals + 1, -1)
      if (name === 'HEADER' && value.equals(Buffer.from('END'))) return header
      if (header.has(name)) throw this.#bad(`${name} is there twice`)
      header.set(name, value)
    }
  }

  /** The line with its newline; less where it is longer than LINE, or the stream ends in it. */
  async #readLine () {
    this.#line++
    return this.#reader.takeUntil(NEWLINE) ?? await this.#reader.line(NEWLINE, LINE)
  }

  /** @param {Map<string, Buffer>} header */
  #check (header) {
    const text = (/** @type {string} */ name) => header.get(name)?.toString('latin1')
    if (text('VERSION') !== '3') throw this.#bad('VERSION must be 3')
    const type = text('type') ?? 'btree'
    if (type !== 'btree' && type !== 'hash') throw this.#bad(`entries of type ${type} are not keys with values`)
    for (const name of ['duplicates', 'dupsort']) {
      if (header.has(name) && text(name) !== '0') throw this.#bad('keys that have several values cannot be kept')
    }
    const format = text('format') ?? 'bytevalue'
    if (!Object.hasOwn(decoders, format)) throw this.#bad(`there is no format ${format}`)
    return { name: this.#nameOf(header.get('database')), decode: decoders[format] }
  }

  /** @param {Buffer | undefined} line */
  #nameOf (line) {
    const name = line === undefined ? this.#map : this.#decodeName(line)
    const size = Buffer.byteLength(name)
    if (size === 0 || size > 255) throw this.#bad(`the name of a map has ${size} bytes`)
    if (name === UNDO) throw this.#bad('a map of the pool itself, which means nothing in another one')
    if (this.#names.has(name)) throw this.#bad(`the map ${name} is there twice`)
    this.#names.add(name)
    return name
  }

  /** @param {Buffer} line */
  #decodeName (line) {
    const bytes = decodeName(line)
    if (bytes === undefined) throw this.#bad('a backslash in the name of a map must have another one, or two hexadecimal digits behind it')
    try {
      return utf8.decode(bytes)
    } catch {
      throw this.#bad('the name of a map is not UTF-8')
    }
  }

  /** @param {import('./text').Decode} decode */
  async #readEntries (decode) {
    for (;;) {
      const first = await this.#readLine()
      if (first.equals(LAST)) return
      const key = this.#whole(first, decode) ?? await this.#readLong(first, decode, binding.maxKeySize)
      if (key.length > binding.maxKeySize) throw this.#bad(`a key has ${key.length} bytes`)
      const second = await this.#readLine()
      if (second.equals(LAST)) throw this.#bad('a key has no value')
      const value = this.#whole(second, decode) ?? await this.#readLong(second, decode, binding.maxValueSize)
      this.#totals.entries++
      this.#totals.bytes += key.length + value.length
      if (this.#filler.put(key, value)) await this.#filler.pause()
    }
  }

  /**
   * The bytes of a line; undefined where its end is not there.
   *
   * @param {Buffer} line
   * @param {import('./text').Decode} decode
   */
  #whole (line, decode) {
    if (line.length === 0) throw this.#bad('it ends before DATA=END')
    if (line[0] !== SPACE) throw this.#bad('a line of data must begin with a space')
    if (line[line.length - 1] !== NEWLINE) return undefined
    const { bytes, rest } = decode(line.subarray(1, line.length - 1)) ?? this.#badText()
    return rest.length === 0 ? bytes : this.#badText()
  }

  /**
   * @param {Buffer} start of the line
   * @param {import('./text').Decode} decode
   * @param {number} most bytes
   */
  async #readLong (start, decode, most) {
    const value = new GrowingBytes()
    let part = start.subarray(1)
    for (;;) {
      const last = part.at(-1) === NEWLINE
      const { bytes, rest } = decode(last ? part.subarray(0, -1) : part) ?? this.#badText()
      value.add(bytes)
      if (value.size > most) throw this.#bad(`a line has more than ${most} bytes`)
      if (last) return rest.length === 0 ? value.take() : this.#badText()
      const more = await this.#reader.line(NEWLINE, LINE)
      if (more.length === 0) throw this.#bad('it ends within a line')
      part = rest.length === 0 ? more : Buffer.concat([rest, more])
    }
  }

  /** @returns {never} */
  #badText () {
    throw this.#bad('these are not bytes in the format that the header says')
  }

  /** @param {string} why */
  #bad (why) {
    return createError('PMEMOBJ_BAD_DUMP', `The dump cannot be loaded, line ${this.#line}: ${why}`)
  }
}

module.exports = { DumpReader }
