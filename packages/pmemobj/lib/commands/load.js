'use strict'

const { keyOf, withKey } = require('./key')
const { read } = require('./input')
const { parseBytes, parsePoolSize } = require('./number')
const { inWords, runTask } = require('./task')

/**
 * `pmemobj load FILE POOL`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('load'))
    .description('make a pool of a dump, as "pmemobj dump", mdb_dump and db_dump write it')
    .argument('<file>', 'the dump; - is standard input')
    .argument('<pool>', 'where the new pool goes: nothing may be there')
    .option('--map <name>', 'the map for a part of the dump that names none', 'main')
    .option('--size <bytes>', 'how big the pool is to begin with, such as 64M', parsePoolSize)
    .option('--max-size <bytes>', 'how big it may grow, such as 1T; 0 makes one file that cannot grow', parseBytes)
    .option('-q, --quiet', 'say nothing when it is done')
    .addHelpText('after', `
With a key, the pool is encrypted with it.

Examples:
  $ pmemobj load notes.dump ./notes
  $ mdb_dump -a notes.lmdb | pmemobj load - ./notes
  $ db_dump notes.db | pmemobj load --map notes - ./notes`)
    .action((file, location, { map, size, maxSize, ...options }) => runTask(options, async ({ signal, onProgress }) => {
      const { Pool } = require('../..')
      const input = read(file)
      const report = (/** @type {import('../..').RestoreProgress} */ progress) => onProgress(progress)
      return inWords(await Pool.load(location, input.stream, { map, size, maxSize, key: keyOf(options), signal, onProgress: report }))
    }))
}
