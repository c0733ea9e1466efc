'use strict'

const { inOneLine } = require('./describe')
const { withLibrary } = require('./with-library')

/** `midi list` */
module.exports = program => {
  program.command('list')
    .description('say what songs there are')
    .action(withLibrary(library => library.list().map(inOneLine).join('\n') || 'There is no song yet.'))
}
