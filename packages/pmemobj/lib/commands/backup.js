'use strict'

const { keyOf, withKey } = require('./key')
const { write } = require('./output')
const { inWords, runTask } = require('./task')
const { openToRead } = require('./to-read')

/**
 * `pmemobj backup POOL [FILE]`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('backup'))
    .description('write all maps of a pool to a file, or to standard output, with checksums')
    .argument('<pool>', "the pool's file or folder; another process may have it open")
    .argument('[file]', 'where the backup goes; - is standard output', '-')
    .option('--map <name>', 'this map only')
    .option('--as <name>', 'with --map: what that map is called in it')
    .option('-q, --quiet', 'say nothing when it is done')
    .addHelpText('after', `
The file gets its name when all of the backup is in it: until then an older one stays as it was.
The backup of a pool that is encrypted is encrypted with the same key, which restoring it needs.
It holds the pool as it is when the command begins, also while another process writes.

Examples:
  $ pmemobj backup ./notes notes.backup
  $ pmemobj backup ./notes | zstd | ssh elsewhere 'cat > notes.backup.zst'`)
    .action((location, file, { map, as, ...options }) => runTask(options, async ({ signal, onProgress }) => {
      if (as !== undefined && map === undefined) throw new Error('--as names the one map that --map takes: name that, too')
      if (file === '-' && process.stdout.isTTY) throw new Error('A backup is not for a terminal: name a file, or send it to another program')
      const pool = openToRead(location, keyOf(options))
      try {
        const stream = pool.backup({ map, as, signal, onProgress: progress => onProgress(progress, progress.estimate) })
        await write(stream, file)
        return `${inWords(stream.progress)}: ${stream.progress.bytes} bytes`
      } finally {
        pool.close()
      }
    }))
}
