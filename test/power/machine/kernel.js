'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** In Debian's order of needing each other; what a kernel has built in is not there as a file. */
const MODULES = ['virtio_pci', '9pnet_virtio', '9p', 'nfit', 'nd_pmem', 'ext4', 'xfs']

/**
 * Finds a kernel with its modules: this machine's own, or Debian's, unpacked into a folder and not installed.
 *
 * @param {string} folder for Debian's
 * @returns {{ image: string, root: string, version: string }}
 */
function findKernel (folder) {
  const found = kernelIn('/') ?? kernelIn(folder)
  if (found !== undefined) return found
  fs.mkdirSync(folder, { recursive: true })
  const version = /Depends: (linux-image-\S+)/.exec(execFileSync('apt-cache', ['depends', 'linux-image-amd64'], { encoding: 'utf8' }))?.[1]
  execFileSync('apt-get', ['download', String(version)], { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] })
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.deb')) execFileSync('dpkg', ['-x', path.join(folder, name), folder])
  const unpacked = kernelIn(folder)
  if (unpacked === undefined) throw new Error(`there is no kernel with nd_pmem in ${folder}`)
  execFileSync('depmod', ['-b', folder, unpacked.version])
  return unpacked
}

function kernelIn (root) {
  const boot = path.join(root, 'boot')
  const versions = fs.existsSync(boot) ? fs.readdirSync(boot).flatMap(name => /^vmlinuz-(.*)/.exec(name)?.[1] ?? []) : []
  const version = versions.find(version => fs.existsSync(path.join(root, 'lib/modules', version, 'kernel/drivers/nvdimm/nd_pmem.ko')))
  return version && { image: path.join(boot, `vmlinuz-${version}`), root, version }
}

/** Makes an initial root: busybox, the modules in the order in which they are to be loaded, and `init`. */
function makeInitialRoot ({ root, version }, folder, archive) {
  fs.mkdirSync(path.join(folder, 'modules'), { recursive: true })
  for (const name of ['bin', 'proc', 'sys', 'dev', 'host']) fs.mkdirSync(path.join(folder, name))
  fs.copyFileSync(execFileSync('which', ['busybox'], { encoding: 'utf8' }).trim(), path.join(folder, 'bin/busybox'))
  fs.copyFileSync(path.join(__dirname, 'init'), path.join(folder, 'init'))
  fs.chmodSync(path.join(folder, 'init'), 0o755)
  modulesOf(root, version).forEach((file, i) => fs.copyFileSync(file, path.join(folder, 'modules', `${10 + i}-${path.basename(file)}`)))
  execFileSync('sh', ['-c', `find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 > ${archive}`], { cwd: folder })
}

function modulesOf (root, version) {
  const lines = MODULES.flatMap(name => execFileSync('modprobe', ['--ignore-install', '--config', '/dev/null', '--dirname', root, '--set-version', version, '--show-depends', name],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n'))
  return [...new Set(lines.flatMap(line => /^insmod (\S+)/.exec(line)?.[1] ?? []))]
}

module.exports = { findKernel, makeInitialRoot }
