'use strict'

const fs = require('node:fs')
const path = require('node:path')

const STORAGES = ['pmem', 'classic-level']
/** One of them is in a data folder, in a pool's, and in LevelDB's. */
const OWN_FILES = ['potoroo.ini', 'pool.set', 'CURRENT']

/** Whether a server has put databases into a folder. */
function hasDatabases (folder) {
  return STORAGES.some(name => fs.existsSync(path.join(folder, name)))
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

/** A rename is durable once its folder is. */
function syncFolder (folder) {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

module.exports = { hasDatabases, refuseAmongData, syncFolder }
