'use strict'

const { readKeyFile } = require('../pool/key-file')

/**
 * `pmemobj rotate-key POOL --key-file OLD --new-key-file NEW`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  program.command('rotate-key')
    .description('let a pool that is encrypted open with another key')
    .argument('<pool>', "the pool's file or folder; nobody may have it open")
    .requiredOption('--key-file <file>', 'its key so far: 32 bytes, or 64 hexadecimal digits')
    .requiredOption('--new-key-file <file>', 'the key from now on')
    .addHelpText('after', `
At each moment one of both opens the pool, also after a power cut: then do it once more. What is stored
is not encrypted anew: the keys protect the key that it is encrypted with. Who has had the old key and a
copy of the pool's files can still read that pool. Against this, back the pool up and restore it.

Example:
  $ head -c 32 /dev/urandom > new.key && chmod 600 new.key
  $ pmemobj rotate-key ./notes --key-file notes.key --new-key-file new.key`)
    .action((location, { keyFile, newKeyFile }) => {
      const { Pool } = require('../..')
      const pool = Pool.open(location, { createIfMissing: false, key: readKeyFile(keyFile) })
      try {
        pool.rotateKey(readKeyFile(newKeyFile))
      } finally {
        pool.close()
      }
      process.stdout.write(`${location}: ${newKeyFile} is the key from now on, and ${keyFile} opens it no longer\n`)
    })
}
