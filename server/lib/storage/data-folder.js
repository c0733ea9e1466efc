'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { reasonOf } = require('./system-error-text')

const STORAGES = ['pmem', 'classic-level']
/** One of them is in a data folder, in a pool's, and in LevelDB's. */
const OWN_FILES = ['potoroo.ini', 'pool.set', 'CURRENT']

/** A part of a pool, in its own folder. */
const PART = /^\d{6,18}\.pmem$/
/** A file of `potoroo export` begins with this. */
const EXPORT = '{"potoroo_export":'

/** @param {string} folder @returns {string[]} the storages in which a server has put databases into a folder */
function storagesIn (folder) {
  return STORAGES.filter(name => fs.existsSync(path.join(folder, name)))
}

/** Whether a server has put databases into a folder. @param {string} folder */
function hasDatabases (folder) {
  return storagesIn(folder).length > 0
}

/**
 * @param {string} folder that a command reads databases from
 * @param {{ server?: boolean }} [options] whether it takes a server, too
 * @throws in words, where it can see no databases there
 */
function demandDatabases (folder, { server = false } = {}) {
  if (hasDatabases(folder)) return
  const advice = `name a data folder with --data${server ? ', or a server with --server' : ''}`
  const absent = isAbsent(folder)
  if (!absent) refuseOther(folder, advice)
  throw new Error(`there are no databases in ${folder}${absent ? ', which does not exist' : ''}; ${advice}`)
}

/** Whether it can be told that nothing is there. @param {string} folder */
function isAbsent (folder) {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/**
 * @param {string} folder that a server is to make its own, and that is there
 * @param {string} [advice]
 * @throws OTHER_FOLDER where it is something else: a file, or a pool's own folder
 */
function refuseOther (folder, advice = 'name another folder with --data') {
  const use = otherUse(folder)
  if (use !== null) throw Object.assign(new Error(`${folder} ${use}; ${advice}`), { code: 'OTHER_FOLDER' })
}

/** @param {string} folder @returns {string | null} what keeps a folder from being a data folder; null where it is one, or may become one */
function otherUse (folder) {
  let names
  try {
    names = fs.readdirSync(folder)
  } catch (error) {
    return error.code === 'ENOTDIR' && fs.existsSync(folder) ? 'is a file, and no data folder' : `cannot be read: ${reasonOf(error)}`
  }
  if (names.includes('potoroo.ini') || hasDatabases(folder)) return null
  if (names.includes('pool.set') || names.some(name => PART.test(name))) return `is a pool's own folder, and no data folder${parentOf(folder)}`
  if (names.includes('CURRENT') && names.some(name => name.startsWith('MANIFEST-'))) return `is LevelDB's own folder, and no data folder${parentOf(folder)}`
  if (names.includes('pouchdb-shared-pool.json')) return 'is a database of pouchdb-adapter-pmem, and no data folder'
  if (names.some(name => name.endsWith('.jsonl') && isExport(path.join(folder, name)))) return 'has files of potoroo export, and is no data folder'
  return null
}

/** @param {string} folder */
function parentOf (folder) {
  const parent = path.dirname(folder)
  return STORAGES.includes(path.basename(folder)) && fs.existsSync(path.join(parent, 'potoroo.ini')) ? ` (that is ${parent})` : ''
}

/** @param {string} file */
function isExport (file) {
  const head = Buffer.alloc(EXPORT.length)
  try {
    const descriptor = fs.openSync(file, 'r')
    try {
      fs.readSync(descriptor, head)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return false
  }
  return head.toString() === EXPORT
}

/**
 * @param {string} file that a command would write
 * @throws where it would lie among a server's own files, one of which it might replace
 */
function refuseAmongData (file) {
  const folder = path.dirname(path.resolve(file))
  if (OWN_FILES.some(name => fs.existsSync(path.join(folder, name)))) {
    throw new Error(`${folder} is a data folder, or part of one: name another place for ${path.basename(file)}`)
  }
}

module.exports = { demandDatabases, hasDatabases, refuseAmongData, refuseOther, storagesIn }
