'use strict'

const { ByteCursor } = require('./byte-cursor')
const { MidiError } = require('./midi-error')

// SMPTE's names of frame rates: 29 means 30000/1001.
const FRAMES = new Map([[24, 24], [25, 25], [29, 30_000 / 1001], [30, 30]])

/**
 * What time is counted in: ticks of a quarter note, whose length the tempo says, or of a second.
 *
 * @typedef {{ ticksPerQuarter: number } | { ticksPerSecond: number }} Division
 */

/**
 * @typedef {object} Header
 * @property {number} format 0: one track; 1: tracks that sound together; 2: tracks one by one
 * @property {number} trackCount
 * @property {Division} division
 */

/**
 * @param {Uint8Array} bytes
 * @param {import('./chunk').Chunk} chunk
 * @returns {Header}
 */
function readHeader (bytes, chunk) {
  const cursor = new ByteCursor(bytes, chunk.start, chunk.end)
  const format = cursor.number(2)
  const trackCount = cursor.number(2)
  if (format > 2) throw new MidiError(`The format must be 0, 1 or 2, not ${format}`, chunk.start)
  if (format === 0 && trackCount !== 1) throw new MidiError(`Format 0 has one track, not ${trackCount}`, chunk.start + 2)
  return { format, trackCount, division: readDivision(cursor) }
}

function readDivision (cursor) {
  const at = cursor.offset
  const division = cursor.number(2)
  if (division === 0) throw new MidiError('A quarter note must have at least one tick', at)
  if (division < 0x8000) return { ticksPerQuarter: division }
  const frames = FRAMES.get(256 - (division >> 8))
  const ticks = division & 0xff
  if (frames === undefined || ticks === 0) throw new MidiError(`The division 0x${division.toString(16)} has no meaning`, at)
  return { ticksPerSecond: frames * ticks }
}

module.exports = { readHeader }
