'use strict'

const path = require('node:path')
const { open, readKeyFile } = require('@potoroo/storage')
const { Config } = require('../config/config')
const { heldSettings } = require('../config/environment')
const { reasonOf } = require('./system-error-text')

/**
 * @typedef {object} OpenStorage
 * @property {any} level an open abstract-level
 * @property {boolean} isPool a pool, which threads of this process can share
 * @property {boolean} durableAtOnce whether what is seen in it is durable
 * @property {Uint8Array} [key] what it is encrypted with, and its backups are to be
 * @property {() => Record<string, any>} describe what it is and what an acknowledged write survives
 * @property {() => Promise<'full' | 'failed' | null>} writeFault why it takes no writes now
 * @property {() => Promise<void>} flush makes all that was written so far survive a power cut
 * @property {() => Promise<void>} close
 */

/**
 * Opens what the databases live in: the application's own level, or a storage in the data folder.
 *
 * @param {import('../..').PotorooOptions & { folder?: string, keyFile?: string, key?: Uint8Array, readOnly?: boolean, writer?: boolean }} options writer: see PmemLevel; `keyFile`:
 *   default: what the folder's configuration says; '' for none. `key`: in its place
 * @returns {Promise<OpenStorage>}
 */
async function openStorage ({ storage, folder, databases, level = databases?.level, size, allowVolatile, durability, readOnly, writer, keyFile, key = keyOf(folder, keyFile) }) {
  if (level !== undefined) {
    if (key !== undefined) throw Object.assign(new Error('[storage] key_file is set, and a level of the application is not encrypted'), { code: 'STORAGE_NOT_ENCRYPTED' })
    await level.open()
    return { level, isPool: false, durableAtOnce: false, describe: () => ({ storage: level.constructor.name }), writeFault: async () => null, flush: () => flush(level), close: async () => {} }
  }
  const opened = await open({ storage, path: folder, size, allowVolatile, durability, readOnly, writer, key }).catch(error => { throw isLocked(error) ? inUse(error, folder) : error })
  const isPool = opened.storage === 'pmem'
  const durableAtOnce = isPool && /** @type {any} */ (opened.level).stats().isPmem
  return { level: opened.level, isPool, durableAtOnce, key, describe: () => opened.describe(), writeFault: () => opened.writeFault(), flush: () => flush(opened.level), close: () => opened.level.close() }
}

/** @param {any} error @returns {boolean} */
function isLocked (error) { return error !== undefined && (error.code === 'LEVEL_LOCKED' || isLocked(error.cause)) }

/** @param {any} cause @param {string | undefined} folder */
function inUse (cause, folder) {
  return Object.assign(new Error(`the databases in ${folder} are in use by another process, or by another server of this one; end it, or choose another folder as path`, { cause }), { code: 'LEVEL_LOCKED' })
}

/**
 * The key of a data folder, as `[storage] key_file` of its configuration says.
 *
 * @param {string} [folder]
 * @param {string} [keyFile] what it says, where that is known; from the data folder on
 * @returns {Buffer | undefined}
 */
function keyOf (folder, keyFile) {
  const file = keyFile ?? (folder === undefined ? '' : new Config(path.join(folder, 'potoroo.ini'), heldSettings()).get('storage', 'key_file'))
  return file === '' ? undefined : readKey(path.resolve(folder ?? '', file))
}

/**
 * @param {string} file
 * @returns {Buffer} the key in it
 * @throws KEY_FILE, which names the file
 */
function readKey (file) {
  try {
    return readKeyFile(file)
  } catch (cause) {
    const why = cause.cause === undefined ? cause.message.replace(`${file}: `, '') : reasonOf(cause.cause)
    throw Object.assign(new Error(`the key file ${file} cannot be used: ${why}`, { cause }), { code: 'KEY_FILE' })
  }
}

/** Levels without `flush` acknowledge nothing before it is durable. @param {any} level */
async function flush (level) {
  await level.flush?.()
}

/**
 * Says in words where databases live and what an acknowledged write survives.
 * @param {Record<string, any>} description
 * @returns {string[]} lines
 */
function describeInWords ({ storage, path, location, fileSystem, medium, commit, survives, reason }) {
  const where = [location && `at ${location}`, path && `in ${path}`, fileSystem && `on ${fileSystem}`, medium && `(${medium})`].filter(Boolean).join(' ')
  return [
    `storage: ${storage} ${where}`.trim(),
    ...(reason ? [`  because ${reason}`] : []),
    ...(survives ? [`an acknowledged write survives: ${survives}; a commit is: ${commit}`] : [])
  ]
}

module.exports = { keyOf, openStorage, readKey, describeInWords }
