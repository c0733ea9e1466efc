'use strict'

const fs = require('node:fs')
const fsp = require('node:fs/promises')

// Windows flushes no folders: opening one fails there.
const CAN = process.platform !== 'win32'

/**
 * Makes the entries of a folder durable, names of files that were made or renamed in it.
 *
 * @param {string} folder
 */
async function syncFolder (folder) {
  if (!CAN) return
  const handle = await fsp.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The same for who cannot wait.
 *
 * @param {string} folder
 */
function syncFolderSync (folder) {
  if (!CAN) return
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

module.exports = { syncFolder, syncFolderSync }
