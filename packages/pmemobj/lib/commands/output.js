'use strict'

const { pipeline } = require('node:stream/promises')

/**
 * Writes a stream of a pool to a file, which is there when it is whole, or to standard output.
 *
 * @param {import('node:stream').Readable} stream
 * @param {string} file `-` for standard output
 */
async function write (stream, file) {
  const { writeToFile } = require('../backup/to-file')
  if (file === '-') await pipeline(stream, process.stdout)
  else await writeToFile(stream, file)
}

module.exports = { write }
