'use strict'

const { ClassicLevel } = require('classic-level')
const { requireRoom } = require('./disk-room')

// The types of classic-level leave out what it offers to subclasses.
const Base = /** @type {any} */ (ClassicLevel)

/**
 * @typedef {string | Uint8Array} Part a key or a value, encoded
 * @typedef {{ type: 'put' | 'del', key: Part, value?: Part }} Operation
 * @typedef {import('classic-level').OpenOptions} OpenOptions
 * @typedef {{ keyEncoding?: string, valueEncoding?: string, fillCache?: boolean, snapshot?: object | null }} ReadOptions
 * @typedef {{ sync?: boolean }} WriteOptions
 * @typedef {{ _close (): Promise<void> }} Reader an iterator or a snapshot
 */

/** Milliseconds between two trials: each may write some MiB. */
const PAUSE = 1000

/**
 * classic-level that recovers from a disk that was full, or failed. LevelDB by itself refuses every
 * write from then on, or worse: what it appends to a log behind a record that was cut short is lost.
 * So writes go to LevelDB one at a time; those that arrive meanwhile share the next one.
 *
 * Once a write has failed, no other is tried until the folder has been opened again, which the next
 * write does, if there is room. Reads go on until then. Opening takes back the failed writes
 * that it finds in the log: those who wrote were told so, and count on it. Iterators and
 * snapshots are closed by it; those that are made while it is under way are refused.
 */
class RecoverableLevel extends Base {
  /** How it was opened. @type {OpenOptions | undefined} */
  #options
  /** The error of those who write; undefined while all is well. @type {Error | undefined} */
  #fault
  /** Whether LevelDB has the folder open. */
  #isOpen = false
  /** Keys that failed writes may have changed. @type {Set<string | Uint8Array>} */
  #doubtful = new Set()
  /** The values that those have to have. @type {Operation[] | undefined} */
  #amends
  #running = 0
  #whenIdle = () => {}
  /** @type {Set<any>} */
  #iterators = new Set()
  /** @type {Set<any>} */
  #snapshots = new Set()
  /** @type {Array<{ operations: Operation[], sync: boolean, resolve: () => void, reject: (error: Error) => void }>} */
  #queue = []
  #isWriting = false
  /** @type {Promise<void> | undefined} */
  #recovering
  /** @type {Promise<void> | undefined} */
  #reopening
  #notBefore = 0

  /**
   * Opens the folder again where a write has failed, if there is room.
   *
   * @returns {Promise<void>} when all is well. Rejects with `LEVEL_NO_SPACE` where the disk is full,
   *   `LEVEL_IO_ERROR` where it fails
   */
  recover () {
    if (this.#fault === undefined) return Promise.resolve()
    this.#recovering ??= this.#recover().finally(() => { this.#recovering = undefined })
    return this.#recovering
  }

  /** @param {OpenOptions} options */
  async _open (options) {
    await super._open(options)
    this.#options = { ...options, createIfMissing: false, errorIfExists: false }
    this.#isOpen = true
    this.#fault = this.#amends = undefined
    this.#doubtful.clear()
    this.#notBefore = 0
  }

  async _close () {
    await this.#recovering?.catch(() => {})
    this.#fault = undefined
    if (!this.#isOpen) return
    this.#isOpen = false
    await super._close()
  }

  async #recover () {
    if (performance.now() < this.#notBefore) throw this.#fault
    try {
      await requireRoom(this.location)
      this.#reopening = this.#reopen()
      await this.#reopening
    } catch (error) {
      this.#notBefore = performance.now() + PAUSE
      this.#fault = error
      throw error
    } finally {
      this.#reopening = undefined
    }
    this.#fault = this.#amends = undefined
    this.#doubtful.clear()
  }

  async #reopen () {
    if (this.#isOpen) {
      if (this.#running > 0) await new Promise(resolve => { this.#whenIdle = () => resolve(undefined) })
      // The failed writes are not seen yet.
      this.#amends = await this.#readAmends()
      await Promise.all([...this.#iterators].map(iterator => iterator.close()))
      // Reads that wait for the end of this have snapshots, which do not close by themselves before that.
      await Promise.all([...this.#snapshots].map(snapshot => snapshot._close()))
      this.#isOpen = false
      await super._close()
    }
    await super._open(this.#options)
    try {
      await super._batch(this.#amends, { sync: true })
    } catch (error) {
      await super._close()
      throw error
    }
    this.#isOpen = true
  }

  async #readAmends () {
    const keys = [...this.#doubtful]
    const values = await super._getMany(keys, { keyEncoding: 'buffer', valueEncoding: 'buffer', fillCache: false })
    return keys.map((key, i) => /** @type {Operation} */ (values[i] === undefined ? { type: 'del', key } : { type: 'put', key, value: values[i] }))
  }

  /**
   * Runs an action for which LevelDB must be open.
   *
   * @template T
   * @param {() => Promise<T>} action
   * @param {any} [snapshot] that it reads from
   * @returns {Promise<T>}
   */
  async #during (action, snapshot) {
    while (this.#reopening !== undefined) await this.#reopening.catch(() => {})
    if (!this.#isOpen) await this.recover()
    if (!this.#isOpen && this.status !== 'opening') throw Object.assign(new Error('Database is not open'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    if (snapshot != null && !this.#snapshots.has(snapshot)) throw Object.assign(new Error('Snapshot is not open'), { code: 'LEVEL_SNAPSHOT_NOT_OPEN' })
    this.#running++
    try {
      return await action()
    } finally {
      if (--this.#running === 0) this.#whenIdle()
    }
  }

  /** Throws for calls that cannot wait. */
  #assertOpen () {
    if (!this.#isOpen || this.#reopening !== undefined) throw this.#fault
  }

  /**
   * Hands operations to those that share the next write.
   *
   * @param {Operation[]} operations
   * @param {WriteOptions} options
   * @returns {Promise<void>}
   */
  #enqueue (operations, { sync = false }) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ operations: this.#isWriting ? operations.map(owned) : operations, sync, resolve, reject })
      if (!this.#isWriting) this.#writeQueue()
    })
  }

  async #writeQueue () {
    this.#isWriting = true
    while (this.#queue.length > 0) {
      const writers = this.#queue.splice(0)
      try {
        await this.#write(writers.length === 1 ? writers[0].operations : writers.flatMap(({ operations }) => operations), writers.some(({ sync }) => sync))
        for (const { resolve } of writers) resolve()
      } catch (error) {
        for (const { reject } of writers) reject(error)
      }
    }
    this.#isWriting = false
  }

  /** @param {Operation[]} operations @param {boolean} sync */
  async #write (operations, sync) {
    if (this.#fault !== undefined) await this.recover()
    return this.#during(async () => {
      try {
        return await super._batch(operations, { sync })
      } catch (error) {
        throw error.code === 'LEVEL_IO_ERROR' ? await this.#fail(error, operations) : error
      }
    })
  }

  /** @param {Error} error @param {Operation[]} operations @returns {Promise<Error | undefined>} the error for those who write */
  async #fail (error, operations) {
    this.#fault = error
    // Theirs may be used again.
    for (const { key } of operations) this.#doubtful.add(bytesOf(key))
    try {
      await requireRoom(this.location)
    } catch (reason) {
      this.#fault = Object.assign(reason, { cause: error })
    }
    return this.#fault
  }

  /** @param {Part} key @param {Part} value @param {WriteOptions} options */
  _put (key, value, options) { return this.#enqueue([{ type: 'put', key, value }], options) }

  /** @param {Part} key @param {WriteOptions} options */
  _del (key, options) { return this.#enqueue([{ type: 'del', key }], options) }

  /** @param {Operation[]} operations @param {WriteOptions} options */
  _batch (operations, options) { return this.#enqueue(operations, options) }

  /** @param {ReadOptions} options */
  _clear (options) { return this.#during(() => super._clear(options), options.snapshot) }

  /** @param {Part} key @param {ReadOptions} options */
  _get (key, options) { return this.#during(() => super._get(key, options), options.snapshot) }

  /** @param {Part[]} keys @param {ReadOptions} options */
  _getMany (keys, options) { return this.#during(() => super._getMany(keys, options), options.snapshot) }

  /** @param {Part} key @param {ReadOptions} options */
  _has (key, options) { return this.#during(() => super._has(key, options), options.snapshot) }

  /** @param {Part[]} keys @param {ReadOptions} options */
  _hasMany (keys, options) { return this.#during(() => super._hasMany(keys, options), options.snapshot) }

  /** @param {Part} start @param {Part} end @param {object} options */
  approximateSize (start, end, options) { return this.#during(() => super.approximateSize(start, end, options)) }

  /** @param {Part} start @param {Part} end @param {object} options */
  compactRange (start, end, options) { return this.#during(() => super.compactRange(start, end, options)) }

  /** @param {Part} key @param {ReadOptions} options */
  _getSync (key, options) {
    this.#assertOpen()
    return super._getSync(key, options)
  }

  /** @param {string} property */
  getProperty (property) {
    if (this.status === 'open') this.#assertOpen()
    return super.getProperty(property)
  }

  /** @param {object} options */
  _iterator (options) {
    this.#assertOpen()
    return tracked(super._iterator(options), this.#iterators)
  }

  /** @param {object} options */
  _snapshot (options) {
    this.#assertOpen()
    return tracked(super._snapshot(options), this.#snapshots)
  }
}

/** Copies an operation that waits: the writer's bytes may be used again. @param {Operation} operation @returns {Operation} */
function owned ({ type, key, value }) {
  return { type, key: bytesOf(key), value: bytesOf(value) }
}

/**
 * @template {Part | undefined} T
 * @param {T} part
 * @returns {T}
 */
function bytesOf (part) {
  return part instanceof Uint8Array ? /** @type {T} */ (Uint8Array.prototype.slice.call(part)) : part
}

/**
 * Keeps a reader in the set until it is closed, which it is once.
 *
 * @template {Reader} T
 * @param {T} reader
 * @param {Set<Reader>} readers
 */
function tracked (reader, readers) {
  const close = reader._close
  readers.add(reader)
  reader._close = async () => {
    if (readers.delete(reader)) await close.call(reader)
  }
  return reader
}

module.exports = { RecoverableLevel }
