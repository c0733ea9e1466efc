'use strict'

const fs = require('node:fs')
const path = require('node:path')

const STORAGES = ['pmem', 'classic-level']

/** Whether a server has put databases into a folder. */
function hasDatabases (folder) {
  return STORAGES.some(name => fs.existsSync(path.join(folder, name)))
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

module.exports = { hasDatabases, syncFolder }
