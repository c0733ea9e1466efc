'use strict'

const { namesTrack, textOf } = require('../file/text')
const { Patch } = require('../patch')

/**
 * Gives a track another name. A shorter one is filled up with spaces.
 *
 * @param {import('../file/midi-file').MidiFile} file
 * @param {{ track: number, name: string }} options
 * @returns {Patch}
 * @throws {RangeError} where the track has no name, or one too short for the new
 */
function renameTrack (file, { track, name }) {
  const event = nameOf(file, track)
  const room = event.end - event.start
  const bytes = Buffer.from(name)
  if (bytes.length > room) {
    throw new RangeError(`Where "${textOf(file.bytes, event)}" stands there is room for ${room} bytes, not for the ${bytes.length} of "${name}"`)
  }
  const patch = new Patch()
  patch.set(event.start, Buffer.concat([bytes, Buffer.alloc(room - bytes.length, ' ')]))
  return patch
}

function nameOf (file, track) {
  for (const event of file.eventsOf(track)) {
    if (namesTrack(event)) return event
  }
  throw new RangeError(`Track ${track} has no name: it would have to grow for one`)
}

module.exports = { renameTrack }
