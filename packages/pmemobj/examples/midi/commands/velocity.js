'use strict'

const { ofEdit } = require('./describe')
const { parseWhole } = require('./number')
const { withLibrary } = require('./with-library')

/** `midi velocity SONG TRACK VELOCITY` */
module.exports = program => {
  program.command('velocity')
    .description('give all notes of a track one velocity')
    .argument('<song>')
    .argument('<track>', 'from 1', parseWhole)
    .argument('<velocity>', '1 to 127', parseWhole)
    .action(withLibrary((library, name, track, velocity) =>
      `${name}, track ${track}, velocity ${velocity}: ${ofEdit(library.get(name), library.setVelocity(name, { track, velocity }))}`))
}
