'use strict'

const { withLibrary } = require('./with-library')

/** `midi remove SONG`: what it took is garbage from then on, which the pool collects. */
module.exports = program => {
  program.command('remove')
    .description('take a song out of the pool')
    .argument('<song>')
    .action(withLibrary((library, name) => {
      library.remove(name)
      return `${name} is gone.`
    }))
}
