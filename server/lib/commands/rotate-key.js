'use strict'

const path = require('node:path')
const { Config } = require('../config/config')
const { heldSettings } = require('../config/environment')
const { keyOf, openStorage, readKey } = require('../storage/open-storage')
const { demandDatabases } = require('../storage/data-folder')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** `potoroo rotate-key`: 0 done, 1 not done. */
module.exports = (/** @type {Command} */ program) => {
  program.command('rotate-key')
    .description('change the key of an encrypted data folder')
    .requiredOption('--new-key-file <file>', 'the key from now on: 32 bytes, or 64 hexadecimal digits')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .addHelpText('after', `
The old key is in the file that [storage] key_file names, which then names the new file. If it was stopped, do
it once more. What is stored is not encrypted anew: who has had the old key and a copy of the folder can still
read that. Against this, make a backup and restore it. Older backups need the old key.

Examples:
  $ potoroo rotate-key --new-key-file new.key --data ./potoroo-data`)
    .action(({ data, newKeyFile }) => {
      const folder = path.resolve(data)
      return runTask({ data: folder }, () => rotate(folder, path.resolve(newKeyFile)))
    })
}

/** @param {string} folder @param {string} file */
async function rotate (folder, file) {
  demandDatabases(folder)
  if (heldSettings().storage?.key_file !== undefined) throw new Error('POTOROO_STORAGE__KEY_FILE in the environment would name the old key again; name the key in potoroo.ini, and unset it')
  const key = readKey(file)
  const old = keyOf(folder)
  if (old === undefined) throw new Error(`the databases in ${folder} are not encrypted: potoroo.ini has no [storage] key_file`)
  const { level, close } = await openWith(folder, old, key)
  try {
    await level.rotateKey(key)
  } finally {
    await close()
  }
  const config = new Config(path.join(folder, 'potoroo.ini'))
  const before = path.resolve(folder, config.get('storage', 'key_file'))
  config.set('storage', 'key_file', file)
  process.stdout.write(`the databases in ${folder} open with the key in ${file}, which [storage] key_file of potoroo.ini names now${before === file ? '' : `; older backups still need ${before}`}\n`)
}

/**
 * With the old key; or with the new one, where an attempt before this was stopped.
 *
 * @param {string} folder
 * @param {Buffer} key
 * @param {Buffer} [other]
 * @returns {Promise<import('../storage/open-storage').OpenStorage>}
 */
async function openWith (folder, key, other = undefined) {
  try {
    return await openStorage(/** @type {any} */ ({ folder, allowVolatile: true, key }))
  } catch (error) {
    if (other === undefined || error.cause?.code !== 'LEVEL_PMEM_WRONG_KEY') throw error
    return openWith(folder, other)
  }
}
