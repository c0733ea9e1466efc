'use strict'

const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

/**
 * Unpacks some of a package's tarball, as the npm registry has it. None of its code is run, none of
 * its dependencies is installed.
 *
 * @param {string} name with the version: `pouchdb@4.0.3`
 * @param {string} integrity `sha512-…`, as in a lock file
 * @param {string} folder into which `package/…` goes
 * @param {string[]} wanted folders and files of the package
 * @throws where the registry cannot be reached, or gives other bytes
 */
function unpackTarball (name, integrity, folder, wanted) {
  const tarball = download(name, integrity, folder)
  execFileSync('tar', ['-xzf', tarball, '-C', folder, ...wanted.map((part) => path.posix.join('package', part))])
  fs.rmSync(tarball)
}

/** @param {string} name @param {string} integrity @param {string} folder */
function download (name, integrity, folder) {
  const output = execFileSync('npm', ['pack', name, '--json', '--pack-destination', folder], {
    encoding: 'utf8',
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const tarball = path.join(folder, JSON.parse(output)[0].filename)
  const found = 'sha512-' + createHash('sha512').update(fs.readFileSync(tarball)).digest('base64')
  if (found !== integrity) throw new Error(`${name} from the registry has ${found}, not ${integrity}`)
  return tarball
}

module.exports = { unpackTarball }
