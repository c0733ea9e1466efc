'use strict'

const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { InstallError } = require('./install-error')
const { root } = require('./node-modules')

const folder = path.join(root, 'packages/pmemobj')
const output = path.join(folder, 'build/Release')
const stamp = path.join(folder, 'build/sources.sha256')

/** A digest of all that the addon is made of, so that neither a checkout nor a touch counts as a change. */
function sourcesDigest () {
  const hash = createHash('sha256')
  const sources = readdirSync(path.join(folder, 'src'), { recursive: true }).map(name => path.join('src', String(name)))
  for (const name of [...sources, 'binding.gyp'].sort()) {
    if (!/\.(cc|cpp|c|h|hpp|gyp|gypi)$/.test(name) || !existsSync(path.join(folder, name))) continue
    hash.update(`${name}\0`).update(readFileSync(path.join(folder, name)))
  }
  return hash.update(`${process.platform} ${process.arch}`).digest('hex')
}

function addonFile () {
  if (!existsSync(output)) return null
  const name = readdirSync(output).find(name => name.endsWith('.node'))
  return name === undefined ? null : path.join(output, name)
}

/** Loads the addon, all symbols: one that was built elsewhere, or whose libpmemobj is gone, fails. */
function loadError (file) {
  try {
    process.dlopen({ exports: {} }, file, os.constants.dlopen.RTLD_NOW)
    return null
  } catch (error) {
    return String(error.message).split('\n')[0]
  }
}

/** @returns {{ ready: boolean, reason: string }} whether the addon can be used as it is, or why not */
function addonState () {
  const file = addonFile()
  if (file === null) return { ready: false, reason: 'not built yet' }
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== sourcesDigest()) return { ready: false, reason: 'its sources have changed' }
  const reason = loadError(file)
  return { ready: reason === null, reason: reason ?? '' }
}

/** Node's own headers where it brought them, so that node-gyp has nothing to download. */
function headersOption () {
  const prefix = path.resolve(path.dirname(process.execPath), '..')
  return existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : []
}

/** @throws {InstallError} */
function buildAddon () {
  const digest = sourcesDigest()
  const nodeGyp = require.resolve('node-gyp/bin/node-gyp.js', { paths: [folder] })
  const words = [nodeGyp, 'configure', 'build', '--jobs=max', '--loglevel=warn', ...headersOption()]
  const built = spawnSync(process.execPath, words, { cwd: folder, stdio: ['ignore', 2, 2] })
  if (built.status !== 0) throw new InstallError('The native addon of packages/pmemobj could not be built, see above.')
  const reason = loadError(addonFile())
  if (reason !== null) throw new InstallError(`The native addon was built, but it does not load: ${reason}`)
  writeFileSync(stamp, digest)
}

module.exports = { addonState, buildAddon }
