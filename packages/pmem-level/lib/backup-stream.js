'use strict'

const { Readable } = require('node:stream')
const { toLevelError } = require('./errors')

/**
 * Gives a stream of pmemobj abstract-level's errors.
 *
 * @param {Readable} stream
 */
function withLevelErrors (stream) {
  async function * chunks () {
    try {
      yield * stream
    } catch (error) {
      throw toLevelError(error)
    }
  }
  const level = Readable.from(chunks(), { objectMode: false })
  // A generator that was never asked for anything does not end what it would have read.
  return level.once('close', () => stream.destroy())
}

module.exports = { withLevelErrors }
