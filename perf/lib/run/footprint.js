'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { processMemory } = require('./meters')
const { findDriver } = require('./catalogue')

/** @returns {number} bytes that a folder's files take on their file system */
function bytesOnMedia (folder) {
  return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).blocks * 512, 0)
}

/**
 * The common part of the trials that measure the memory that opening takes, above that of opening an
 * empty database; with `prepareFootprint`.
 */
const footprint = {
  figure: /** @type {const} */ ('bytes'),
  async run ({ size, folder, empty, driver }) {
    return (bytesToOpen(driver, folder) - bytesToOpen(driver, empty)) / size
  }
}

/** @param {(subject: any, size: number) => Promise<any>} fill of the database */
function prepareFootprint (fill) {
  return async (subject, { size, folder, driver }) => {
    await fill(subject, size)
    await subject.close()
    const empty = path.join(folder, 'empty')
    fs.mkdirSync(empty)
    return { size, folder, empty, driver }
  }
}

/**
 * @param {string} driver its name
 * @param {string} folder of a database that is closed
 * @returns {number} bytes of memory of its own that a process takes to open it: pages of files
 *   that are mapped or cached do not count
 */
function bytesToOpen (driver, folder) {
  return Number(execFileSync(process.execPath, ['--expose-gc', __filename, driver, folder], { encoding: 'utf8' }))
}

function ownMemory () {
  global.gc()
  return processMemory().own
}

async function printBytesToOpen (name, folder) {
  const driver = findDriver(name)
  const before = ownMemory()
  const level = await driver.open(folder)
  process.stdout.write(String(ownMemory() - before))
  await level.close()
}

if (require.main === module) printBytesToOpen(process.argv[2], process.argv[3])

module.exports = { bytesOnMedia, footprint, prepareFootprint }
