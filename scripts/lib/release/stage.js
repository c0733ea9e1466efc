'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { platforms } = require('../../../packages/addons')
const { InstallError } = require('../install-error')
const { root } = require('../node-modules')

/**
 * Folders of packages as npm takes them.
 *
 * @typedef {{ name: string, folder: string, manifest: any }} Staged
 */

/**
 * Copies all that is published into folders of its own, with its licence, and a manifest for who installs it.
 *
 * @param {string} output a folder
 * @param {string} addons the folder that scripts/prebuild.js made
 * @param {string[]} wanted platforms
 * @returns {Staged[]} each after those that it depends on
 */
function stage (output, addons, wanted) {
  const { packages } = readLerna()
  const binaries = wanted.map(name => stageAddons(path.join(addons, name), output))
  const sources = packages.flatMap(listFolders)
    .map(folder => ({ folder, manifest: readManifest(path.join(root, folder)) }))
    .filter(({ manifest }) => manifest.private !== true)
  return [...binaries, ...inOrder(sources.map(source => stageSource(source, output)))]
}

/** @param {string} pattern of lerna.json @returns {string[]} */
function listFolders (pattern) {
  if (!pattern.endsWith('/*')) return [pattern]
  const group = pattern.slice(0, -'/*'.length)
  return fs.readdirSync(path.join(root, group)).map(name => `${group}/${name}`).filter(folder => fs.existsSync(path.join(root, folder, 'package.json')))
}

/** @param {{ folder: string, manifest: any }} source @param {string} output @returns {Staged} */
function stageSource ({ folder, manifest }, output) {
  const target = path.join(output, folderName(manifest.name))
  if (manifest.scripts?.prepack !== undefined) makeBundles(path.join(root, folder))
  for (const name of [...manifest.files, 'README.md']) copy(path.join(root, folder, name), path.join(target, name))
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'))
  const published = forUsers(manifest)
  fs.writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  return { name: manifest.name, folder: target, manifest: published }
}

/** Runs what npm runs before it packs: staged packages have no scripts. @param {string} folder */
function makeBundles (folder) {
  const { status } = spawnSync('npm', ['run', '--silent', 'prepack'], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new InstallError(`\`npm run prepack\` has failed in ${folder}, see above.`)
}

/**
 * Leaves out what is for the repository. The packages of the platforms are named here and not in the repository's
 * manifest, because npm ci would look for them in the registry before they are there.
 *
 * @param {any} manifest
 */
function forUsers ({ scripts, devDependencies, ...manifest }) {
  if (manifest.name !== '@potoroo/addons') return manifest
  return { ...manifest, optionalDependencies: Object.fromEntries(platforms.map(({ name }) => [`@potoroo/addons-${name}`, manifest.version])) }
}

/** @param {string} folder @param {string} output @returns {Staged} @throws {InstallError} */
function stageAddons (folder, output) {
  const fault = findFault(folder)
  if (fault !== undefined) throw new InstallError(fault)
  const manifest = readManifest(folder)
  const target = path.join(output, folderName(manifest.name))
  copy(folder, target)
  return { name: manifest.name, folder: target, manifest }
}

/** Says what keeps the addons of a platform out of a release. @param {string} folder @returns {string | undefined} */
function findFault (folder) {
  if (!fs.existsSync(path.join(folder, 'package.json'))) return `There are no addons in ${folder}: \`node scripts/prebuild.js\` makes them.`
  const { version } = readManifest(folder)
  const wanted = readLerna().version
  return version === wanted ? undefined : `The addons in ${folder} are of ${version}, not ${wanted}: \`node scripts/prebuild.js\` makes them again.`
}

/** @param {Staged[]} staged @returns {Staged[]} */
function inOrder (staged) {
  /** @type {Staged[]} */
  const ordered = []
  const add = (/** @type {Staged} */ each) => {
    if (ordered.includes(each)) return
    for (const name of Object.keys({ ...each.manifest.dependencies, ...each.manifest.optionalDependencies })) {
      const needed = staged.find(other => other.name === name)
      if (needed !== undefined) add(needed)
    }
    ordered.push(each)
  }
  staged.forEach(add)
  return ordered
}

/** @returns {{ packages: string[], version: string }} */
function readLerna () { return JSON.parse(fs.readFileSync(path.join(root, 'lerna.json'), 'utf8')) }

/** @param {string} source @param {string} target */
function copy (source, target) { fs.cpSync(source, target, { recursive: true }) }

/** @param {string} folder */
function readManifest (folder) { return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) }

/** @param {string} name of a package */
function folderName (name) { return name.replace('@', '').replace('/', '-') }

module.exports = { findFault, stage }
