'use strict'

const { readFileSync } = require('node:fs')
const path = require('node:path')
const { inOneLine } = require('./describe')
const { withLibrary } = require('./with-library')

/** `midi import FILE…`: songs are named after their files. */
module.exports = program => {
  program.command('import')
    .description('bring MIDI files into the pool')
    .argument('<files...>')
    .action(withLibrary((library, files) => files.map(file =>
      inOneLine(library.add(path.basename(file, path.extname(file)), readFileSync(file)))).join('\n')))
}
