'use strict'

const fsp = require('node:fs/promises')
const path = require('node:path')
const { freeSpace } = require('./free-space')

/** Bytes that LevelDB needs beside its logs: a new log, a MANIFEST, and some to go on with. */
const MARGIN = 4 * 1024 * 1024

const PIECE = Buffer.alloc(1024 * 1024)

/** LevelDB removes such a file by itself, if a crash leaves it. */
const TRIAL = '000000.dbtmp'

/**
 * Finds out whether LevelDB's folder could be opened, and written to for a while: opening it makes a
 * table of each log.
 *
 * @param {string} folder
 * @throws `LEVEL_NO_SPACE` where the disk, or what a quota leaves of it, is full; `LEVEL_IO_ERROR` where
 *   nothing can be written for another reason
 */
async function requireRoom (folder) {
  try {
    const need = MARGIN + await sizeOfLogs(folder)
    if (await freeSpace(folder) < need) throw Object.assign(new Error(`${folder} has less than ${need} bytes left`), { code: 'ENOSPC' })
    // A quota shows there only.
    await tryToWrite(path.join(folder, TRIAL), need)
  } catch (cause) {
    throw failure(cause)
  }
}

/** @param {string} folder */
async function sizeOfLogs (folder) {
  const logs = (await fsp.readdir(folder)).filter(name => /^\d+\.log$/.test(name))
  const sizes = await Promise.all(logs.map(async name => (await fsp.stat(path.join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** @param {string} name @param {number} size */
async function tryToWrite (name, size) {
  const handle = await fsp.open(name, 'w', 0o600)
  try {
    for (let written = 0; written < size;) written += (await handle.write(PIECE, 0, Math.min(PIECE.length, size - written))).bytesWritten
    await handle.sync()
  } finally {
    await handle.close().catch(() => {})
    await fsp.rm(name, { force: true })
  }
}

/** @param {NodeJS.ErrnoException} cause */
function failure (cause) {
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(cause.code))
  return Object.assign(new Error(isFull ? 'The disk is full' : 'The disk cannot be written to', { cause }), { code: isFull ? 'LEVEL_NO_SPACE' : 'LEVEL_IO_ERROR' })
}

module.exports = { requireRoom }
