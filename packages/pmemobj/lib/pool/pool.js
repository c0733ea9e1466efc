'use strict'

const { createSecretKey } = require('node:crypto')
const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { destroy } = require('./destroy')
const { checkName, isHidden } = require('../map/map-name')
const { Heap } = require('../objects/heap/heap')
const { MapChanges } = require('../objects/heap/map-changes')
const { plain } = require('../objects/heap/plain')
const { join, triplesOf } = require('../map/pool-operations')
const { OrderedMap } = require('../map/ordered-map')
const { checkCacheSize, checkDurability, checkKey, checkPath, checkReadOnly } = require('./pool-options')
const { bytesOf } = require('./size')
const { Snapshot } = require('../map/snapshot')
const { SnapshotStream } = require('../map/snapshot-stream')
const { encrypt } = require('../backup/encrypt')
const { restore } = require('../backup/restore')
const { writeBackup } = require('../backup/write')
const { writeToFile } = require('../backup/to-file')
const { load } = require('../dump/load')
const { checkDumpOptions, writeDump } = require('../dump/write')

// Address space is reserved for all of it: 128 TiB are what a process has.
const DEFAULT_MAX_SIZE = 2 ** 36

/** The place where a scrub begins, and the bytes of a step. */
const NOTHING = Buffer.alloc(0)
const SCRUBBED = 1024 * 1024

/** A pool of libpmemobj. All calls are synchronous and durable when they return. */
class Pool {
  #handle
  #path
  #closed = false
  #readOnly
  /** @type {Map<string, OrderedMap>} */
  #maps = new Map()
  /** @type {import('../map/ordered-map').Session} */
  #session = { heap: undefined }
  #heapOptions
  /** @type {import('node:crypto').KeyObject | undefined} of a pool that is encrypted: for backups */
  #key
  /** @type {Promise<import('../..').CompactSummary> | undefined} under way */
  #compaction

  /**
   * Use `Pool.open`.
   *
   * @param {string} location
   * @param {import('../..').OpenOptions & { exclusive?: boolean }} options
   */
  constructor (location, options) {
    this.#readOnly = checkReadOnly(options)
    const { size = 0, maxSize = DEFAULT_MAX_SIZE, createIfMissing = !this.#readOnly, errorIfExists = false, exclusive = false } = options
    this.#path = checkPath(location)
    this.#heapOptions = { collect: options.collect !== false, strict: options.strict === true, cacheSize: checkCacheSize(options.cacheSize) }
    const greatest = bytesOf(maxSize, 'maxSize')
    // An existing pool keeps its greatest size, unless another is asked for.
    this.#handle = binding.open(location, Boolean(createIfMissing), Boolean(errorIfExists), Boolean(exclusive),
      bytesOf(size, 'size'), greatest, options.maxSize === undefined ? 0 : greatest, checkDurability(options.durability), checkKey(options.key), this.#readOnly,
      options.decryptedMemory === undefined ? 0 : bytesOf(options.decryptedMemory, 'decryptedMemory'))
    if (options.key !== undefined) this.#key = createSecretKey(options.key)
  }

  /**
   * @param {string} location
   * @param {import('../..').OpenOptions} [options]
   */
  static open (location, options = {}) {
    return new Pool(location, options)
  }

  /**
   * Makes a pool where there is none.
   *
   * @param {string} location
   * @param {import('../..').OpenOptions} [options]
   */
  static create (location, options = {}) {
    return new Pool(location, { ...options, createIfMissing: true, errorIfExists: true })
  }

  /**
   * Removes a pool's files: of a folder only those that belong to the pool.
   *
   * @param {string} location
   * @param {{ ifEmpty?: boolean, key?: Uint8Array }} [options] ifEmpty: only of a pool without maps
   * @returns {boolean} whether it has gone
   */
  static destroy (location, { ifEmpty = false, key = undefined } = {}) {
    return destroy(Pool, checkPath(location), ifEmpty, checkKey(key))
  }

  /**
   * Makes a pool of a backup. There is none before all of the backup was read and found good.
   *
   * @param {string} location
   * @param {unknown} source stream of bytes
   * @param {import('../..').RestoreOptions} [options]
   * @returns {Promise<import('../..').BackupSummary>}
   */
  static async restore (location, source, options = {}) {
    return restore(Pool, checkPath(location), source, options)
  }

  /**
   * The same of a dump, as `pool.dump()`, `mdb_dump` and `db_dump` write it.
   *
   * @param {string} location
   * @param {unknown} source stream of bytes
   * @param {import('../..').LoadOptions} [options]
   * @returns {Promise<import('../..').LoadSummary>}
   */
  static async load (location, source, options = {}) {
    return load(Pool, checkPath(location), source, options)
  }

  /**
   * @param {Pool} pool
   * @returns {unknown} what the addon takes for it
   */
  static handleOf (pool) { return pool.#handle }

  get path () { return this.#path }

  get closed () { return this.#closed }

  get readOnly () { return this.#readOnly }

  /**
   * @param {string} name 1 to 255 bytes
   * @returns {OrderedMap}
   */
  map (name) {
    return this.#map(name, binding.openMap(this.#handle, checkName(name)))
  }

  /**
   * The same; nobody drops the map before it is released.
   *
   * @param {string} name
   * @param {{ alone?: boolean }} [options] alone: no other thread may hold it, and this one may drop it
   * @throws PMEMOBJ_IN_USE where this thread holds it already, or another one does alone
   */
  hold (name, { alone = false } = {}) {
    return this.#map(name, binding.holdMap(this.#handle, checkName(name), Boolean(alone)))
  }

  /** @param {string} name */
  release (name) {
    binding.releaseMap(this.#handle, checkName(name))
  }

  /** @param {string} name @param {number} number */
  #map (name, number) {
    const known = this.#maps.get(name)
    // Another thread may have dropped it, and this be another one.
    if (known !== undefined && OrderedMap.isNumber(known, number)) return known
    const map = new OrderedMap(this.#handle, number, name, this.#session)
    this.#maps.set(name, map)
    return map
  }

  /** @returns {string[]} sorted by bytes */
  maps () {
    return binding.listMaps(this.#handle).filter((/** @type {string} */ name) => !isHidden(name))
  }

  /** @param {string} name */
  dropMap (name) {
    this.#refuseInTransaction()
    binding.dropMap(this.#handle, checkName(name))
    this.#maps.delete(name)
  }

  /** @param {unknown[]} operations flat: map, 'put' | 'del', key, value (undefined for 'del') */
  write (operations) {
    const { heap } = this.#session
    if (heap !== undefined && heap.inTransaction) heap.run(() => join(operations, this.#handle))
    else binding.write(this.#handle, triplesOf(operations, this.#handle), 0)
  }

  /**
   * @param {unknown[]} operations as write()'s
   * @returns {Promise<void> | undefined} see OrderedMap
   */
  writeAsync (operations) {
    this.#refuseInTransaction()
    return binding.writeAsync(this.#handle, triplesOf(operations, this.#handle), 0)
  }

  get #inTransaction () { return this.#session.heap !== undefined && this.#session.heap.inTransaction }

  #refuseInTransaction () {
    if (this.#inTransaction) throw createError('PMEMOBJ_IN_TRANSACTION', 'In a transaction, maps are changed by put, del, batch and write')
  }

  /** Makes durable what a relaxed pool would by itself a little later. */
  flush () {
    binding.flush(this.#handle)
  }

  /** @returns {Promise<void>} */
  flushAsync () {
    return binding.flushAsync(this.#handle)
  }

  snapshot () {
    const { heap } = this.#session
    if (heap !== undefined && heap.inTransaction && MapChanges.anyOf(heap.transaction)) {
      throw createError('PMEMOBJ_IN_TRANSACTION', 'There is no snapshot of what the transaction under way has put into maps')
    }
    return new Snapshot(this.#handle)
  }

  get #objects () {
    if (this.#readOnly) throw createError('PMEMOBJ_READ_ONLY', 'The objects of a pool that is read only cannot be had: they are memory to be changed')
    return (this.#session.heap ??= new Heap(this.#handle, this.#heapOptions))
  }

  /** The value that all objects of the pool are reached from. Undefined in a new pool. @returns {any} */
  get root () {
    return this.#objects.root
  }

  set root (value) {
    this.#objects.root = value
  }

  /**
   * A persistent copy of a value. It is kept in the pool once an object there refers to it.
   *
   * @template T
   * @param {T} value
   * @returns {T}
   */
  create (value) {
    return this.#objects.create(value)
  }

  /**
   * Calls a function. All that it changes is in the pool, durably, when this returns; or nothing of
   * it, if it throws or the process ends.
   *
   * @template T
   * @param {() => T} work
   * @returns {T} what it gives
   */
  transaction (work) {
    return this.#objects.run(work)
  }

  /**
   * A copy in JavaScript's memory of what is in the pool.
   *
   * @template T
   * @param {T} value
   * @returns {T}
   */
  plain (value) {
    return plain(value)
  }

  /**
   * Lets the pool keep instances of a class. It has to be done each time the pool is opened.
   *
   * @param {new (...args: any[]) => object} constructor
   * @param {{ name?: string }} [options] what the pool knows it by. Default: its name
   */
  register (constructor, { name = constructor?.name } = {}) {
    if (typeof constructor !== 'function' || typeof constructor.prototype !== 'object') {
      throw new TypeError('Expected a class')
    }
    if (typeof name !== 'string' || name === '') throw new TypeError('A class needs a name')
    this.#objects.classes.register(constructor, name)
  }

  /**
   * Frees all that neither the root nor this thread's JavaScript reaches.
   *
   * @returns {import('../..').CollectSummary}
   */
  collect () {
    return this.#objects.collect()
  }

  /** Lets a thread that only reads see the latest commit, before this turn of the event loop ends. */
  refresh () {
    this.#objects.refresh()
  }

  /**
   * A backup of all maps as they are now, or in a snapshot, for `Pool.restore`. Writes may go on.
   *
   * @param {import('../..').StreamOptions} [options]
   */
  backup (options = {}) {
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
   * @returns {Promise<import('../..').CompactSummary>}
   */
  compact () {
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

  /**
   * @throws PMEMOBJ_IN_USE where memory of an ArrayBuffer was transferred: then the pool stays open
   * @throws PMEMOBJ_IO, or another code, where writes of a relaxed pool could not be made durable:
   *   then it is closed
   */
  close () {
    const { heap } = this.#session
    heap?.checkIdle()
    try {
      binding.close(this.#handle)
    } catch (error) {
      if (error.code !== 'PMEMOBJ_IN_USE') this.#forget()
      throw error
    }
    this.#forget()
  }

  #forget () {
    this.#session.heap?.close()
    this.#closed = true
    this.#maps.clear()
  }
}

module.exports = { DEFAULT_MAX_SIZE, Pool }
