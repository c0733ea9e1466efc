'use strict'

const { realpath } = require('node:fs/promises')
const path = require('node:path')
const { AbstractLevel } = require('abstract-level')
const { RecoverableLevel } = require('./recoverable-level')
const { closeFolder, makeFolder, removeUnborn, refuseWithoutCurrent } = require('./level-folder')
const { syncFolder } = require('./sync-folder')

// Its options are classic-level's.
const Base = /** @type {any} */ (RecoverableLevel)

const CLEARED_AT_ONCE = 1000

// LevelDB's errors for a folder that it began to make.
const UNFINISHED = ['LEVEL_CORRUPTION', 'LEVEL_IO_ERROR']

/** Folders that this thread has open: LevelDB, asked for one again, refuses, but closes its lock file, and with that the system drops the lock. @type {Set<string>} */
const held = new Set()

/**
 * @typedef {import('./recoverable-level').Part} Part
 * @typedef {import('./recoverable-level').Operation} Operation
 * @typedef {import('./recoverable-level').OpenOptions} OpenOptions
 * @typedef {import('./recoverable-level').ReadOptions} ReadOptions
 * @typedef {import('./recoverable-level').WriteOptions} WriteOptions
 */

/**
 * classic-level whose every write is on disk when its promise resolves, unless `sync` is false. By
 * itself LevelDB leaves that to the operating system, and a power cut takes the last writes back.
 * Its folder opens again after a power cut at any moment, those while it is made among them. Only
 * the owner may read it.
 */
class DurableClassicLevel extends Base {
  #sync
  /** The folder that it holds. @type {string | undefined} */
  #folder

  /** @param {string} location */
  constructor (location, { sync = true, ...options } = {}) {
    super(location, options)
    this.#sync = sync
  }

  /** @param {OpenOptions} options */
  async _open (options) {
    const made = options.createIfMissing && await makeFolder(this.location)
    await this.#hold()
    try {
      await closeFolder(this.location)
      if (options.createIfMissing) await this.#openOrMake(options, made)
      else await super._open(options)
      await closeFolder(this.location)
    } catch (error) {
      this.#release()
      throw error
    }
  }

  async _close () {
    await super._close()
    this.#release()
  }

  async #hold () {
    const folder = await realpath(this.location).catch(() => path.resolve(this.location))
    if (held.has(folder)) throw Object.assign(new Error(`IO error: lock ${path.join(this.location, 'LOCK')}: already held by process`), { code: 'LEVEL_LOCKED' })
    held.add(folder)
    this.#folder = folder
  }

  #release () {
    if (this.#folder !== undefined) held.delete(this.#folder)
    this.#folder = undefined
  }

  /** @param {OpenOptions} options @param {boolean | undefined} made */
  async #openOrMake (options, made) {
    const location = this.location
    await refuseWithoutCurrent(location)
    try {
      await super._open(made ? { ...options, errorIfExists: false } : options)
    } catch (error) {
      if (!UNFINISHED.includes(error.code) || !await removeUnborn(location)) throw error
      await makeFolder(location)
      await super._open({ ...options, errorIfExists: false })
    }
    await syncFolder(location)
  }

  /** @param {Part} key @param {Part} value @param {WriteOptions} options */
  _put (key, value, options) {
    return super._put(key, value, { ...options, sync: this.#sync })
  }

  /** @param {Part} key @param {WriteOptions} options */
  _del (key, options) {
    return super._del(key, { ...options, sync: this.#sync })
  }

  /** @param {Operation[]} operations @param {WriteOptions} options */
  _batch (operations, options) {
    return super._batch(operations, { ...options, sync: this.#sync })
  }

  /** abstract-level's own, which writes by `_batch`. */
  _chainedBatch () {
    return /** @type {any} */ (AbstractLevel).prototype._chainedBatch.call(this)
  }

  /**
   * classic-level clears without sync, and has no option for it.
   *
   * @param {ReadOptions} options
   */
  async _clear (options) {
    if (!this.#sync) return super._clear(options)
    const { keyEncoding } = options
    const keys = this.keys(options)
    try {
      while (true) {
        const some = await keys.nextv(CLEARED_AT_ONCE)
        if (some.length === 0) return
        await this._batch(some.map(/** @param {Part} key */ key => ({ type: 'del', key, keyEncoding })), {})
      }
    } finally {
      await keys.close()
    }
  }
}

module.exports = { DurableClassicLevel }
