'use strict'

const { ByteCursor } = require('./byte-cursor')
const { META, ofChannel, readEvent } = require('./event')
const { MidiError } = require('./midi-error')

const END_OF_TRACK = 0x2f

/**
 * The events of a track, the one that ends it included.
 *
 * @param {Uint8Array} bytes a whole file
 * @param {import('./chunk').Chunk} chunk
 * @returns {Generator<import('./event').Event>}
 */
function * eventsOf (bytes, chunk) {
  const cursor = new ByteCursor(bytes, chunk.start, chunk.end)
  let tick = 0
  let running = 0
  while (cursor.left > 0) {
    tick += cursor.quantity()
    const event = readEvent(cursor, tick, running)
    // By the standard meta and SysEx events end the running status; files that go on with it are common.
    if (ofChannel(event)) running = event.status
    yield event
    if (event.status === META && event.type === END_OF_TRACK) return
  }
  throw new MidiError('The track has no end', chunk.end)
}

module.exports = { eventsOf }
