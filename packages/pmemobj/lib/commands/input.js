'use strict'

const fs = require('node:fs')

const CHUNK = 256 * 1024

/**
 * @param {string} file `-` for standard input
 * @returns {{ stream: import('node:stream').Readable, size: number | undefined }} size in bytes, of a file
 */
function read (file) {
  if (file === '-') return { stream: process.stdin, size: undefined }
  const { size } = fs.statSync(file)
  return { stream: fs.createReadStream(file, { highWaterMark: CHUNK }), size: size || undefined }
}

module.exports = { read }
