'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileSystemOf, freeSpace } = require('@potoroo/storage')
const { size } = require('../import/words')
const { storagesIn } = require('../storage/data-folder')
const { olderLayout } = require('../storage/older-layout')

/** @typedef {import('./examine').Finding} Finding @typedef {import('./examine').Patient} Patient */

/** Bytes that a new pool and its log need. */
const LEAST_SPACE = 64 * 2 ** 20
const LITTLE_SPACE = 2 ** 30

/** @param {Patient} patient @returns {Finding} */
function storage ({ folder }) {
  const storages = storagesIn(folder)
  if (storages.length > 1) return { name: 'storage', state: 'warning', found: `databases of ${storages.join(' and ')} in ${folder}`, mend: 'a server serves one of them: --storage says which. Bring the others over with potoroo import, and move their folder away' }
  if (storages.length === 1) return { name: 'storage', state: 'ok', found: `${storages[0]} in ${folder}` }
  return { name: 'storage', state: 'ok', found: `no databases in ${folder} yet` }
}

/** @param {Patient} patient @returns {Promise<Finding[]>} */
async function layout ({ folder }) {
  const found = await olderLayout(folder)
  return found === null ? [] : [{ name: 'layout', state: 'warning', found, mend: 'make a backup with the version that has written it, before this one starts: that is the only way back, see UPGRADING.md' }]
}

/** @param {Patient} patient @returns {Finding} */
function medium ({ folder }) {
  const { type, volatile: forgetful, dax } = fileSystemOf(folder)
  if (forgetful) return { name: 'medium', state: 'problem', found: `${type}, which loses everything when the machine restarts`, mend: 'have the data folder on a disk or on persistent memory; for tests: --allow-volatile' }
  if (!dax) return { name: 'medium', state: 'ok', found: `${type} on a disk: a write waits for the disk, unless --durability is relaxed` }
  return { name: 'medium', state: 'ok', found: `${type} with direct access (DAX): persistent memory` }
}

/** @param {Patient} patient @returns {Promise<Finding>} */
async function space ({ folder }) {
  const free = await freeSpace(nearest(folder))
  if (free === Infinity) return { name: 'space', state: 'ok', found: 'the file system does not say' }
  const found = `${size(free)} free`
  if (free < LEAST_SPACE) return { name: 'space', state: 'problem', found, mend: 'make room: potoroo compact --shrink returns what databases do not need' }
  return free < LITTLE_SPACE ? { name: 'space', state: 'warning', found, mend: 'make room before the disk is full: writes are refused then' } : { name: 'space', state: 'ok', found }
}

/** @param {string} folder */
function nearest (folder) {
  while (!fs.existsSync(folder)) folder = path.dirname(folder)
  return folder
}

/** @param {Patient} patient @returns {Finding} */
function permissions ({ folder }) {
  const at = nearest(folder)
  const { mode, uid } = fs.statSync(at)
  const found = `${at}: mode ${(mode & 0o777).toString(8)}, of user ${uid}`
  if (!isWritable(at)) return { name: 'permissions', state: 'problem', found: `${found}; this user may not write there`, mend: `run it as the folder's owner, or chown -R it to ${process.getuid?.()}` }
  if (at !== folder) return { name: 'permissions', state: 'ok', found: `${folder} can be made` }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) return { name: 'permissions', state: 'warning', found: `${found}; others may enter it`, mend: `chmod 700 ${folder}` }
  const other = fs.readdirSync(folder).filter(name => fs.lstatSync(path.join(folder, name)).uid !== uid)
  if (other.length > 0) return { name: 'permissions', state: 'problem', found: `${other.join(', ')} of ${folder} is of another user than the folder`, mend: `chown -R ${uid} ${folder}` }
  return { name: 'permissions', state: 'ok', found }
}

/** @param {string} folder */
function isWritable (folder) {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

module.exports = { layout, medium, permissions, space, storage }
