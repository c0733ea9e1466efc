'use strict'

const { Random } = require('./samples')

const DIVISION = 480
const TRACKS = 4
const LEAST = 20 * 1024
const SPREAD = 20 * 1024

/** Metadata is within this many bytes from the start of a file that `makeMidi` makes. */
const HEAD = 128

/**
 * A MIDI file of format 1, of 20 to 40 KB: a track with the name, the tempo and the time signature,
 * and tracks of notes. Equal numbers give equal bytes.
 *
 * @param {number} number
 * @returns {Uint8Array}
 */
function makeMidi (number) {
  const random = new Random(number + 1)
  const notes = Math.floor((LEAST + random.next() % SPREAD) / (TRACKS - 1) / 8)
  const tracks = Array.from({ length: TRACKS - 1 }, (_, channel) => track(makeNotes(random, channel, notes)))
  return Buffer.concat([header(), track(conductor(number)), ...tracks])
}

/** @returns {{ division: number, tempo: number, name: string }} what `readMetadata` must find */
function metadataOf (number) {
  return { division: DIVISION, tempo: 400_000 + number % 1000 * 100, name: `Song number ${number}` }
}

function header () {
  const bytes = Buffer.alloc(14)
  bytes.write('MThd', 'latin1')
  bytes.writeUInt32BE(6, 4)
  bytes.writeUInt16BE(1, 8)
  bytes.writeUInt16BE(TRACKS, 10)
  bytes.writeUInt16BE(DIVISION, 12)
  return bytes
}

function track (events) {
  const head = Buffer.alloc(8)
  head.write('MTrk', 'latin1')
  head.writeUInt32BE(events.length + 4, 4)
  return Buffer.concat([head, events, meta(0x2f, [])])
}

/** An event of no delay: its kind, a length below 128, bytes. */
function meta (kind, bytes) {
  return Buffer.from([0, 0xff, kind, bytes.length, ...bytes])
}

function conductor (number) {
  const { name, tempo } = metadataOf(number)
  return Buffer.concat([
    meta(0x03, Buffer.from(name, 'latin1')),
    meta(0x58, [4, 2, 24, 8]),
    meta(0x51, [tempo >>> 16, tempo >>> 8 & 255, tempo & 255])
  ])
}

/** Notes on and off: each is 8 bytes with its delays, which are below 128. */
function makeNotes (random, channel, count) {
  const bytes = Buffer.alloc(count * 8)
  for (let at = 0; at < bytes.length; at += 8) {
    const word = random.next()
    const pitch = 36 + word % 48
    bytes.set([word >>> 8 & 63, 0x90 | channel, pitch, 64 | word >>> 16 & 63], at)
    bytes.set([32 | word >>> 24 & 31, 0x80 | channel, pitch, 0], at + 4)
  }
  return bytes
}

/**
 * @param {Uint8Array} bytes of a file, from its start; as many as HEAD will do
 * @returns {{ division: number, tempo: number, name: string }} tempo: µs a quarter note
 */
function readMetadata (bytes) {
  const found = { division: bytes[12] << 8 | bytes[13], tempo: 0, name: '' }
  if (bytes[0] !== 0x4d || bytes[3] !== 0x64) throw new Error('Not a MIDI file')
  for (let at = 22; bytes[at + 1] === 0xff && bytes[at + 2] !== 0x2f; at += 4 + bytes[at + 3]) {
    const kind = bytes[at + 2]
    if (kind === 0x51) found.tempo = bytes[at + 4] << 16 | bytes[at + 5] << 8 | bytes[at + 6]
    if (kind === 0x03) found.name = String.fromCharCode.apply(null, bytes.subarray(at + 4, at + 4 + bytes[at + 3]))
  }
  return found
}

module.exports = { makeMidi, metadataOf, readMetadata, HEAD }
