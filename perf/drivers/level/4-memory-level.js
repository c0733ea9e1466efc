'use strict'

/** A sorted tree in memory, not durable at all: how fast JavaScript alone would be. */
module.exports = {
  name: 'memory-level',
  media: { tmpfs: 'none' },
  lacks: ['files'],
  async open () {
    const { MemoryLevel } = require('memory-level')
    const level = new MemoryLevel()
    await level.open()
    return level
  }
}
