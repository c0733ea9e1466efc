'use strict'

const fs = require('node:fs')

/** Scripts that npm runs where a package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']

/**
 * Checks a packed package as its users get it.
 *
 * @param {ReturnType<import('./pack').pack>[number]} packed
 * @returns {Promise<string[]>} faults, of one line each
 */
async function check (packed) {
  const faults = [...checkFiles(packed), ...checkManifest(packed.manifest)]
  if (packed.manifest.main === undefined) return faults
  return [...faults, ...await checkExports(packed.folder), ...await checkTypes(packed.tarball)]
}

/** @param {ReturnType<import('./pack').pack>[number]} packed */
function checkFiles ({ files, manifest }) {
  const wanted = ['LICENSE', 'README.md', ...(manifest.os === undefined ? [manifest.main, manifest.types] : ['pmemobj.node', 'collation.node', 'THIRD-PARTY-LICENSES'])]
  const unwanted = files.filter(file => /(^|\/)(test|node_modules|build\/Release|bench)\//.test(file))
  return [...wanted.filter(file => !files.includes(file)).map(file => `lacks ${file}`), ...unwanted.map(file => `has ${file}`)]
}

/** @param {any} manifest */
function checkManifest (manifest) {
  const runs = INSTALL_SCRIPTS.filter(name => manifest.scripts?.[name] !== undefined)
  // npm builds whatever has a binding.gyp, unless it is told not to.
  const builds = manifest.files.includes('binding.gyp') && manifest.gypfile !== false
  return [...runs.map(name => `has the script ${name}`), ...(builds ? ['is built when it is installed'] : [])]
}

/** @param {string} folder */
async function checkExports (folder) {
  const { publint } = await import('publint')
  const { formatMessage } = await import('publint/utils')
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'warning' })
  return messages.map(message => `publint: ${formatMessage(message, pkg ?? {}, { color: false })}`)
}

/** Finds types that are not those of what Node.js or a bundler loads. @param {string} tarball */
async function checkTypes (tarball) {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(fs.readFileSync(tarball))), { entrypoints: ['.'] })
  if (!result.types) return ['has no types']
  // Static members of a class that is the whole export look like named exports to TypeScript; test/install imports the names.
  const faults = result.problems.filter(problem => problem.kind !== 'NamedExports')
  return [...new Set(faults.map(problem => `types: ${problem.kind}`))]
}

module.exports = { check }
