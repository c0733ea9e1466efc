'use strict'

// As much of standard MIDI files as the example needs. There is nothing about persistent memory here.

/** @typedef {{ kind: 'track' | 'name' | 'note' | 'release' | 'tempo', track: number, offset: number, length: number }} Event */

/** Reads numbers, the most significant byte first. */
class Reader {
  at = 0

  /** @param {Uint8Array} bytes */
  constructor (bytes) { this.bytes = bytes }

  /** @returns {number} the offset of the bytes that are skipped */
  skip (size) {
    if (this.at + size > this.bytes.length) throw new Error(`The file ends too early: at byte ${this.at}, ${size} more are wanted`)
    this.at += size
    return this.at - size
  }

  number (size) {
    const start = this.skip(size)
    return this.bytes.subarray(start, this.at).reduce((value, byte) => value * 256 + byte, 0)
  }

  /** A number of seven bits a byte: all bytes but the last one are above 127. */
  quantity (before = 0) {
    const byte = this.number(1)
    const value = before * 128 + (byte & 127)
    return byte > 127 ? this.quantity(value) : value
  }
}

/**
 * Finds the events of which the example reads or changes bytes: at `offset` are the letters of a name,
 * the pitch of a note that starts or is released, or the three bytes of a tempo.
 *
 * @param {Uint8Array} bytes a file
 * @returns {Generator<Event>}
 * @throws {Error} if it is not a MIDI file
 */
function * eventsOf (bytes) {
  const reader = new Reader(bytes)
  if (reader.number(4) !== 0x4d546864) throw new Error('This is not a MIDI file: it does not begin with MThd')
  reader.skip(reader.number(4))
  for (let track = 1; reader.at < bytes.length;) {
    const isTrack = reader.number(4) === 0x4d54726b
    const length = reader.number(4)
    if (isTrack) yield * eventsOfTrack(reader, track++, reader.at + length)
    else reader.skip(length)
  }
}

/** @param {Reader} reader @param {number} track @param {number} end @returns {Generator<Event>} */
function * eventsOfTrack (reader, track, end) {
  yield { kind: 'track', track, offset: reader.at, length: end - reader.at }
  let running = 0
  while (reader.at < end) {
    reader.quantity() // ticks since the event before
    const status = reader.bytes[reader.at] > 127 ? reader.number(1) : running
    if (status === 0) throw new Error(`Data without a status, at byte ${reader.at}`)
    if (status < 0xf0) running = status
    const type = status === 0xff ? reader.number(1) : 0
    const length = status >= 0xf0 ? reader.quantity() : status >= 0xc0 && status < 0xe0 ? 1 : 2
    const offset = reader.skip(length)
    if (status < 0xa0) yield { kind: status >= 0x90 && reader.bytes[offset + 1] > 0 ? 'note' : 'release', track, offset, length: 1 }
    if (type === 3) yield { kind: 'name', track, offset, length }
    if (type === 0x51 && length === 3) yield { kind: 'tempo', track, offset, length }
  }
}

/** @returns {number} µs of a quarter note, as a file gives a tempo */
function microsecondsOf (bytes, offset) { return bytes[offset] << 16 | bytes[offset + 1] << 8 | bytes[offset + 2] }

function tempoBytes (microseconds) {
  const whole = Math.round(microseconds)
  if (!(whole > 0 && whole < 2 ** 24)) throw new RangeError('A file cannot have such a tempo')
  return [whole >> 16, whole >> 8 & 255, whole & 255]
}

/** @returns {Buffer} a file of two tracks: the tempos, and a melody of that many notes */
function makeFile (notes = 1000) {
  const meta = (type, data) => [0, 0xff, type, data.length, ...data]
  const chunk = (name, data) => [...Buffer.from(name), 0, 0, data.length >> 8, data.length & 255, ...data]
  const melody = Array.from({ length: notes }, (_, index) => {
    const pitch = 60 + [0, 2, 4, 5, 7, 9, 11][index * index % 11 % 7]
    return [0, 0x90, pitch, 100, 96, 0x80, pitch, 64]
  })
  return Buffer.from([
    ...chunk('MThd', [0, 1, 0, 2, 0, 96]),
    ...chunk('MTrk', [...meta(3, Buffer.from('Tempo')), ...meta(0x51, tempoBytes(500_000)), ...meta(0x2f, [])]),
    ...chunk('MTrk', [...meta(3, Buffer.from('Melody')), ...melody.flat(), ...meta(0x2f, [])])
  ])
}

module.exports = { eventsOf, makeFile, microsecondsOf, tempoBytes }
