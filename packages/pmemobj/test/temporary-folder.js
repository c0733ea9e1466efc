'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/**
 * A folder for the tests of one `describe`, removed after them, and fresh paths in it.
 *
 * @returns {{ path: string, next: () => string }} `path` from the first hook on
 */
function temporaryFolder () {
  let count = 0
  const folder = { path: '', next: () => path.join(folder.path, `pool-${count++}`) }
  before(() => { folder.path = fs.mkdtempSync(path.join(os.tmpdir(), 'pmemobj-')) })
  after(() => fs.rmSync(folder.path, { recursive: true, force: true }))
  return folder
}

module.exports = { temporaryFolder }
