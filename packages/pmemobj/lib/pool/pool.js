'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { destroy } = require('./destroy')
const { Heap } = require('../objects/heap/heap')
const { History } = require('../objects/history/history')
const { runOver } = require('../objects/joint/joint-transaction')
const { forgetSettled, isInDoubt, settle } = require('../objects/joint/settle')
const { plain } = require('../objects/heap/plain')
const { MapPool } = require('./map-pool')
const { openHandle } = require('./open-handle')
const { checkCacheSize, checkKey, checkNames, checkPath, checkReadOnly } = require('./pool-options')
const { restore } = require('../backup/restore')
const { load } = require('../dump/load')

/** A pool of libpmemobj. All calls are synchronous and durable when they return. */
class Pool extends MapPool {
  #closed = false
  #heapOptions
  #history = new History()

  /**
   * Use `Pool.open`.
   *
   * @param {string} location
   * @param {import('../..').OpenOptions & { exclusive?: boolean }} options
   */
  constructor (location, options) {
    if (options === undefined) throw new TypeError('A pool is opened by Pool.open(path), and not by new Pool')
    const readOnly = checkReadOnly(options)
    const heapOptions = heapOptionsOf(location, options)
    super(openHandle(location, options, readOnly), location, { readOnly, key: options.key })
    this.#heapOptions = heapOptions
    if (!readOnly) this.#settle()
  }

  get #handle () { return MapPool.handleOf(this) }

  get #session () { return MapPool.sessionOf(this) }

  /** Brings in, or drops, what a transaction over several pools has left. */
  #settle () {
    try {
      if (!isInDoubt(this.#handle)) return
      // The thread that writes objects may have such a transaction under way; else it has settled those before.
      if (!binding.claimObjects(this.#handle)) return
      settle(this.#handle, this.path, this.#heapOptions.coordinator)
      binding.disclaimObjects(this.#handle)
    } catch (error) {
      binding.close(this.#handle)
      throw error
    }
  }

  /**
   * @param {string} location
   * @param {import('../..').OpenOptions} [options]
   */
  static open (location, options = {}) {
    checkNames(options, 'Pool.open()')
    return new Pool(location, options)
  }

  /**
   * Makes a pool where there is none.
   *
   * @param {string} location
   * @param {import('../..').OpenOptions} [options]
   */
  static create (location, options = {}) {
    checkNames(options, 'Pool.create()')
    return new Pool(location, { ...options, createIfMissing: true, errorIfExists: true })
  }

  /**
   * Removes a pool's files: of a folder only those that belong to the pool.
   *
   * @param {string} location
   * @param {{ ifEmpty?: boolean, key?: Uint8Array }} [options] ifEmpty: only of a pool without maps
   * @returns {boolean} whether it has gone
   */
  static destroy (location, options = {}) {
    checkNames(options, 'Pool.destroy()')
    const { ifEmpty = false, key } = options
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
    checkNames(options, 'Pool.restore()')
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
    checkNames(options, 'Pool.load()')
    return load(Pool, checkPath(location), source, options)
  }

  /**
   * @param {Pool} pool
   * @returns {Heap} its objects
   */
  static heapOf (pool) { return pool.#objects }

  get closed () { return this.#closed }

  /**
   * Keeps the objects and maps as they are, until the state is closed.
   *
   * @param {string} [name]
   */
  keep (name) {
    return this.#history.keep(this.#handle, name, this.#objects, this.#heapOptions.cacheSize)
  }

  /**
   * The objects and maps as they were.
   *
   * @param {number | string} which number of a commit, or name, of a state that is kept
   */
  at (which) {
    return this.#history.at(which)
  }

  /** The states that are kept, the oldest first. */
  get history () { return this.#history.states }

  get #objects () {
    if (this.readOnly) throw createError('PMEMOBJ_READ_ONLY', 'The objects of a pool that is read only cannot be had: they are memory to be changed')
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
   * @param {import('../..').TransactionOptions} [options]
   * @returns {T} what it gives
   */
  transaction (work, options) {
    if (options === undefined) return this.#objects.run(work)
    checkNames(options, 'pool.transaction()')
    const { readOnly = false, snapshot } = options
    if (snapshot !== undefined && snapshot !== 'auto') throw new TypeError("The option snapshot is 'auto', or is left out")
    return readOnly ? this.#objects.runReading(work) : this.#objects.run(work, { saveAll: snapshot === 'auto' })
  }

  /**
   * The same over several pools: all that the function changes in them is there when this returns, or nothing of it.
   *
   * @template T
   * @param {Pool[]} pools
   * @param {() => T} work
   * @returns {T} what it gives
   */
  static transaction (pools, work) {
    if (!Array.isArray(pools) || pools.length === 0 || !pools.every(pool => pool instanceof Pool)) throw new TypeError('Expected an array of pools')
    const members = [...new Set(pools)].map(pool => ({ heap: pool.#objects, close: () => pool.close() }))
    return runOver(members, work)
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
  register (constructor, options = {}) {
    checkNames(options, 'pool.register()')
    const { name = constructor?.name } = options
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
   * Tells what commits change of an object, in this thread and others of the process.
   *
   * @param {object} object of the pool
   * @param {((notice: any) => void) | { deep?: boolean, signal?: AbortSignal }} [listener] without one, the watch is iterated over
   * @param {{ deep?: boolean, signal?: AbortSignal }} [options] deep: also of all that it leads to
   */
  watch (object, listener, options = {}) {
    const [how, called] = typeof listener === 'function' ? [options, listener] : [listener, undefined]
    checkNames(how, 'pool.watch()')
    return this.#objects.watching.add(object, { ...how, listener: called })
  }

  /**
   * @throws PMEMOBJ_IN_USE where memory of an ArrayBuffer was transferred: then the pool stays open
   * @throws PMEMOBJ_IO, or another code, where writes of a relaxed pool could not be made durable:
   *   then it is closed
   */
  close () {
    const { heap } = this.#session
    heap?.checkIdle()
    if (heap !== undefined) forgetSettled(heap)
    try {
      binding.close(this.#handle)
    } catch (error) {
      if (error.code !== 'PMEMOBJ_IN_USE') this.#forget()
      throw error
    }
    this.#forget()
  }

  #forget () {
    this.#history.close()
    this.#session.heap?.close()
    this.#closed = true
    MapPool.forgetMaps(this)
  }
}

/** @param {string} location @param {import('../..').OpenOptions} options */
function heapOptionsOf (location, { collect, strict, cacheSize, coordinator }) {
  return { coordinator: coordinatorOf(coordinator), collect: collect !== false, strict: strict === true, cacheSize: checkCacheSize(cacheSize), path: checkPath(location) }
}

/** @param {any} coordinator see OpenOptions */
function coordinatorOf (coordinator) {
  if (coordinator instanceof Pool) return { handle: Pool.handleOf(coordinator), path: coordinator.path }
  if (coordinator === undefined || coordinator === false) return coordinator
  return checkPath(coordinator)
}

module.exports = { Pool }
