'use strict'

const fs = require('node:fs')

/** Bytes that are read at once. */
const READ = 256 * 1024

/**
 * The lines of a file.
 *
 * @param {string} file
 * @param {number} [start] the byte to begin at
 * @param {number} [end] the byte to end at, exclusive
 * @returns {AsyncGenerator<{ line: Buffer, at: number, whole: boolean }, void>} `at` is the line's first byte;
 *   `whole` whether a line feed, which is not in it, ends it
 */
async function * linesOf (file, start = 0, end = Infinity) {
  let held = []
  let at = start
  for await (const chunk of fs.createReadStream(file, { start, end: end - 1, highWaterMark: READ })) {
    let from = 0
    for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, feed)])
      yield { line, at, whole: true }
      at += line.length + 1
      held = []
      from = feed + 1
    }
    if (from < chunk.length) held.push(chunk.subarray(from))
  }
  if (held.length > 0) yield { line: Buffer.concat(held), at, whole: false }
}

module.exports = { linesOf }
