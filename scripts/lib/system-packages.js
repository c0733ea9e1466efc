'use strict'

const { spawnSync } = require('node:child_process')
const { accessSync, constants, existsSync, readdirSync } = require('node:fs')
const path = require('node:path')
const { InstallError } = require('./install-error')

/**
 * A part that the system has to provide.
 *
 * @typedef {{ what: string, packages: string[], present: () => boolean, optional?: boolean }} Part
 *   `packages` are Debian's names. Without an optional part, tests are skipped, and say so.
 */

/** @type {Part[]} */
const addonParts = [
  { what: 'a C++ compiler and make', packages: ['build-essential'], present: () => inPath('g++') && inPath('make') },
  { what: 'Python 3 (for node-gyp)', packages: ['python3'], present: () => inPath('python3') }
]

/** @type {Part[]} */
const storageParts = [
  { what: 'libpmemobj\'s headers', packages: ['libpmemobj-dev'], present: () => hasHeader('libpmemobj.h') }
]

/** @type {Part[]} */
const browserParts = [
  { what: 'Chromium', packages: ['chromium'], present: () => findBrowser() !== null }
]

/** @type {Part[]} */
const postgresParts = [
  { what: 'PostgreSQL', packages: ['postgresql'], present: () => findPostgres() !== null },
  { what: 'Go (for the checker of histories)', packages: ['golang-go'], present: () => inPath('go') || inPath('/usr/local/go/bin/go'), optional: true }
]

/** @type {Part[]} */
const engineTestParts = [
  { what: 'CMake', packages: ['cmake'], present: () => inPath('cmake') },
  // The addon has OpenSSL, and its headers, from Node.js.
  { what: 'OpenSSL\'s headers', packages: ['libssl-dev'], present: () => hasHeader('openssl/evp.h') },
  { what: 'clang-format', packages: ['clang-format'], present: () => inPath('clang-format'), optional: true },
  { what: 'clang++ with libFuzzer', packages: ['clang', 'libclang-rt-dev'], present: () => findFuzzingCompiler() !== null, optional: true }
]

/**
 * @param {string} command a name, or a path when it has a slash
 * @returns {string | null} where it is, or null
 */
function findInPath (command) {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(path.delimiter)
  for (const folder of folders) {
    const file = path.join(folder, command)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {}
  }
  return null
}

/** @param {string} command */
function inPath (command) {
  return findInPath(command) !== null
}

/**
 * Asks the compiler, which knows more places than /usr/include.
 *
 * @param {string} header
 */
function hasHeader (header) {
  const probe = spawnSync('g++', ['-E', '-x', 'c++', '-'], { input: `#include <${header}>\n`, stdio: ['pipe', 'ignore', 'ignore'] })
  return probe.status === 0
}

/** @returns {string | null} a clang++ that links libFuzzer and AddressSanitizer, which are packages of their own */
function findFuzzingCompiler () {
  const input = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }'
  const links = (/** @type {string} */ compiler) => {
    const words = ['-x', 'c++', '-fsanitize=fuzzer,address', '-', '-o', '/dev/null']
    return findInPath(compiler) !== null && spawnSync(compiler, words, { input, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0
  }
  return ['clang++', 'clang++-19', 'clang++-16', 'clang++-14'].find(links) ?? null
}

/** @returns {string | null} the browser for the browser tests: CHROME_BIN, or Debian's Chromium */
function findBrowser () {
  if (process.env.CHROME_BIN) return findInPath(process.env.CHROME_BIN)
  return findInPath('chromium') ?? findInPath('chromium-browser') ?? findInPath('google-chrome')
}

/** @returns {string | null} the folder of the newest PostgreSQL's programs: Debian has them outside of the path */
function findPostgres () {
  const home = '/usr/lib/postgresql'
  const versions = existsSync(home) ? readdirSync(home).sort((a, b) => Number(b) - Number(a)) : []
  const installed = versions.map(version => path.join(home, version, 'bin')).find(folder => inPath(path.join(folder, 'initdb')))
  const initdb = findInPath('initdb')
  return installed ?? (initdb === null ? null : path.dirname(initdb))
}

/**
 * @param {{ addon: boolean, storage?: boolean, browser?: boolean, engineTests?: boolean, postgres?: boolean }} wanted to
 *   build a native addon; to build that of the storage engine; to run the browser tests; to run the engine's; to run
 *   those on PostgreSQL
 * @returns {Part[]} the parts that are not there
 */
function missingParts ({ addon, storage = false, browser = false, engineTests = false, postgres = false }) {
  const parts = [...(addon ? addonParts : []), ...(storage ? storageParts : []), ...(browser ? browserParts : []),
    ...(engineTests ? engineTestParts : []), ...(postgres ? postgresParts : [])]
  return parts.filter(part => !part.present())
}

/** The words that run a command as root: none for root, sudo for others where it exists. */
function rootPrefix () {
  if (process.getuid?.() === 0) return []
  if (!inPath('sudo')) return null
  return process.stdin.isTTY ? ['sudo'] : ['sudo', '-n']
}

/** @param {string[]} prefix @param {string[]} words */
function aptGet (prefix, words) {
  const command = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120', ...words]
  // apt's progress goes to standard error: the standard output belongs to the command that follows.
  return spawnSync(command[0], command.slice(1), { stdio: ['inherit', 2, 2] }).status === 0
}

/**
 * @param {Part[]} parts
 * @param {(text: string) => void} say
 * @throws {InstallError} when a part is missing afterwards
 */
function installWithApt (parts, say) {
  const packages = parts.flatMap(part => part.packages)
  const byHand = `Please install ${parts.map(part => part.what).join(', ')} (on Debian: apt-get install ${packages.join(' ')}).`
  if (!inPath('apt-get')) throw new InstallError(`There is no apt-get here. ${byHand}`)
  const prefix = rootPrefix()
  if (prefix === null) throw new InstallError(`Installing needs root, and there is no sudo here. ${byHand}`)
  say(`apt-get install ${packages.join(' ')}`)
  // A failing update may be one broken source among good ones: the install decides.
  aptGet(prefix, ['update'])
  const installed = aptGet(prefix, ['install', '-y', '--no-install-recommends', ...packages])
  const still = parts.filter(part => !part.present())
  if (!installed || still.length > 0) throw new InstallError(`apt-get could not install ${packages.join(' ')}. ${byHand}`)
}

module.exports = { missingParts, installWithApt, findBrowser, findFuzzingCompiler, findPostgres, InstallError }
