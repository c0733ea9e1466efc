'use strict'

const { asTime, ofEdit } = require('./describe')
const { parseNumber } = require('./number')
const { withLibrary } = require('./with-library')

/** `midi tempo SONG BPM` */
module.exports = program => {
  program.command('tempo')
    .description('make a song begin at another tempo, and change in proportion later')
    .argument('<song>')
    .argument('<bpm>', 'quarter notes a minute', parseNumber)
    .action(withLibrary((library, name, tempo) => {
      const edited = library.changeTempo(name, tempo)
      const song = library.get(name)
      return `${name}, ${song.tempo.toFixed(1)} bpm, now ${asTime(song.seconds)}: ${ofEdit(song, edited)}`
    }))
}
