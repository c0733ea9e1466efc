'use strict'

/** Bytes that are no standard MIDI file. `code` is `MIDI_BROKEN`, `offset` where it shows. */
class MidiError extends Error {
  /**
   * @param {string} message what is wrong
   * @param {number} offset in bytes, from the beginning of the file
   */
  constructor (message, offset) {
    super(`${message} (at byte ${offset})`)
    this.name = 'MidiError'
    this.code = 'MIDI_BROKEN'
    this.offset = offset
  }
}

module.exports = { MidiError }
