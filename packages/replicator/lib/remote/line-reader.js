'use strict'

const { StringDecoder } = require('node:string_decoder')

/** Characters that a line may have. */
const LONGEST = 64 * 1024 * 1024

/**
 * The lines of a stream, all of those at a time that came together. An empty array says that
 * something came (a heartbeat) but no line.
 *
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<string[]>}
 */
async function * readLines (stream) {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of stream) {
    rest += decoder.write(chunk)
    const end = rest.lastIndexOf('\n')
    if (end === -1 && rest.length > LONGEST) throw new Error('A line of the feed is too long')
    const lines = end === -1 ? [] : rest.slice(0, end).split('\n')
    if (end !== -1) rest = rest.slice(end + 1)
    yield lines.filter(line => line.trim() !== '')
  }
}

module.exports = { readLines }
