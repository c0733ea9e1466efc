'use strict'

const { createSecretKey } = require('node:crypto')
const binding = require('../binding/binding')
const { checkDurability, checkKey, checkNames, checkPath } = require('./pool-options')
const { SnapshotStream } = require('../map/snapshot-stream')
const { encrypt } = require('../backup/encrypt')
const { writeBackup } = require('../backup/write')
const { writeToFile } = require('../backup/to-file')
const { checkDumpOptions, writeDump } = require('../dump/write')

/** The place where a scrub begins, and the bytes of a step. */
const NOTHING = Buffer.alloc(0)
const SCRUBBED = 1024 * 1024

/** A pool as a whole: its files, their content and their upkeep. */
class StoredPool {
  #handle
  #path
  #readOnly
  /** @type {import('node:crypto').KeyObject | undefined} of a pool that is encrypted: for backups */
  #key
  /** @type {Promise<import('../..').CompactSummary> | undefined} under way */
  #compaction

  /**
   * @param {unknown} handle
   * @param {string} path
   * @param {{ readOnly: boolean, key?: Uint8Array }} options
   */
  constructor (handle, path, { readOnly, key }) {
    this.#handle = handle
    this.#path = path
    this.#readOnly = readOnly
    if (key !== undefined) this.#key = createSecretKey(key)
  }

  /**
   * @param {StoredPool} pool
   * @returns {unknown} what the addon takes for it
   */
  static handleOf (pool) { return pool.#handle }

  get path () { return this.#path }

  get readOnly () { return this.#readOnly }

  /** As the first of the process's threads has opened it. */
  get durability () { return binding.isRelaxed(this.#handle) ? 'relaxed' : 'strict' }

  /**
   * Whether one more user of the same pool, by any thread, may have it so: for who shares this Pool.
   *
   * @param {{ durability?: string, key?: Uint8Array }} options
   * @throws what `Pool.open` would throw for them
   */
  admit ({ durability, key }) {
    binding.admit(this.#handle, this.path, checkDurability(durability), checkKey(key))
  }

  /** @returns {import('../..').PoolStats} */
  stats () {
    return binding.stats(this.#handle)
  }

  /** Makes durable what a relaxed pool would by itself a little later. */
  flush () {
    binding.flush(this.#handle)
  }

  /** @returns {Promise<void>} */
  flushAsync () {
    return binding.flushAsync(this.#handle)
  }

  /**
   * A backup of all maps as they are now, or in a snapshot, for `Pool.restore`. Writes may go on.
   *
   * @param {import('../..').StreamOptions} [options]
   */
  backup (options = {}) {
    checkNames(options, 'pool.backup()')
    const key = this.#key
    return new SnapshotStream(this.#handle, options, key === undefined ? writeBackup : walk => encrypt(writeBackup(walk), key))
  }

  /**
   * The same into a file, durably. Until the backup is whole, the file is missing or as it was.
   *
   * @param {string} file
   * @param {import('../..').StreamOptions} [options]
   */
  async backupTo (file, options = {}) {
    checkPath(file)
    const stream = this.backup(options)
    await writeToFile(stream, file)
    return stream.progress
  }

  /**
   * All maps, as they are now or in a snapshot, as text that `mdb_load` and `db_load` read.
   *
   * @param {import('../..').DumpOptions} [options]
   */
  dump (options = {}) {
    checkNames(options, 'pool.dump()')
    checkDumpOptions(options)
    return new SnapshotStream(this.#handle, options, writeDump)
  }

  /**
   * From now on the pool opens with that key instead of the one before.
   *
   * @param {Uint8Array} key 32 bytes
   */
  rotateKey (key) {
    if (key === undefined) throw new TypeError('The key must be a Uint8Array of 32 bytes')
    binding.rotateKey(this.#handle, checkKey(key))
    this.#key = createSecretKey(key)
  }

  /**
   * Brings what is in use together, and gives the file system the space that is then free.
   *
   * @param {{}} [options] there are none
   * @returns {Promise<import('../..').CompactSummary>}
   */
  compact (options) {
    checkNames(options, 'pool.compact()')
    this.#compaction ??= this.#compact().finally(() => { this.#compaction = undefined })
    return this.#compaction
  }

  async #compact () {
    const before = binding.bytesOnDisk(this.#handle)
    do await binding.compactAsync(this.#handle)
    while (!binding.isCompacted(this.#handle))
    return { before, after: binding.bytesOnDisk(this.#handle) }
  }

  /**
   * Verifies the checksums of pages and values again: a step of a pass over the whole pool.
   *
   * @param {{ map: Buffer, key: Buffer }} [from] where the step before has ended
   * @param {number} [bytes] to be read, about
   * @returns {Promise<import('../..').ScrubStep>}
   */
  async scrub ({ map, key } = { map: NOTHING, key: NOTHING }, bytes = SCRUBBED) {
    return binding.scrubAsync(this.#handle, map, key, bytes)
  }
}

module.exports = { StoredPool }
