'use strict'

const { inOneLine } = require('./describe')
const { withLibrary } = require('./with-library')

/** `midi show SONG` */
module.exports = program => {
  program.command('show')
    .description('say what is known of a song: its tracks, and what was changed')
    .argument('<song>')
    .action(withLibrary((library, name) => {
      const song = library.get(name)
      return [inOneLine(song), `  imported ${song.imported.toISOString()}`, ...song.tracks.map(trackLine), ...song.edits.map(editLine)].join('\n')
    }))
}

function trackLine ({ name, notes, channels }, index) {
  const where = channels.length === 0 ? '' : ` on channel ${channels.join(', ')}`
  return `  track ${index + 1} "${name}": ${notes} notes${where}`
}

const editLine = ({ at, edit, bytes }) => `  ${at.toISOString()} ${edit}: ${bytes} bytes`
