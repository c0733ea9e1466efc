'use strict'

const { writeFileSync } = require('node:fs')
const { compose } = require('../lib/composer')
const { parseWhole } = require('./number')

/** `midi generate FILE`: a file to try the others on. */
module.exports = program => {
  program.command('generate')
    .description('write a MIDI file that a program has made up')
    .argument('<file>')
    .option('--seed <number>', 'the same number makes the same file', parseWhole, 1)
    .option('--tracks <number>', '2 to 16', parseWhole, 4)
    .option('--size <bytes>', 'about how many', parseWhole, 30_000)
    .action((file, options) => {
      const bytes = compose(options)
      writeFileSync(file, bytes)
      process.stdout.write(`${file}: ${bytes.length} bytes\n`)
    })
}
