#!/usr/bin/env node
'use strict'

const { Command } = require('commander')

// Each adds its command to the program.
const commands = [
  require('./commands/generate'),
  require('./commands/import'),
  require('./commands/list'),
  require('./commands/show'),
  require('./commands/transpose'),
  require('./commands/tempo'),
  require('./commands/rename'),
  require('./commands/velocity'),
  require('./commands/export'),
  require('./commands/remove')
]

const program = new Command('midi')
  .description('Standard MIDI files in a pool of persistent memory, edited where they lie.')
  .option('--pool <path>', 'the pool with the songs, made where there is none', './midi.pool')
for (const add of commands) add(program)

try {
  program.parse()
} catch (error) {
  process.stderr.write(`midi: ${error.message}\n`)
  process.exitCode = 1
}
