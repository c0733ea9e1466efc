'use strict'

const { encodeEntries, sizeOf } = require('./entries')

/** Bytes of a block, more or less. Chromium keeps values of more than 64 KiB in files of their own. */
const BLOCK = 16 * 1024

/**
 * Cuts entries into blocks of about the same size.
 *
 * @param {import('./entries').Entry[]} entries in the order of keys
 * @returns {Array<{ key: string, bytes: Uint8Array }>}
 */
function blocksOf (entries) {
  const total = entries.reduce((sum, entry) => sum + sizeOf(entry), 0)
  const target = total / Math.max(1, Math.round(total / BLOCK))
  const blocks = []
  let first = 0
  let size = 0
  entries.forEach((entry, i) => {
    size += sizeOf(entry)
    if (size < target && i + 1 < entries.length) return
    blocks.push({ key: entries[first][0], bytes: encodeEntries(entries.slice(first, i + 1)) })
    first = i + 1
    size = 0
  })
  return blocks
}

module.exports = { BLOCK, blocksOf }
