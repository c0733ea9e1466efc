'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { ImportError } = require('../import/import-error')
const { META, SEQUENCES } = require('./keys')

const UTF8 = Object.freeze({ keyEncoding: 'utf8', valueEncoding: 'utf8' })

const UPGRADE = 'open it once with pouchdb-adapter-leveldb 9, which rewrites it, then import it'

/** Bytes that an iterator reads ahead. */
const READ_AHEAD = 1024 * 1024

/**
 * Opens a LevelDB of pouchdb-adapter-leveldb. LevelDB cannot be opened for reading only: it tidies
 * its own files, and PouchDB finds the same data afterwards.
 *
 * @param {string} folder
 * @returns {Promise<{ level: ClassicLevel<string, string>, uuid: string, updateSeq: number }>}
 * @throws SOURCE_NOT_FOUND, SOURCE_FORMAT, SOURCE_LOCKED, SOURCE_UNREADABLE
 */
async function openPouchLevel (folder) {
  assertLevelFolder(folder)
  const level = new ClassicLevel(folder, { ...UTF8, createIfMissing: false })
  try {
    await level.open()
  } catch (error) {
    throw openFailure(folder, error)
  }
  try {
    return { level, ...await readMeta(level, folder) }
  } catch (error) {
    await level.close()
    throw error
  }
}

/** @param {string} folder */
function assertLevelFolder (folder) {
  if (!fs.existsSync(folder)) throw new ImportError('SOURCE_NOT_FOUND', { source: folder })
  if (isLevel(folder)) return
  const why = isFirstFormat(folder)
    ? `it has the format of PouchDB before 2.0, a LevelDB for each store; ${UPGRADE}`
    : 'it holds no LevelDB'
  throw new ImportError('SOURCE_FORMAT', { source: folder, why })
}

/**
 * Tells whether there is a LevelDB, which names its current manifest in this file.
 * @param {string} folder
 */
function isLevel (folder) {
  return fs.existsSync(path.join(folder, 'CURRENT'))
}

/**
 * Tells whether it is PouchDB's first format: each store was a LevelDB in a folder of its own.
 * @param {string} folder
 */
function isFirstFormat (folder) {
  return isLevel(path.join(folder, 'document-store'))
}

/** @param {string} folder @param {any} error */
function openFailure (folder, error) {
  const cause = error.cause ?? error
  if (cause.code === 'LEVEL_LOCKED') return new ImportError('SOURCE_LOCKED', { source: folder, cause: error })
  return new ImportError('SOURCE_UNREADABLE', { source: folder, why: cause.message, cause: error })
}

/** @param {ClassicLevel<string, string>} level @param {string} folder */
async function readMeta (level, folder) {
  const keys = [META + '_local_uuid', META + '_local_last_update_seq', SEQUENCES + '_local_uuid']
  const [uuid, updateSeq, formerUuid] = /** @type {Array<string | undefined>} */ (await level.getMany(keys, UTF8))
  if (formerUuid !== undefined) {
    throw new ImportError('SOURCE_FORMAT', { source: folder, why: `it has the format of PouchDB before 3.0; ${UPGRADE}` })
  }
  if (uuid === undefined) throw new ImportError('SOURCE_FORMAT', { source: folder, why: 'it is a LevelDB, but not one of PouchDB' })
  return { uuid: JSON.parse(uuid), updateSeq: updateSeq === undefined ? 0 : JSON.parse(updateSeq) }
}

module.exports = { openPouchLevel, isLevel, isFirstFormat, UTF8, READ_AHEAD }
