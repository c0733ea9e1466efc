'use strict'

const { writeFileSync } = require('node:fs')
const { withLibrary } = require('./with-library')

/** `midi export SONG FILE` */
module.exports = program => {
  program.command('export')
    .description('write a song to a MIDI file')
    .argument('<song>')
    .argument('<file>')
    .action(withLibrary((library, name, file) => {
      const song = library.get(name)
      writeFileSync(file, song.bytes())
      return `${file}: ${song.size} bytes`
    }))
}
