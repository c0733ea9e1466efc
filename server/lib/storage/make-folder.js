'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { finalName, reasonOf } = require('./system-error-text')

/**
 * Makes a folder, and those above it that are missing, for this user alone. `fs.mkdir` with `recursive` never
 * returns where the system says of a folder that is there that it is not (/proc).
 *
 * @param {string} folder
 * @returns {string[]} those that were made, from above
 * @throws `NO_FOLDER` where nothing can be made in it
 */
function makeFolder (folder) {
  const missing = []
  try {
    for (let at = folder; !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at)
    for (const each of missing) make(each)
    // A folder may be there in which nothing can be; a full disk is another matter.
    if (!fs.existsSync(path.join(folder, 'potoroo.ini'))) fs.rmdirSync(fs.mkdtempSync(path.join(folder, '.made-')))
  } catch (cause) {
    if (cause.code === 'ENOSPC' || cause.code === 'EDQUOT') return missing
    removeEmpty(missing)
    throw Object.assign(new Error(`nothing can be made in ${finalName(folder)}: ${reasonOf(cause)}`, { cause }), { code: 'NO_FOLDER' })
  }
  return missing
}

/**
 * Removes folders that were made for what could not be opened then.
 *
 * @param {string[]} folders as `makeFolder` gives them; those that something is in stay
 */
function removeEmpty (folders) {
  for (const folder of folders.toReversed()) {
    try {
      fs.rmdirSync(folder)
    } catch {
      return
    }
  }
}

/** Another process may make it at the same time. @param {string} folder */
function make (folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

module.exports = { makeFolder, removeEmpty }
