'use strict'

const { randomBytes } = require('node:crypto')
const { createWriteStream } = require('node:fs')
const { open, rename, unlink } = require('node:fs/promises')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { createError } = require('../codes')
const { syncFolder } = require('../new-pool')
const { fromSystem } = require('../system-error')

const BUFFERED = 1024 * 1024

/** How a pool, a part of one, and a pool.set begin. */
const POOL = /^PMEM(OBJ|POOLSET)/

/**
 * Writes a stream to a file, durably: until all of it is there, the file is missing, or is as it was.
 * Only its owner may read it, as with the files of a pool.
 *
 * @param {import('node:stream').Readable} stream
 * @param {string} file
 */
async function writeToFile (stream, file) {
  const draft = `${file}.${randomBytes(4).toString('hex')}.draft`
  try {
    if (await isPool(file)) throw createError('PMEMOBJ_EXISTS', `${file} belongs to a pool, and is not replaced`)
    await pipeline(stream, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: BUFFERED }))
    await rename(draft, file)
    syncFolder(path.dirname(path.resolve(file)))
  } catch (error) {
    stream.destroy()
    await unlink(draft).catch(() => {})
    throw error.syscall === undefined ? error : fromSystem(error)
  }
}

async function isPool (file) {
  const handle = await open(file).catch(() => null)
  if (handle === null) return false
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(16) })
    return POOL.test(buffer.toString('latin1', 0, bytesRead))
  } finally {
    await handle.close()
  }
}

module.exports = { writeToFile }
