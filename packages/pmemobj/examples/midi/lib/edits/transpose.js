'use strict'

const { ofChannel } = require('../file/event')
const { hasPitch } = require('../file/note')
const { Patch } = require('../patch')

/**
 * Moves all notes of a track but those of drums, whose pitches are instruments.
 *
 * @param {import('../file/midi-file').MidiFile} file
 * @param {{ track: number, semitones: number }} options
 * @returns {Patch}
 * @throws {RangeError} where a note would leave MIDI's 128
 */
function transpose (file, { track, semitones }) {
  const patch = new Patch()
  for (const event of file.eventsOf(track)) {
    if (!ofChannel(event) || !hasPitch(event)) continue
    const pitch = file.bytes[event.start] + semitones
    if (pitch < 0 || pitch > 127) throw new RangeError(`A note of pitch ${file.bytes[event.start]} cannot be moved by ${semitones}`)
    patch.set(event.start, [pitch])
  }
  return patch
}

module.exports = { transpose }
