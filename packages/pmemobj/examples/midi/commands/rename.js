'use strict'

const { ofEdit } = require('./describe')
const { parseWhole } = require('./number')
const { withLibrary } = require('./with-library')

/** `midi rename SONG TRACK NAME` */
module.exports = program => {
  program.command('rename')
    .description('give a track another name, no longer than its own')
    .argument('<song>')
    .argument('<track>', 'from 1', parseWhole)
    .argument('<name>')
    .action(withLibrary((library, name, track, to) =>
      `${name}, track ${track}, "${to}": ${ofEdit(library.get(name), library.renameTrack(name, { track, to }))}`))
}
