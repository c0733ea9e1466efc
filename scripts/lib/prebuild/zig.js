'use strict'

const { createHash } = require('node:crypto')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('../install-error')

const VERSION = '0.14.1'

/** The SHA-256 of the wheel for Linux on x86-64. */
const DIGEST = '6eb9d4d759b292c83810dbee2e9e8e3fbfbf01d864e6e9811bae711fd74e1c2f'

/**
 * Fetches zig, whose compiler for C and C++ brings the headers and stubs of every glibc, and musl.
 *
 * @param {string} cache a folder
 * @param {(text: string) => void} say
 * @returns {string} the folder of zig
 */
function fetchZig (cache, say) {
  const folder = path.join(cache, `zig-${VERSION}`)
  if (fs.existsSync(path.join(folder, 'ziglang/zig'))) return path.join(folder, 'ziglang')
  say(`fetching zig ${VERSION}`)
  const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', cache, '--only-binary=:all:',
    '--platform=manylinux_2_12_x86_64', `ziglang==${VERSION}`]
  if (spawnSync('python3', words, { stdio: ['ignore', 2, 2] }).status !== 0) throw new InstallError('pip has not fetched zig, see above.')
  const wheel = fs.readdirSync(cache).find(name => name.startsWith(`ziglang-${VERSION}`) && name.endsWith('.whl'))
  if (wheel === undefined) throw new InstallError('pip has left no wheel of zig.')
  checkDigest(path.join(cache, wheel), DIGEST)
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', path.join(cache, wheel), folder], { stdio: ['ignore', 2, 2] })
  if (unpacked.status !== 0) throw new InstallError('The wheel of zig could not be unpacked, see above.')
  fs.chmodSync(path.join(folder, 'ziglang/zig'), 0o755)
  return path.join(folder, 'ziglang')
}

/** @param {string} file @param {string} digest its SHA-256 @throws {InstallError} */
function checkDigest (file, digest) {
  const found = createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  if (found !== digest) throw new InstallError(`${path.basename(file)} has the SHA-256 ${found}, not ${digest}.`)
}

module.exports = { checkDigest, fetchZig }
