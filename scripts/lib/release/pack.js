'use strict'

const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('../install-error')

/**
 * Packs staged packages, all by one call of npm.
 *
 * @param {import('./stage').Staged[]} staged
 * @param {string} output a folder
 * @returns {Array<import('./stage').Staged & { tarball: string, files: string[] }>}
 */
function pack (staged, output) {
  fs.mkdirSync(output, { recursive: true })
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', output, ...staged.map(({ folder }) => folder)]
  const { status, stdout } = spawnSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 2], maxBuffer: 2 ** 26 })
  if (status !== 0) throw new InstallError('npm pack has failed, see above.')
  const packed = Object.values(JSON.parse(stdout))
  return staged.map(each => {
    const { filename, files } = packed.find(({ name }) => name === each.name)
    return { ...each, tarball: path.join(output, filename), files: files.map((/** @type {{ path: string }} */ file) => file.path) }
  })
}

/** @param {string[]} tarballs @param {string} file that `sha256sum --check` takes */
function writeSums (tarballs, file) {
  const lines = tarballs.map(tarball => `${createHash('sha256').update(fs.readFileSync(tarball)).digest('hex')}  ${path.basename(tarball)}\n`)
  fs.writeFileSync(file, lines.join(''))
}

module.exports = { pack, writeSums }
