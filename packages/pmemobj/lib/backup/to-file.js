'use strict'

const { randomBytes } = require('node:crypto')
const { createWriteStream } = require('node:fs')
const { rename, unlink } = require('node:fs/promises')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { syncFolder } = require('../new-pool')
const { fromSystem } = require('../system-error')

const BUFFERED = 1024 * 1024

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
    await pipeline(stream, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: BUFFERED }))
    await rename(draft, file)
    syncFolder(path.dirname(path.resolve(file)))
  } catch (error) {
    stream.destroy()
    await unlink(draft).catch(() => {})
    throw error.syscall === undefined ? error : fromSystem(error)
  }
}

module.exports = { writeToFile }
