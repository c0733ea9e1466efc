'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { settingFaults } = require('../config/setting-faults')
const { sandboxFault } = require('../indexes/query-server')
const { storagesIn } = require('../storage/data-folder')
const { olderDatabases, olderPool } = require('../storage/older-layout')

// Warnings in the log of a server that starts.

/** A file of CouchDB's may have many settings that nothing here reads. */
const MOST_NAMED = 20

/** Before it is too late: whoever stops the server now can still go back. @param {import('../service/foundation').Foundation} foundation @param {string} folder */
async function warnOfLayout ({ config, log, options }, folder) {
  if (!['auto', 'pmem', undefined].includes(options.storage)) return
  const found = await olderPool(folder, { keyFile: config.get('storage', 'key_file') })
  if (found === null) return
  log.line('warning', `${found}. This start brings it to the present layout, which earlier versions do not open: a backup made before is the way back, see UPGRADING.md`)
  log.flush()
}

/** Whoever stops the server now can still go back: no database is open yet. @param {import('../service/foundation').Foundation['log']} log @param {import('../storage/open-storage').OpenStorage} storage */
async function warnOfDatabases (log, storage) {
  const found = await olderDatabases(storage.level)
  if (found === null) return
  log.line('warning', `${found}. Each is brought to the present layout when it is opened, which earlier versions do not open: a backup made before is the way back, see UPGRADING.md`)
  log.flush()
}

/** A process without a sandbox serves all but functions. @param {import('../service/foundation').Foundation} foundation */
function warnOfSandbox ({ log }) {
  const fault = sandboxFault()
  if (fault !== null) log.line('warning', fault)
}

/** Settings without effect would be ignored in silence. @param {import('../service/foundation').Foundation} foundation */
function warnOfSettings ({ config, log, options }) {
  const strange = [...new Set([...settingFaults(options.config ?? {}), ...settingFaults(config.inFile())])]
  for (const each of strange.slice(0, MOST_NAMED)) log.quote('warning', each)
  if (strange.length > MOST_NAMED) log.line('warning', `${strange.length - MOST_NAMED} more settings have no effect: potoroo doctor lists them`)
}

/** @param {import('../service/foundation').Foundation} foundation @param {string} folder @param {import('../storage/open-storage').OpenStorage} storage */
function warnOfFolder ({ config, log }, folder, storage) {
  warnOfOpenFolder(log, folder)
  warnOfOtherFolders(config, log, folder)
  warnOfOtherStorage(log, folder, storage)
}

/**
 * The databases' own folder is closed; what else is put beside it may not be.
 * @param {import('../log/log').Log} log @param {string} folder
 */
function warnOfOpenFolder (log, folder) {
  const mode = fs.statSync(folder).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  log.line('warning', `Other users of this machine may enter the data folder ${folder}: its mode is ${mode.toString(8)}; 700 keeps them out`)
}

/**
 * CouchDB's configuration may have come along, and say where the databases were there.
 * @param {import('../config/config').Config} config @param {import('../log/log').Log} log @param {string} folder
 */
function warnOfOtherFolders (config, log, folder) {
  for (const key of ['database_dir', 'view_index_dir']) {
    const other = config.get('couchdb', key)
    if (other === '' || path.resolve(folder, other) === folder) continue
    log.line('warning', `[couchdb] ${key} says ${other}, and is not heard: databases and indexes are in the data folder ${folder}, which --data names`)
  }
}

/**
 * Each storage has databases of its own, also if two are in one folder.
 * @param {import('../log/log').Log} log @param {string} folder @param {import('../storage/open-storage').OpenStorage} opened
 */
function warnOfOtherStorage (log, folder, opened) {
  const { storage } = opened.describe()
  for (const other of storagesIn(folder).filter(name => name !== storage)) {
    log.line('warning', `The data folder ${folder} has databases in the storage ${other}, too, which are not served: --storage ${other} serves those`)
  }
}

module.exports = { warnOfDatabases, warnOfFolder, warnOfLayout, warnOfSandbox, warnOfSettings }
