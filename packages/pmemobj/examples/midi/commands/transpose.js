'use strict'

const { ofEdit } = require('./describe')
const { parseWhole } = require('./number')
const { withLibrary } = require('./with-library')

/** `midi transpose SONG TRACK SEMITONES` */
module.exports = program => {
  program.command('transpose')
    .description('move the notes of a track up or down; drums stay')
    .argument('<song>')
    .argument('<track>', 'from 1', parseWhole)
    .argument('<semitones>', 'down: -- -3', parseWhole)
    .action(withLibrary((library, name, track, semitones) =>
      `${name}, track ${track}, by ${semitones}: ${ofEdit(library.get(name), library.transpose(name, { track, semitones }))}`))
}
