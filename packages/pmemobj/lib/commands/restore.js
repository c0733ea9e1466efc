'use strict'

const { keyOf, withKey } = require('./key')
const { read } = require('./input')
const { parseBytes, parsePoolSize } = require('./number')
const { inWords, runTask } = require('./task')

/**
 * `pmemobj restore FILE POOL`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('restore'))
    .description('make a pool of a backup')
    .argument('<file>', 'the backup; - is standard input')
    .argument('<pool>', 'where the new pool goes: nothing may be there')
    .option('--size <bytes>', 'how big the pool is to begin with, such as 64M', parsePoolSize)
    .option('--max-size <bytes>', 'how big it may grow, such as 1T; 0 makes one file that cannot grow', parseBytes)
    .option('-q, --quiet', 'say nothing when it is done')
    .addHelpText('after', `
With a key, the pool is encrypted with it; the backup of a pool that is encrypted needs its key.
The pool is there when all of the backup was read and found good, and not before: a backup that is
damaged, or ends early, leaves nothing.

Examples:
  $ pmemobj restore notes.backup ./notes
  $ zstdcat notes.backup.zst | pmemobj restore - ./notes`)
    .action((file, location, { size, maxSize, ...options }) => runTask(options, async ({ signal, onProgress }) => {
      const { Pool } = require('../..')
      const input = read(file)
      const report = (/** @type {import('../..').RestoreProgress} */ progress) => onProgress(progress, input.size)
      const summary = await Pool.restore(location, input.stream, { size, maxSize, key: keyOf(options), signal, onProgress: report })
      return `${inWords(summary)}, as of ${summary.created.toISOString()}`
    }))
}
