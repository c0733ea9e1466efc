'use strict'

const fsp = require('node:fs/promises')

/**
 * Bytes that this process may still write on the disk. Some of it is kept for the administrator of the machine.
 *
 * @param {string} folder
 * @returns {Promise<number>} Infinity for file systems that do not say
 */
async function freeSpace (folder) {
  const { blocks, bavail, bfree, bsize } = await fsp.statfs(folder)
  if (blocks === 0) return Infinity
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize
}

module.exports = { freeSpace }
