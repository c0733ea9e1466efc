'use strict'

const { CHUNK, KIND, TAG } = require('./layout')
const { damaged } = require('./reader')

// Finds what records refer to, without making what they hold: the collector reads all of a pool.

/**
 * Is told the ids of objects and of strings that a record refers to.
 *
 * @typedef {{ reference: (id: number) => void, text: (id: number) => void }} Found
 */

/**
 * Passes over a record, and gives the number of its parts, or the numbers of the first and behind the last one; and over
 * a part, and gives whether it is full.
 *
 * @typedef {object} Scanner
 * @property {(reader: import('./reader').Reader, found: Found) => number | { from: number, to: number }} record
 * @property {(reader: import('./reader').Reader, found: Found) => unknown} [part]
 */

/**
 * Passes over a value.
 *
 * @param {import('./reader').Reader} reader
 * @param {Found} found is told what the value refers to
 */
function scanValue (reader, found) {
  const tag = reader.u8()
  if (tag >= TAG.small || tag <= TAG.true) return
  switch (tag) {
    case TAG.integer: reader.varint(); break
    case TAG.double: reader.take(8); break
    case TAG.latin1: reader.take(reader.varint()); break
    case TAG.utf16: reader.take(2 * reader.varint()); break
    case TAG.bigint: reader.take(Math.floor(reader.varint() / 2)); break
    case TAG.reference: found.reference(reader.id()); break
    case TAG.text: found.text(reader.id()); break
    case TAG.symbol: scanString(reader); break
    default: throw damaged()
  }
}

/**
 * How many values there are up to the end.
 *
 * @param {import('./reader').Reader} reader
 * @param {Found} found
 */
function scanValues (reader, found) {
  let count = 0
  for (; !reader.done; count++) scanValue(reader, found)
  return count
}

/**
 * A string or the name of a property, which have tags as values have.
 *
 * @param {import('./reader').Reader} reader
 */
function scanString (reader) {
  scanValue(reader, NOTHING)
}

const NOTHING = {
  reference () { throw damaged() },
  text () { throw damaged() }
}

/** A number of parts: there is one more wherever the last chunk is full. */
const UNTIL_SHORT = -1

/** @param {number} length */
const chunksOf = length => Math.ceil(length / CHUNK)

// By kind, how to pass over a record, which gives the number of its parts, and over one of the parts.
// The heads of the files in nodes/ say what is in them.

const meta = {
  /** @param {import('./reader').Reader} reader @param {Found} found */
  record (reader, found) {
    for (let i = 0; i < 3; i++) reader.varint()
    scanValue(reader, found)
    return 0
  }
}

const object = {
  /** @param {import('./reader').Reader} reader @param {Found} found */
  record (reader, found) {
    reader.varint()
    return scanValues(reader, found) < CHUNK ? 0 : UNTIL_SHORT
  },
  /** @param {import('./reader').Reader} reader @param {Found} found */
  part: (reader, found) => scanValues(reader, found) === CHUNK
}

const dictionary = {
  /** @param {import('./reader').Reader} reader */
  record (reader) {
    scanString(reader)
    return chunksOf(reader.varint())
  },
  /** @param {import('./reader').Reader} reader @param {Found} found */
  part (reader, found) {
    while (!reader.done) {
      reader.u8()
      scanString(reader)
      scanValue(reader, found)
    }
  }
}

const array = {
  /** @param {import('./reader').Reader} reader @param {Found} found */
  record (reader, found) {
    const length = reader.varint()
    scanValues(reader, found)
    return length > CHUNK ? chunksOf(length) : 0
  },
  part: scanValues
}

const queue = {
  /** @param {import('./reader').Reader} reader */
  record (reader) {
    const start = reader.varint()
    const length = reader.varint()
    if (length === 0) throw damaged()
    return { from: Math.floor(start / CHUNK), to: chunksOf(start + length) }
  },
  part: scanValues
}

/** @param {number} values of an entry, its key being one */
function collection (values) {
  /** @param {import('./reader').Reader} reader @param {Found} found */
  const part = (reader, found) => {
    while (!reader.done) {
      reader.u8()
      for (let i = 0; i < values; i++) scanValue(reader, found)
    }
  }
  return {
    /** @param {import('./reader').Reader} reader @param {Found} found */
    record (reader, found) {
      const length = reader.varint()
      part(reader, found)
      return length > CHUNK ? chunksOf(length) : 0
    },
    part
  }
}

/** Refers to nothing. */
const leaf = {
  /** @param {import('./reader').Reader} reader */
  record (reader) {
    reader.at = reader.end
    return 0
  }
}

const view = {
  /** @param {import('./reader').Reader} reader @param {Found} found */
  record (reader, found) {
    reader.u8()
    scanValue(reader, found)
    reader.varint()
    reader.varint()
    return 0
  }
}

/** @type {Record<number, Scanner>} */
const scanners = {
  [KIND.meta]: meta,
  [KIND.object]: object,
  [KIND.dictionary]: dictionary,
  [KIND.array]: array,
  [KIND.text]: leaf,
  [KIND.date]: leaf,
  [KIND.map]: collection(2),
  [KIND.set]: collection(1),
  [KIND.buffer]: leaf,
  [KIND.view]: view,
  [KIND.regexp]: leaf,
  [KIND.boxed]: leaf,
  [KIND.error]: object,
  [KIND.errorDictionary]: dictionary,
  [KIND.queue]: queue
}

/** Goes through one object: its record, then its parts, one at a time. */
class Scan {
  #found
  /** @type {Scanner | undefined} of the kind of record */
  #scanner
  /** Number of the part to read next; -1 after the last one. */
  part = -1
  #parts = 0

  /** @param {Found} found is told what is referred to */
  constructor (found) {
    this.#found = found
  }

  /** @param {import('./reader').Reader} reader at the start of the record */
  begin (reader) {
    this.#scanner = scanners[reader.u8()]
    if (this.#scanner === undefined) throw damaged()
    const parts = this.#scanner.record(reader, this.#found)
    reader.finish()
    this.#parts = typeof parts === 'number' ? parts : parts.to
    // An object's first chunk is in its record.
    this.part = typeof parts !== 'number' ? parts.from : parts === UNTIL_SHORT ? 1 : parts > 0 ? 0 : -1
  }

  /** @param {import('./reader').Reader | undefined} reader at the start of that part; undefined where there is none */
  next (reader) {
    const isCounted = this.#parts !== UNTIL_SHORT
    if (reader === undefined) {
      if (isCounted) throw damaged()
      this.part = -1
      return
    }
    const isFull = /** @type {Required<Scanner>} */ (this.#scanner).part(reader, this.#found)
    const more = isCounted ? this.part + 1 < this.#parts : isFull
    this.part = more ? this.part + 1 : -1
  }
}

module.exports = { Scan }
