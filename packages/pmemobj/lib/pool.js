'use strict'

const binding = require('./binding')
const { createError } = require('./codes')
const { destroy } = require('./destroy')
const { checkName, isHidden } = require('./map-name')
const { Heap } = require('./objects/heap')
const { MapChanges } = require('./objects/map-changes')
const { plain } = require('./objects/plain')
const { join, triplesOf } = require('./operations')
const { OrderedMap } = require('./ordered-map')
const { checkCacheSize, checkDurability, checkPath } = require('./pool-options')
const { bytesOf } = require('./size')
const { Snapshot } = require('./snapshot')
const { SnapshotStream } = require('./snapshot-stream')
const { restore } = require('./backup/restore')
const { writeBackup } = require('./backup/write')
const { writeToFile } = require('./backup/to-file')
const { load } = require('./dump/load')
const { checkDumpOptions, writeDump } = require('./dump/write')

// Address space is reserved for all of it: 128 TiB are what a process has.
const DEFAULT_MAX_SIZE = 2 ** 36

/** A pool of libpmemobj. All calls are synchronous and durable when they return. */
class Pool {
  #handle
  #path
  #closed = false
  /** @type {Map<string, OrderedMap>} */
  #maps = new Map()
  /** @type {import('./ordered-map').Session} */
  #session = { heap: undefined }
  #heapOptions

  /**
   * Use `Pool.open`.
   *
   * @param {string} location
   * @param {import('..').OpenOptions & { exclusive?: boolean }} options
   */
  constructor (location, options) {
    const { size = 0, maxSize = DEFAULT_MAX_SIZE, createIfMissing = true, errorIfExists = false, exclusive = false } = options
    this.#path = checkPath(location)
    this.#heapOptions = { collect: options.collect !== false, cacheSize: checkCacheSize(options.cacheSize) }
    const greatest = bytesOf(maxSize, 'maxSize')
    // An existing pool keeps its greatest size, unless another is asked for.
    this.#handle = binding.open(location, Boolean(createIfMissing), Boolean(errorIfExists), Boolean(exclusive),
      bytesOf(size, 'size'), greatest, options.maxSize === undefined ? 0 : greatest, checkDurability(options.durability))
  }

  /**
   * @param {string} location
   * @param {import('..').OpenOptions} [options]
   */
  static open (location, options = {}) {
    return new Pool(location, options)
  }

  /**
   * Makes a pool where there is none.
   *
   * @param {string} location
   * @param {import('..').OpenOptions} [options]
   */
  static create (location, options = {}) {
    return new Pool(location, { ...options, createIfMissing: true, errorIfExists: true })
  }

  /**
   * Removes a pool's files: of a folder only those that belong to the pool.
   *
   * @param {string} location
   */
  static destroy (location) {
    destroy(Pool, checkPath(location))
  }

  /**
   * Makes a pool of a backup. There is none before all of the backup was read and found good.
   *
   * @param {string} location
   * @param {unknown} source stream of bytes
   * @param {import('..').RestoreOptions} [options]
   */
  static async restore (location, source, options = {}) {
    return restore(Pool, checkPath(location), source, options)
  }

  /**
   * The same of a dump, as `pool.dump()`, `mdb_dump` and `db_dump` write it.
   *
   * @param {string} location
   * @param {unknown} source stream of bytes
   * @param {import('..').LoadOptions} [options]
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

  /**
   * @param {string} name 1 to 255 bytes
   * @returns {OrderedMap}
   */
  map (name) {
    const number = binding.openMap(this.#handle, checkName(name))
    const known = this.#maps.get(name)
    if (known !== undefined) return known
    const map = new OrderedMap(this.#handle, number, name, this.#session)
    this.#maps.set(name, map)
    return map
  }

  /** @returns {string[]} sorted by bytes */
  maps () {
    return binding.listMaps(this.#handle).filter(name => !isHidden(name))
  }

  /** @param {string} name */
  dropMap (name) {
    this.#refuseInTransaction()
    binding.dropMap(this.#handle, checkName(name))
    this.#maps.delete(name)
  }

  /** @param {unknown[]} operations flat: map, 'put' | 'del', key, value (undefined for 'del') */
  write (operations) {
    if (this.#inTransaction) this.#session.heap.run(() => join(operations, this.#handle))
    else binding.write(this.#handle, triplesOf(operations, this.#handle))
  }

  /**
   * @param {unknown[]} operations as write()'s
   * @returns {Promise<void> | undefined} see OrderedMap
   */
  writeAsync (operations) {
    this.#refuseInTransaction()
    return binding.writeAsync(this.#handle, triplesOf(operations, this.#handle))
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
    if (this.#inTransaction && MapChanges.anyOf(this.#session.heap.transaction)) {
      throw createError('PMEMOBJ_IN_TRANSACTION', 'There is no snapshot of what the transaction under way has put into maps')
    }
    return new Snapshot(this.#handle)
  }

  get #objects () {
    return (this.#session.heap ??= new Heap(this.#handle, this.#heapOptions))
  }

  /** What all objects of the pool are reached from. Undefined in a new pool. */
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
   * Calls a function. What it changes is in the pool, durably, when this returns; or, where it
   * throws or the process ends, nothing of it.
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
   * @returns {import('..').CollectSummary}
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
   * @param {import('..').StreamOptions} [options]
   */
  backup (options = {}) {
    return new SnapshotStream(this.#handle, options, writeBackup)
  }

  /**
   * The same into a file, durably. Until the backup is whole, the file is missing or as it was.
   *
   * @param {string} file
   * @param {import('..').StreamOptions} [options]
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
   * @param {import('..').DumpOptions} [options]
   */
  dump (options = {}) {
    checkDumpOptions(options)
    return new SnapshotStream(this.#handle, options, writeDump)
  }

  /** @returns {import('..').PoolStats} */
  stats () {
    return binding.stats(this.#handle)
  }

  /** @throws PMEMOBJ_IN_USE where memory of an ArrayBuffer was transferred: then the pool stays open */
  close () {
    const { heap } = this.#session
    heap?.checkIdle()
    binding.close(this.#handle)
    heap?.close()
    this.#closed = true
    this.#maps.clear()
  }
}

module.exports = { Pool }
