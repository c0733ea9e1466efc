'use strict'

const { StringDecoder } = require('node:string_decoder')

/** Characters that a line may have. */
const LONGEST = 16 * 1024 * 1024

/**
 * The lines of a stream, all of those at a time that came together. An empty array says that
 * something came (a heartbeat) but no line.
 *
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<string[]>}
 */
async function * readLines (stream) {
  const decoder = new StringDecoder('utf8')
  /** The part of a line that has not ended. @type {string[]} */
  let begun = []
  let length = 0
  for await (const chunk of stream) {
    const text = decoder.write(chunk)
    const end = text.lastIndexOf('\n')
    const lines = end === -1 ? [] : (begun.join('') + text.slice(0, end)).split('\n')
    if (end !== -1) [begun, length] = [[], 0]
    begun.push(text.slice(end + 1))
    length += text.length - end - 1
    if (length > LONGEST) throw new Error('A line of the feed is too long')
    yield lines.filter(line => line.trim() !== '')
  }
}

module.exports = { readLines }
