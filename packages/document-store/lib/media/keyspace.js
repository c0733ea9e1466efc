'use strict'

const { inTurns, nextRound } = require('../json/turn')
const { fromLevel } = require('./level-errors')
const { LevelIterator } = require('./level-iterator')

const UTF8 = Object.freeze({ keyEncoding: 'utf8', valueEncoding: 'utf8' })
/** Above every key. */
const LAST_KEY = '\u{10ffff}'

/** Bytes that classic-level reads for one page at most; its own default is 16 KiB. */
const PAGE_BYTES = 1024 * 1024

const BINARY = Object.freeze({ keyEncoding: 'utf8', valueEncoding: 'buffer' })

/** Keys that a native level reads one by one at less cost than together. */
const FEW = 8

/** Operations that a level is given in one go. */
const MANY = 10_000

/**
 * @typedef {import('abstract-level').AbstractLevel<any, any, any>} Level
 * @typedef {import('abstract-level').AbstractSnapshot} Snapshot
 * @typedef {{ gt?: string, gte?: string, lt?: string, lte?: string, reverse?: boolean, limit?: number, snapshot?: Snapshot }} Range
 * @typedef {{ keyEncoding: string, highWaterMarkBytes: number }} PageOptions classic-level's, which other levels ignore
 * @typedef {{ type: 'put', key: string, value: string | Uint8Array, valueEncoding?: string } | { type: 'del', key: string }} Operation
 */

/**
 * How the store reads and writes its level. If the level answers at once (persistent memory,
 * memory), single reads are synchronous: `sync` says so, and `get` is for the others.
 */
class Keyspace {
  #level
  #writeOptions
  #laterOptions
  #atOnce
  #isNative
  #writesPlain
  #onUnsure
  /** The failure since which nobody knows what is stored. @type {Error | null} */
  #failure = null

  /**
   * @param {Level} level
   * @param {{ sync?: boolean, shared?: boolean, onUnsure?: () => void }} [options] sync: whether LevelDB flushes its log
   *   before it answers; shared: whether others write at any time, so that two reads may see two states; onUnsure: is
   *   told where nobody knows what is stored after a write that failed
   */
  constructor (level, { sync = true, shared = false, onUnsure } = {}) {
    this.#onUnsure = onUnsure
    this.#level = level
    this.#writeOptions = Object.freeze({ ...UTF8, sync })
    // Only LevelDB's way to make such writes durable is known.
    this.#laterOptions = canFlushTables(level) ? Object.freeze({ ...UTF8, sync: false }) : this.#writeOptions
    this.shared = shared
    this.#atOnce = answersAtOnce(level)
    this.sync = this.#atOnce && !shared
    this.#isNative = /** @type {any} */ (level).synchronous === true
    /** Whether `count` may tell something. */
    this.counts = this.#isNative && typeof /** @type {any} */ (level).count === 'function'
    /** Whether documents and ranges can be read at once. */
    this.reads = this.sync && typeof /** @type {any} */ (level).entriesSync === 'function'
    this.#writesPlain = this.#isNative && typeof /** @type {any} */ (level).writeBatch === 'function'
    /** Whether what is written keeps the caller's buffers, which must not change then. */
    this.keepsBuffers = level.supports.permanence === false
  }

  get level () { return this.#level }

  /** Another one on the same level that does not wait for LevelDB's log. */
  unsynced () { return new Keyspace(this.#level, { sync: false, onUnsure: this.#onUnsure }) }

  /** @param {string} key @param {Snapshot} [snapshot] */
  getSync (key, snapshot) {
    try {
      return this.#level.getSync(key, snapshot === undefined ? UTF8 : { ...UTF8, snapshot })
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /** @param {string} key @param {Snapshot} [snapshot] @returns {Promise<string | undefined>} */
  async get (key, snapshot) {
    if (this.#atOnce) return this.getSync(key, snapshot)
    try {
      return await this.#level.get(key, snapshot === undefined ? UTF8 : { ...UTF8, snapshot })
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /** @param {string[]} keys @param {Snapshot} [snapshot] @returns {Promise<Array<string | undefined>>} */
  getMany (keys, snapshot) { return this.#getMany(keys, snapshot === undefined ? UTF8 : { ...UTF8, snapshot }) }

  /** @param {string[]} keys @param {Snapshot} [snapshot] @returns {Promise<Array<Buffer | undefined>>} */
  async getBinary (keys, snapshot) {
    const values = await this.#getMany(keys, snapshot === undefined ? BINARY : { ...BINARY, snapshot })
    // The reader may not change what is stored.
    return this.sync && this.keepsBuffers ? values.map((value) => value && Buffer.from(value)) : values
  }

  /** @param {string[]} keys @param {any} options @returns {Promise<any[]>} */
  async #getMany (keys, options) {
    try {
      if (!this.sync || (this.#isNative && keys.length > FEW)) return await this.#level.getMany(keys, options)
      const values = new Array(keys.length)
      for (let i = 0; i < keys.length; i++) values[i] = this.#level.getSync(keys[i], options)
      return values
    } catch (error) {
      throw fromLevel(error)
    }
  }

  /**
   * Reads the entries of a range at once; only where the level can: see `reads`.
   *
   * @param {Range} range
   * @returns {Array<[string, string]>}
   */
  entriesSync (range) { return opened(() => /** @type {any} */ (this.#level).entriesSync(range)) }

  snapshot () { return opened(() => this.#level.snapshot()) }

  /** @param {Range} range @returns {LevelIterator<[string, string]>} */
  entries (range) {
    return new LevelIterator(opened(() => this.#level.iterator(/** @type {Range & PageOptions} */ ({ ...range, ...UTF8, highWaterMarkBytes: PAGE_BYTES }))))
  }

  /** @param {Range} range @returns {LevelIterator<string>} */
  keys (range) {
    return new LevelIterator(opened(() => this.#level.keys(/** @type {Range & PageOptions} */ ({ ...range, keyEncoding: 'utf8', highWaterMarkBytes: PAGE_BYTES }))))
  }

  /**
   * Counts the keys of a range, where the level tells that in logarithmic time; undefined elsewhere.
   *
   * @param {Range} range
   * @returns {number | undefined}
   */
  count (range) {
    return this.counts ? opened(() => /** @type {any} */ (this.#level).count(range)) : undefined
  }

  /**
   * One atomic commit; durable when it resolves, or with `later` at the next `flush`.
   *
   * @param {Operation[]} operations
   * @param {{ later?: boolean, kept?: 'half' | 'all' }} [options] kept: how much it may take of what a full
   *   level keeps for deleting
   * @returns {Promise<void> | undefined} undefined where it is done already
   */
  write (operations, { later = false, kept } = {}) {
    const standard = later ? this.#laterOptions : this.#writeOptions
    /** @type {any} */
    const options = kept === undefined ? standard : { ...standard, kept }
    return this.#attempt(() => operations.length > MANY ? this.#writeInTurns(operations, options) : this.#writeAtOnce(operations, options))
  }

  /** @param {Operation[]} operations @param {any} options @returns {Promise<void> | undefined} */
  #writeAtOnce (operations, options) {
    const level = /** @type {any} */ (this.#level)
    return this.#writesPlain ? level.writeBatch(operations, options) : level.batch(operations, options)
  }

  /** @param {Operation[]} operations @param {any} options */
  async #writeInTurns (operations, options) {
    const batch = this.#level.batch()
    try {
      await inTurns(operations, (operation) => {
        if (operation.type === 'del') batch.del(operation.key, UTF8)
        else batch.put(operation.key, operation.value, operation.valueEncoding === undefined ? UTF8 : BINARY)
      })
      await batch.write(options)
    } finally {
      await batch.close()
    }
  }

  /**
   * Makes durable what was written `later`. A flushed write after it would not do: when LevelDB
   * begins a new log it leaves the end of the old one unflushed until its table is written out. To
   * compact a range above all keys is to write out that table and nothing else.
   */
  async flush () {
    if (this.#laterOptions === this.#writeOptions || !this.#writeOptions.sync) return
    await this.#attempt(() => /** @type {any} */ (this.#level).compactRange(LAST_KEY, LAST_KEY, { keyEncoding: 'utf8' }))
  }

  /** Lets others have their turn in between, if nothing ever waits. */
  async turn () {
    if (this.#atOnce) await nextRound()
  }

  /** @param {Range} range */
  async clear (range) {
    await this.#attempt(() => this.#level.clear({ ...range, keyEncoding: 'utf8' }))
  }

  /**
   * Does the work of a level, with the store's own errors. After a write that may have been done or not, and after one
   * that another owner of the data kept out, the counts in memory may be old: what is written from them would give a
   * sequence twice. So nothing more is written then, by those who wait for their turn neither.
   *
   * @param {() => Promise<void> | undefined} work
   */
  #attempt (work) {
    if (this.#failure !== null) throw this.#failure
    try {
      return work()?.catch((cause) => this.#fail(cause))
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  /** @param {any} cause @returns {never} */
  #fail (cause) {
    const error = fromLevel(cause)
    if (cause.code === 'LEVEL_FENCED' || cause.code === 'LEVEL_UNAVAILABLE') {
      this.#failure ??= error
      this.#onUnsure?.()
    }
    throw error
  }

  /**
   * Bytes stored in a range, where the level can say; undefined elsewhere.
   *
   * @param {string} start
   * @param {string} end
   */
  async approximateSize (start, end) {
    const level = /** @type {any} */ (this.#level) // classic-level has it
    if (typeof level.approximateSize !== 'function') return undefined
    return level.approximateSize(start, end, { keyEncoding: 'utf8' })
  }
}

/**
 * Returns what the level opens, with the store's own errors.
 *
 * @template T
 * @param {() => T} open
 */
function opened (open) {
  try {
    return open()
  } catch (error) {
    throw fromLevel(error)
  }
}

/**
 * Disk-backed levels would make the event loop wait for the disk. One in persistent memory says
 * `synchronous`; one without permanence is in memory.
 *
 * @param {any} level abstract-level's types know neither
 */
function answersAtOnce (level) {
  return level.supports.getSync === true && (level.synchronous === true || level.supports.permanence === false)
}

/** classic-level has it. */
function canFlushTables (/** @type {any} */ level) {
  return typeof level.compactRange === 'function'
}

/** @param {string} key @param {string} value @returns {Operation} */
function put (key, value) { return { type: 'put', key, value } }
/** @param {string} key @param {Uint8Array} value @returns {Operation} */
function putBinary (key, value) { return { type: 'put', key, value, valueEncoding: 'buffer' } }
/** @param {string} key @returns {Operation} */
function del (key) { return { type: 'del', key } }

module.exports = { Keyspace, put, putBinary, del }
