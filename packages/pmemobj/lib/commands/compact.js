'use strict'

const { keyOf, withKey } = require('./key')
/**
 * `pmemobj compact POOL`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('compact'))
    .description('bring together what a pool holds, and give the file system the space that is then free')
    .argument('<pool>', "the pool's file or folder; no other process may have it open")
    .option('--json', 'print it as JSON')
    .addHelpText('after', `
The files keep their length, and get holes. A compaction that is stopped harms nothing.
Programs that have a pool open shrink it, while they use it, by pool.compact().

Example:
  $ pmemobj compact ./notes`)
    .action(async (location, { json, ...options }) => {
      const { Pool } = require('../..')
      const key = keyOf(options)
      const pool = Pool.open(location, { createIfMissing: false, key })
      try {
        const summary = { path: location, ...await pool.compact() }
        process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : `${location}: ${summary.before} bytes on disk before, ${summary.after} now\n`)
      } finally {
        pool.close()
      }
    })
}
