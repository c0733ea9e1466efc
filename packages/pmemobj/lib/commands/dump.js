'use strict'

const { write } = require('./output')
const { parseBytes } = require('./number')
const { inWords, runTask } = require('./task')

/** `pmemobj dump POOL [FILE]`: 0 done, 2 not done. */
module.exports = program => {
  program.command('dump')
    .description('write all maps of a pool as text that mdb_load and db_load read')
    .argument('<pool>', "the pool's file or folder; nobody may have it open")
    .argument('[file]', 'where the dump goes; - is standard output', '-')
    .option('-p, --print', 'printable characters as they are, and not all in hexadecimal')
    .option('--mapsize <bytes>', 'how much room mdb_load is to make, such as 1G (db_load refuses a dump that says so)', parseBytes)
    .option('-q, --quiet', 'say nothing when it is done')
    .addHelpText('after', `
A dump has no checksums: for backups there is "pmemobj backup".

Examples:
  $ pmemobj dump --print ./notes | less
  $ mkdir notes.lmdb && pmemobj dump --mapsize 1G ./notes | mdb_load notes.lmdb
  $ pmemobj dump ./notes | db_load notes.db`)
    .action((location, file, { print, mapsize, ...options }) => runTask(options, async ({ signal, onProgress }) => {
      const { Pool } = require('../..')
      const pool = Pool.open(location, { createIfMissing: false })
      try {
        const stream = pool.dump({ format: print ? 'print' : 'bytevalue', mapSize: mapsize, signal, onProgress: progress => onProgress(progress) })
        await write(stream, file)
        return `${inWords(stream.progress)}: ${stream.progress.bytes} bytes`
      } finally {
        pool.close()
      }
    }))
}
