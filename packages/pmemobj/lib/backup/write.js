'use strict'

const { randomBytes } = require('node:crypto')
const { Checksum, encodeHeader, newFrame, seal, FRAME_HEADER_SIZE, PIECE, MAP, ENTRIES, LARGE, PIECE_OF_VALUE, END } = require('./format')

/**
 * The backup of a snapshot, as chunks: its header, then a frame each.
 *
 * @param {import('../map/snapshot-walk').SnapshotWalk} walk
 * @returns {Generator<Buffer>}
 */
function * writeBackup (walk) {
  const checksum = new Checksum()
  let bytes = 0
  yield encodeHeader(checksum, { created: Date.now(), id: randomBytes(16) })
  for (const { name, groups } of walk.maps()) {
    yield seal(checksum, mapFrame(name))
    for (const group of groups) {
      bytes += group.bytes.length
      if (!group.large) yield seal(checksum, entriesFrame(group))
      else for (const frame of largeFrames(group)) yield seal(checksum, frame)
    }
  }
  const { maps, entries } = walk.progress
  yield seal(checksum, endFrame({ maps, entries, bytes }))
}

/** @param {string} name */
function mapFrame (name) {
  const frame = newFrame(MAP, Buffer.byteLength(name))
  frame.write(name, FRAME_HEADER_SIZE)
  return frame
}

/** @param {import('../map/snapshot-walk').Group} group */
function entriesFrame ({ lengths, bytes }) {
  const frame = newFrame(ENTRIES, 4 + lengths.byteLength + bytes.length)
  frame.writeUInt32LE(lengths.length / 2, FRAME_HEADER_SIZE)
  frame.set(new Uint8Array(lengths.buffer, lengths.byteOffset, lengths.byteLength), FRAME_HEADER_SIZE + 4)
  frame.set(bytes, FRAME_HEADER_SIZE + 4 + lengths.byteLength)
  return frame
}

/**
 * One entry: its key and the length of its value, then the value in pieces.
 *
 * @param {import('../map/snapshot-walk').Group} group
 */
function * largeFrames ({ lengths, bytes }) {
  const [keySize, valueSize] = lengths
  const frame = newFrame(LARGE, 4 + keySize)
  frame.writeUInt32LE(valueSize, FRAME_HEADER_SIZE)
  frame.set(bytes.subarray(0, keySize), FRAME_HEADER_SIZE + 4)
  yield frame
  for (let at = keySize; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE)
    const frame = newFrame(PIECE_OF_VALUE, piece.length)
    frame.set(piece, FRAME_HEADER_SIZE)
    yield frame
  }
}

/** @param {{ maps: number, entries: number, bytes: number }} totals */
function endFrame ({ maps, entries, bytes }) {
  const frame = newFrame(END, 24)
  for (const [i, total] of [maps, entries, bytes].entries()) frame.writeBigUInt64LE(BigInt(total), FRAME_HEADER_SIZE + 8 * i)
  return frame
}

module.exports = { writeBackup }
