'use strict'

const zlib = require('node:zlib')

/**
 * A backup of a server, for any storage: what is in its level, and its configuration.
 *
 *   magic    "potoroo backup 1\n"
 *   frames   u32 length n of the payload, u32 CRC-32 of it, n bytes; little endian
 *
 * The first byte of a payload is its kind:
 *
 *   0 header   JSON `{ created, version }`: the first, and no other
 *   1 config   potoroo.ini, as it was; at most once, before all entries
 *   2 entries  u32 length of a key, u32 length of a value, key, value; once or more. Keys ascend, by
 *              their bytes, through all of these
 *   3 end      JSON `{ entries }`: without it, the backup is not whole. Nothing follows it
 *   4 failed   JSON `{ reason }`, in place of the end: the rest cannot be read
 */
const MAGIC = Buffer.from('potoroo backup 1\n')

const KIND = Object.freeze({ header: 0, config: 1, entries: 2, end: 3, failed: 4 })

/** Bytes of entries that are gathered in a frame; an entry that is longer has one for itself. */
const FRAME = 256 * 1024

/** Longer is no frame: a storage takes values of up to 1 GiB. */
const LONGEST = 2 ** 30 + 2 ** 20

/**
 * @param {number} kind
 * @param {Buffer[]} parts
 * @returns {Buffer}
 */
function frame (kind, parts) {
  const payload = Buffer.concat([Buffer.of(kind), ...parts])
  const head = Buffer.allocUnsafe(8)
  head.writeUInt32LE(payload.length, 0)
  head.writeUInt32LE(zlib.crc32(payload), 4)
  return Buffer.concat([head, payload])
}

module.exports = { FRAME, KIND, LONGEST, MAGIC, frame }
