'use strict'

const { startsNote } = require('../file/note')
const { Patch } = require('../patch')

/**
 * Gives all notes of a track one velocity.
 *
 * @param {import('../file/midi-file').MidiFile} file
 * @param {{ track: number, velocity: number }} options 1 to 127: a velocity of 0 would end a note
 * @returns {Patch}
 */
function setVelocity (file, { track, velocity }) {
  if (!Number.isInteger(velocity) || velocity < 1 || velocity > 127) throw new RangeError(`A velocity is 1 to 127, not ${velocity}`)
  const patch = new Patch()
  for (const event of file.eventsOf(track)) {
    if (startsNote(event, file.bytes)) patch.set(event.start + 1, [velocity])
  }
  return patch
}

module.exports = { setVelocity }
