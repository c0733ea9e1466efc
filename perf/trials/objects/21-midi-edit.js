'use strict'

const { editMidi } = require('../../lib/objects/edit-midi')

/** As in the paper: all 64 bytes are as they were, or all are new, whatever happens. */
module.exports = editMidi('modify 64 bytes of a MIDI file', 'midi',
  (subject, number, offset, bytes) => subject.edit(number, offset, bytes))
