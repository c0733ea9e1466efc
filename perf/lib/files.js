'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** @returns {number} bytes that a folder's files take on their file system */
function bytesOnMedia (folder) {
  return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).blocks * 512, 0)
}

/**
 * @param {string} driver file of the driver
 * @param {string} folder of a database that is closed
 * @returns {number} bytes of memory of its own that a process takes to open it: pages of files
 *   that are mapped or cached do not count
 */
function bytesToOpen (driver, folder) {
  return Number(execFileSync(process.execPath, ['--expose-gc', __filename, driver, folder], { encoding: 'utf8' }))
}

function ownMemory () {
  global.gc()
  const [, kilobytes] = fs.readFileSync('/proc/self/status', 'utf8').match(/^RssAnon:\s+(\d+) kB$/m)
  return Number(kilobytes) * 1024
}

async function printBytesToOpen (driver, folder) {
  const before = ownMemory()
  const level = await require(driver).open(folder)
  process.stdout.write(String(ownMemory() - before))
  await level.close()
}

if (require.main === module) printBytesToOpen(process.argv[2], process.argv[3])

module.exports = { bytesOnMedia, bytesToOpen }
