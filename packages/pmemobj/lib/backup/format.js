'use strict'

// The format of a backup; docs/backup.md describes it byte by byte. Numbers are little endian.
//
//   header, 64 bytes             frame
//    0   8  magic                 0  1  type
//    8   4  version               1  3  0
//   12   4  0                     4  4  length of the payload
//   16   8  created, ms           8  4  checksum
//   24  16  id                   12     payload
//   40  20  0
//   60   4  checksum
//
// A checksum is the CRC-32 of all that comes before it, from the first byte of the backup, without
// the checksums, and of the payload that follows it. So no frame can be changed, or left out.

const zlib = require('node:zlib')
const { createError } = require('../base/codes')

const MAGIC = Buffer.from('PotBckup', 'latin1')
const VERSION = 1
const HEADER_SIZE = 64
const FRAME_HEADER_SIZE = 12
// A reader takes no more: frames of this release are shorter.
const MAX_PAYLOAD = 1024 * 1024
const PIECE = 256 * 1024

const MAP = 1
const ENTRIES = 2
const LARGE = 3
const PIECE_OF_VALUE = 4
const END = 5

/** @param {string} why */
function damaged (why) {
  return createError('PMEMOBJ_BACKUP_DAMAGED', `The backup is damaged: ${why}`)
}

/** The checksum that runs through a backup. */
class Checksum {
  #crc = 0

  /** @param {Uint8Array} bytes */
  add (bytes) {
    // @ts-ignore older types of Node.js do not have it
    this.#crc = zlib.crc32(bytes, this.#crc)
    return this.#crc
  }
}

/**
 * @param {Checksum} checksum
 * @param {{ created: number, id: Uint8Array }} about
 */
function encodeHeader (checksum, { created, id }) {
  const header = Buffer.alloc(HEADER_SIZE)
  MAGIC.copy(header)
  header.writeUInt32LE(VERSION, 8)
  header.writeBigUInt64LE(BigInt(created), 16)
  header.set(id, 24)
  header.writeUInt32LE(checksum.add(header.subarray(0, 60)), 60)
  return header
}

/**
 * @param {Checksum} checksum
 * @param {Buffer} header
 * @returns {{ created: Date, id: string }}
 */
function decodeHeader (checksum, header) {
  if (!header.subarray(0, 8).equals(MAGIC)) throw createError('PMEMOBJ_NOT_A_BACKUP', 'This is not a backup of a pool: it begins with other bytes')
  if (checksum.add(header.subarray(0, 60)) !== header.readUInt32LE(60)) throw damaged('its header fails its checksum')
  const version = header.readUInt32LE(8)
  if (version !== VERSION) throw createError('PMEMOBJ_BACKUP_VERSION', `The backup has version ${version} of the format; this release reads version ${VERSION}`)
  return { created: new Date(Number(header.readBigUInt64LE(16))), id: header.toString('hex', 24, 40) }
}

/**
 * A frame with room for its payload, which begins at FRAME_HEADER_SIZE; to be sealed.
 *
 * @param {number} type
 * @param {number} length of the payload
 */
function newFrame (type, length) {
  const frame = Buffer.allocUnsafeSlow(FRAME_HEADER_SIZE + length)
  frame.writeUInt32LE(type, 0)
  frame.writeUInt32LE(length, 4)
  return frame
}

/**
 * @param {Checksum} checksum
 * @param {Buffer} frame
 */
function seal (checksum, frame) {
  checksum.add(frame.subarray(0, 8))
  frame.writeUInt32LE(checksum.add(frame.subarray(FRAME_HEADER_SIZE)), 8)
  return frame
}

module.exports = {
  Checksum,
  damaged,
  decodeHeader,
  encodeHeader,
  newFrame,
  seal,
  HEADER_SIZE,
  FRAME_HEADER_SIZE,
  MAX_PAYLOAD,
  PIECE,
  MAP,
  ENTRIES,
  LARGE,
  PIECE_OF_VALUE,
  END
}
