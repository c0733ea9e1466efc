'use strict'

const { DEFAULT_TEMPO, setsTempo, tempoAt, tempoBytes } = require('../file/tempo')
const { Patch } = require('../patch')

/**
 * Makes a file begin at another tempo. Later changes of the tempo change in proportion.
 *
 * @param {import('../file/midi-file').MidiFile} file
 * @param {{ tempo: number, was?: number }} options quarter notes a minute; `was`: that of now
 * @returns {Patch}
 * @throws {RangeError} where the file has no tempo, so that there is no place for one
 */
function changeTempo (file, { tempo, was = DEFAULT_TEMPO }) {
  const patch = new Patch()
  for (const number of file.trackNumbers()) {
    for (const event of file.eventsOf(number)) {
      if (setsTempo(event)) patch.set(event.start, tempoBytes(tempoAt(file.bytes, event) * tempo / was))
    }
  }
  if (patch.size === 0) throw new RangeError('The file sets no tempo: it would have to grow for one')
  return patch
}

module.exports = { changeTempo }
