'use strict'

const { editMidi } = require('../../lib/objects/edit-midi')

/** The same where a power cut in between may leave some of the 64 bytes, as it does in a file. */
module.exports = editMidi('the same, not atomic', 'overwrite',
  (subject, number, offset, bytes) => subject.overwrite(number, offset, bytes))
