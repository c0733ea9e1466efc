#!/usr/bin/env node
'use strict'

const { Command } = require('commander')

// Each adds its command to the program.
const commands = [
  require('./commands/open'),
  require('./commands/deposit'),
  require('./commands/withdraw'),
  require('./commands/transfer'),
  require('./commands/interest'),
  require('./commands/report'),
  require('./commands/statement'),
  require('./commands/crash'),
  require('./commands/check')
]

const program = new Command('bank')
  .description('A bank whose accounts and journal are JavaScript objects in persistent memory.')
  .option('--pool <path>', 'the pool with the bank, made where there is none', './bank.pool')
for (const add of commands) add(program)

try {
  program.parse()
} catch (error) {
  process.stderr.write(`bank: ${error.message}\n`)
  process.exitCode = 1
}
