'use strict'

const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { InstallError } = require('./install-error')
const { root } = require('./node-modules')

/** An addon of one of the packages, built by its binding.gyp. */
class NativeAddon {
  #folder
  #output
  #stamp

  /** @param {string} name the package's folder in the repository */
  constructor (name) {
    this.name = name
    this.#folder = path.join(root, name)
    this.#output = path.join(this.#folder, 'build/Release')
    this.#stamp = path.join(this.#folder, 'build/sources.sha256')
  }

  /** @returns {{ ready: boolean, reason: string }} whether the addon can be used as it is, or why not */
  state () {
    const current = existsSync(this.#stamp) && readFileSync(this.#stamp, 'utf8') === this.#sourcesDigest()
    if (this.#file() !== null && !current) return { ready: false, reason: 'its sources have changed' }
    const reason = this.loadError()
    return { ready: reason === null, reason: reason ?? '' }
  }

  /** @returns {string | null} why the addon does not load, whatever sources it was built of */
  loadError () {
    const file = this.#file()
    return file === null ? 'not built yet' : loadError(file)
  }

  /** @throws {InstallError} */
  build () {
    const digest = this.#sourcesDigest()
    const nodeGyp = require.resolve('node-gyp/bin/node-gyp.js', { paths: [this.#folder] })
    const words = [nodeGyp, 'configure', 'build', '--jobs=max', '--loglevel=warn', ...headersOption()]
    const built = spawnSync(process.execPath, words, { cwd: this.#folder, stdio: ['ignore', 2, 2] })
    if (built.status !== 0) throw new InstallError(`The native addon of ${this.name} could not be built, see above.`)
    const reason = loadError(this.#file())
    if (reason !== null) throw new InstallError(`The native addon of ${this.name} was built, but it does not load: ${reason}`)
    writeFileSync(this.#stamp, digest)
  }

  /** A digest of all that the addon is made of, so that neither a checkout nor a touch counts as a change. */
  #sourcesDigest () {
    const hash = createHash('sha256')
    const sources = readdirSync(path.join(this.#folder, 'src'), { recursive: true }).map(name => path.join('src', String(name)))
    for (const name of [...sources, 'binding.gyp'].sort()) {
      if (!/\.(cc|cpp|c|h|hpp|gyp|gypi)$/.test(name) || !existsSync(path.join(this.#folder, name))) continue
      hash.update(`${name}\0`).update(readFileSync(path.join(this.#folder, name)))
    }
    return hash.update(`${process.platform} ${process.arch}`).digest('hex')
  }

  #file () {
    if (!existsSync(this.#output)) return null
    const name = readdirSync(this.#output).find(name => name.endsWith('.node'))
    return name === undefined ? null : path.join(this.#output, name)
  }
}

/**
 * Loads the addon, all symbols: one that was built elsewhere, or whose libraries are gone, fails.
 *
 * @param {string | null} file null where there is none
 * @returns {string | null}
 */
function loadError (file) {
  try {
    process.dlopen({ exports: {} }, /** @type {string} */ (file), os.constants.dlopen.RTLD_NOW)
    return null
  } catch (error) {
    return String(error.message).split('\n')[0]
  }
}

/** Node's own headers where it brought them, so that node-gyp has nothing to download. */
function headersOption () {
  const prefix = path.resolve(path.dirname(process.execPath), '..')
  return existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : []
}

const storage = new NativeAddon('packages/pmemobj')
const collation = new NativeAddon('packages/collation')

module.exports = { NativeAddon, storage, collation }
