'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** `npm install potoroo`, and its command: a server that replicates a document. */
module.exports = {
  name: 'npm install potoroo',
  /** @param {import('../../install/packed-packages').PackedPackages} packages @returns {Promise<string>} what it printed */
  async run (packages) {
    const there = packages.project('server')
    await there.install('potoroo')
    fs.copyFileSync(path.join(__dirname, '../sync.js'), path.join(there.folder, 'sync.js'))
    const { status, output } = await there.run(['sync.js', './node_modules/.bin/potoroo'])
    if (status !== 0) throw new Error(output)
    return output.trim()
  }
}
