'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')
const { InstallError } = require('./install-error')

const root = path.resolve(__dirname, '../..')

/** @param {string} file @returns {Record<string, { version: string, optional?: boolean }>} */
function readPackages (file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages
}

/**
 * Compares package-lock.json with the lock that npm leaves in node_modules.
 *
 * @returns {string | null} why an install is needed, or null
 */
function nodeModulesOutOfDate () {
  if (!existsSync(path.join(root, 'node_modules/.package-lock.json'))) return 'there are none'
  const wanted = readPackages('package-lock.json')
  const installed = readPackages('node_modules/.package-lock.json')
  for (const [place, entry] of Object.entries(wanted)) {
    // Optional packages are left out where they do not fit the platform.
    if (entry.optional || !place.includes('node_modules/')) continue
    if (installed[place] === undefined) return `${place} is missing`
    if (installed[place].version !== entry.version) return `${place} is ${installed[place].version}, not ${entry.version}`
  }
  return null
}

/**
 * Runs npm by way of the npm that runs us, so that both are the same version.
 *
 * @param {string[]} words
 */
function npm (words) {
  const own = process.env.npm_execpath
  const [command, first] = own ? [process.execPath, [own]] : ['npm', []]
  return spawnSync(command, [...first, ...words], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0
}

/**
 * The install scripts are left out of `npm ci`: the addon is built in a step of its own, whose
 * failure is no failure of everything, and classic-level's only fetches or builds its binary.
 *
 * @throws {InstallError}
 */
function installNodeModules () {
  if (!npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'])) throw new InstallError('npm ci failed, see above.')
  if (!npm(['rebuild', 'classic-level', '--no-audit', '--no-fund'])) throw new InstallError('classic-level could not be installed, see above.')
}

module.exports = { nodeModulesOutOfDate, installNodeModules, root }
