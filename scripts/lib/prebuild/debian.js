'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('../install-error')

const RELEASE = 'trixie'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Reads the lists of one release of Debian, beside those of this machine, which stay as they are.
 *
 * @param {string} cache a folder
 * @param {'deb' | 'deb-src'} kind
 * @param {string[]} architectures
 * @returns {(...words: string[]) => void} runs apt-get there; it leaves what it downloads in the folder
 */
function openDebian (cache, kind, architectures) {
  const lists = path.join(cache, `apt-${kind}`)
  fs.mkdirSync(path.join(lists, 'partial'), { recursive: true })
  const list = path.join(cache, `${kind}.list`)
  fs.writeFileSync(list, `${kind} [signed-by=${KEYRING}] ${debianSite()} ${RELEASE} main\n`)
  const settings = [`Dir::Etc::SourceList=${list}`, 'Dir::Etc::SourceParts=-', `Dir::State::Lists=${lists}`, 'Dir::State::status=/dev/null',
    'Dir::Cache::pkgcache=', 'Dir::Cache::srcpkgcache=', ...architectures.map(architecture => `APT::Architectures::=${architecture}`)]
  const options = settings.flatMap(setting => ['-o', setting])
  const run = (/** @type {string[]} */ ...words) => { spawnSync('apt-get', [...options, ...words], { cwd: cache, stdio: ['ignore', 2, 2] }) }
  run('update')
  return run
}

/** Returns where this machine has Debian's packages from. */
function debianSite () {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages', 'Origin: Debian'], { encoding: 'utf8' })
  const site = stdout?.split('\n').find(line => line.endsWith('/debian'))
  if (site === undefined) throw new InstallError('apt knows no archive of Debian: what the addons are built of, or run on, comes from there.')
  return site
}

module.exports = { openDebian }
