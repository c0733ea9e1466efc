'use strict'

const { Command } = require('commander')
const { version } = require('../../package.json')

// Each adds its command to the program.
const commands = [
  require('./backup'),
  require('./restore'),
  require('./dump'),
  require('./load'),
  require('./info'),
  require('./compact'),
  require('./check'),
  require('./salvage'),
  require('./rotate-key')
]

/** Exit codes of every command. */
const DONE = 0
const FAILED = 2

/** The command line: `pmemobj COMMAND …`. */
function createProgram () {
  const program = new Command('pmemobj')
    .description('Pools of libpmemobj that hold ordered maps. Exit code: 0 done, 1 the answer is no, 2 it could not be done.')
    .version(version)
    .exitOverride()
  for (const add of commands) add(program)
  return program
}

/**
 * Runs a command; `process.exitCode` says how it went. A command whose answer is no (a pool that is
 * damaged, say) sets it to 1 itself; what it throws is told on standard error, and gives 2.
 *
 * @param {string[]} words what stands on the command line after the program's name
 */
async function run (words) {
  try {
    await createProgram().parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = error.exitCode === DONE ? DONE : FAILED
    // Commander has said what is wrong with the words already.
    if (!error.code?.startsWith('commander.')) process.stderr.write(`pmemobj: ${error.message}\n`)
  }
}

module.exports = { createProgram, run }
