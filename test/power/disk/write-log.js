'use strict'

const fs = require('node:fs')

/**
 * The log that QEMU's blklogwrites keeps of a disk: the form of Linux' dm-log-writes. Little endian,
 * all in sectors of 512 bytes.
 *
 *   superblock   0 magic   8 version   16 number of entries   24 bytes of a sector
 *   entry        0 sector  8 sectors   16 flags               24 bytes of a mark's text; then the sectors' bytes
 */
const SECTOR = 512
const MAGIC = 0x6a736677736872n
const FLUSH = 1n
const FUA = 2n
const DISCARD = 4n

/** @typedef {{ offset: number, bytes: number, at: number, flush: boolean, fua: boolean, discard: boolean }} Entry `at` is where its bytes lie in the log */

/** @returns {Entry[]} */
function readEntries (log) {
  const file = fs.openSync(log, 'r')
  const head = Buffer.alloc(32)
  const next = at => fs.readSync(file, head, 0, 32, at)
  try {
    next(0)
    if (head.readBigUInt64LE() !== MAGIC) throw new Error(`${log} is not a log of writes`)
    const entries = []
    for (let at = SECTOR, left = Number(head.readBigUInt64LE(16)); left > 0; left--) {
      next(at)
      const entry = toEntry(head, at + SECTOR)
      entries.push(entry)
      at += SECTOR + (entry.discard ? 0 : entry.bytes)
    }
    return entries
  } finally {
    fs.closeSync(file)
  }
}

function toEntry (head, at) {
  const flags = head.readBigUInt64LE(16)
  return {
    offset: Number(head.readBigUInt64LE()) * SECTOR,
    bytes: Number(head.readBigUInt64LE(8)) * SECTOR,
    at,
    flush: (flags & FLUSH) !== 0n,
    fua: (flags & FUA) !== 0n,
    discard: (flags & DISCARD) !== 0n
  }
}

module.exports = { SECTOR, readEntries }
