'use strict'

const { randomBytes } = require('node:crypto')
const { constants, createWriteStream } = require('node:fs')
const { open, rename, unlink } = require('node:fs/promises')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { holdsPool, syncFolder } = require('../pool/pool-folder')
const { fromSystem } = require('../base/system-error')

const BUFFERED = 1024 * 1024

/** Linux: the file has no name, and goes with the process unless it gets one. Not in Node.js's constants. */
const TEMPORARY = 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR

/** How a pool, a part of one, and a pool.set begin. */
const POOL = /^PMEM(OBJ|POOLSET)/

/**
 * Writes a stream to a file, durably: until all of it is there, the file is missing, or is as it was.
 * Only its owner may read it, as with the files of a pool. A process that is killed leaves nothing,
 * where the file system has files without a name.
 *
 * @param {import('node:stream').Readable} stream
 * @param {string} file
 */
async function writeToFile (stream, file) {
  const folder = path.dirname(path.resolve(file))
  const draft = `${file}.${randomBytes(4).toString('hex')}.draft`
  try {
    if (holdsPool(folder)) throw createError('PMEMOBJ_EXISTS', `${folder} holds a pool, and takes nothing else`)
    if (await isPool(file)) throw createError('PMEMOBJ_EXISTS', `${file} belongs to a pool, and is not replaced`)
    await fill(stream, folder, draft)
    await rename(draft, file)
    syncFolder(folder)
  } catch (error) {
    stream.destroy()
    await unlink(draft).catch(() => {})
    throw error.syscall === undefined ? error : fromSystem(error)
  }
}

/**
 * The file has its name, `draft`, once it is whole.
 *
 * @param {import('node:stream').Readable} stream
 * @param {string} folder
 * @param {string} draft
 */
async function fill (stream, folder, draft) {
  const handle = await open(folder, TEMPORARY, 0o600).catch(refuseOther)
  if (handle === null) {
    return pipeline(stream, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: BUFFERED }))
  }
  try {
    // The types of Node.js do not say that it takes a stream.
    await handle.writeFile(/** @type {any} */ (stream))
    await handle.sync()
    binding.link(handle.fd, draft)
  } finally {
    await handle.close()
  }
}

/**
 * File systems that have no such files say so in several ways.
 *
 * @param {NodeJS.ErrnoException} error
 */
function refuseOther (error) {
  if (!['EOPNOTSUPP', 'ENOTSUP', 'EISDIR', 'EINVAL'].includes(String(error.code))) throw error
  return null
}

/** @param {string} file */
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
