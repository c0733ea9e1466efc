'use strict'

const { spawnSync } = require('node:child_process')
const path = require('node:path')

/** The Debian package, in a clean chroot: the script beside this folder. */
module.exports = {
  name: 'apt-get install potoroo.deb',
  missing: () => process.getuid?.() !== 0 ? 'it needs root' : spawnSync('mmdebstrap', ['--version']).error ? 'there is no mmdebstrap' : null,
  /** @returns {Promise<string>} what it printed */
  async run () {
    const { status, stdout } = spawnSync(path.join(__dirname, '../debian'), { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
    if (status !== 0) throw new Error(stdout)
    return stdout.trim()
  }
}
