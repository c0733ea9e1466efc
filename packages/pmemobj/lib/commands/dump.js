'use strict'

const { keyOf, withKey } = require('./key')
const { write } = require('./output')
const { parseBytes } = require('./number')
const { inWords, runTask } = require('./task')
const { openToRead } = require('./to-read')

/**
 * `pmemobj dump POOL [FILE]`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('dump'))
    .description('write all maps of a pool as text that mdb_load and db_load read')
    .argument('<pool>', "the pool's file or folder; another process may have it open")
    .argument('[file]', 'where the dump goes; - is standard output', '-')
    .option('-p, --print', 'printable characters as they are, and not all in hexadecimal')
    .option('--mapsize <bytes>', 'how much room mdb_load is to make, such as 1G (db_load refuses a dump that says so)', parseBytes)
    .option('--map <name>', 'this map only')
    .option('--as <name>', 'with --map: what that map is called in it')
    .option('-q, --quiet', 'say nothing when it is done')
    .addHelpText('after', `
A dump is not encrypted, also that of a pool that is. It has no checksums: for backups there is "pmemobj backup".

Examples:
  $ pmemobj dump --print ./notes | less
  $ mkdir notes.lmdb && pmemobj dump --mapsize 1G ./notes | mdb_load notes.lmdb
  $ pmemobj dump ./notes | db_load notes.db`)
    .action((location, file, { print, mapsize, map, as, ...options }) => runTask(options, async ({ signal, onProgress }) => {
      if (as !== undefined && map === undefined) throw new Error('--as names the one map that --map takes: name that, too')
      const pool = openToRead(location, keyOf(options))
      try {
        const stream = pool.dump({ format: print ? 'print' : 'bytevalue', mapSize: mapsize, map, as, signal, onProgress: progress => onProgress(progress) })
        await write(stream, file)
        return `${inWords(stream.progress)}: ${stream.progress.bytes} bytes`
      } finally {
        pool.close()
      }
    }))
}
