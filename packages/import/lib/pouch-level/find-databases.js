'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ImportError } = require('../import/import-error')
const { isFirstFormat, isLevel } = require('./open')

/** Databases that PouchDB and its server keep for themselves: views' databases, and the list of databases. */
const OWN = /-mrview-|^pouch__all_dbs__$/

/**
 * The databases in a folder: itself, or those below it, as a server of PouchDB keeps them.
 *
 * @param {string} folder
 * @returns {Array<{ name: string, folder: string }>} sorted by name; a name that contains slashes
 *   is in nested folders
 * @throws SOURCE_NOT_FOUND, SOURCE_FORMAT where there is none
 */
function findPouchLevels (folder) {
  if (!fs.existsSync(folder)) throw new ImportError('SOURCE_NOT_FOUND', { source: folder })
  if (!fs.statSync(folder).isDirectory()) throw new ImportError('SOURCE_FORMAT', { source: folder, why: 'it is not a folder' })
  if (isDatabase(folder)) return [{ name: path.basename(path.resolve(folder)), folder }]
  const found = below(folder, '')
  if (found.length === 0) throw new ImportError('SOURCE_FORMAT', { source: folder, why: 'neither it nor a folder in it is a LevelDB' })
  return found.sort((a, b) => a.name < b.name ? -1 : 1)
}

/** @param {string} folder */
function isDatabase (folder) {
  return isLevel(folder) || isFirstFormat(folder)
}

/** @param {string} root @param {string} under @returns {Array<{ name: string, folder: string }>} */
function below (root, under) {
  const entries = fs.readdirSync(path.join(root, under), { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).flatMap(entry => {
    const name = path.posix.join(under, entry.name)
    const folder = path.join(root, name)
    if (isFirstFormat(folder)) return [{ name, folder }]
    const own = isLevel(folder) && !OWN.test(entry.name) ? [{ name, folder }] : []
    return [...own, ...below(root, name)]
  })
}

module.exports = { findPouchLevels }
