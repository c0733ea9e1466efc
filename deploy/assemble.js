'use strict'

// node deploy/assemble.js FOLDER: puts the server and all that it needs to run, without what only builds
// and tests need, into a new folder. The clone has to be built: npm start, or scripts/setup.

const fs = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')

/**
 * Copies a package and, in turn, what it depends on.
 *
 * @param {string} folder of the package, in the clone
 * @param {string} target its place
 * @param {Set<string>} done folders
 * @param {string} destination
 */
function add (folder, target, done, destination) {
  if (done.has(folder)) return
  done.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  copy(folder, target)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    // What builds addons has done its work.
    if (name === 'node-gyp' || name === 'node-addon-api') continue
    const found = find(folder, name)
    if (found === null && Object.hasOwn(optionalDependencies, name)) continue
    if (found === null) throw new Error(`${name}, which ${folder} needs, is not installed: run npm start first`)
    const nested = found.startsWith(`${folder}${path.sep}`)
    add(fs.realpathSync(found), path.join(nested ? target : destination, 'node_modules', name), done, destination)
  }
}

/** @param {string} folder @param {string} name @returns {string | null} where Node.js would find it */
function find (folder, name) {
  for (let at = folder; ; at = path.dirname(at)) {
    const place = path.join(at, 'node_modules', name)
    if (fs.existsSync(place)) return place
    if (at === root || at === path.dirname(at)) return null
  }
}

/** @param {string} folder @param {string} target */
function copy (folder, target) {
  const own = !folder.includes(`${path.sep}node_modules${path.sep}`)
  fs.cpSync(folder, target, { recursive: true, filter: source => own ? isWanted(path.relative(folder, source)) : isRun(path.relative(folder, source)) })
}

/** Of others' packages all but sources of addons, and maps for debuggers. @param {string} name */
function isRun (name) {
  const parts = name.split(path.sep)
  return !parts.includes('node_modules') && parts[0] !== 'deps' && !name.endsWith('.map')
}

/** Of our own packages what is published, and addons. @param {string} name */
function isWanted (name) {
  const [first, second] = name.split(path.sep)
  if (['node_modules', 'test', 'src', 'examples', 'docs', 'binding.gyp'].includes(first)) return false
  if (first !== 'build' || second === undefined) return true
  if (second !== 'Release') return !/^(Makefile|.*\.mk|config\.gypi|sources\.sha256)$/.test(second)
  return path.basename(name) === 'Release' || (name.endsWith('.node') && !name.includes('obj.target'))
}

/** @param {string} destination */
function assemble (destination) {
  if (fs.existsSync(destination) && fs.readdirSync(destination).length > 0) throw new Error(`${destination} is not empty`)
  add(path.join(root, 'server'), path.join(destination, 'node_modules/potoroo'), new Set(), destination)
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(destination, 'LICENSE'))
}

if (require.main === module) assemble(path.resolve(process.argv[2]))

module.exports = { assemble }
