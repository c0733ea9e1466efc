'use strict'

const { AbstractLevel } = require('abstract-level')
const { Connections } = require('./connections')
const { EntryIterator, KeyIterator, ValueIterator } = require('./iterators')
const { Leases } = require('./leases')
const { checkLocation, checkPrefix, describeLocation } = require('./location')
const { manifest } = require('./manifest')
const { Moments, PostgresSnapshot } = require('./snapshots')
const { Outcomes } = require('./outcomes')
const { Pages, lowerOf, upperOf } = require('./pages')
const { makeStatements } = require('./statements')
const { isLong, storedKey, LAST } = require('./stored-key')
const { openTables } = require('./tables')
const { arrayOf } = require('./values')
const { Writer } = require('./writer')
const { failure } = require('./errors')

/**
 * @typedef {import('./wire').Step} Step
 * @typedef {import('./wire').Row} Row
 * @typedef {import('./batch').Operation} Operation
 * @typedef {import('./writer').Fence} Fence
 * @typedef {{ connections: Connections, outcomes: Outcomes, leases: Leases }} Engine
 */

const kFenced = Symbol('fenced')

const DEFAULTS = { max: 10, maxSnapshots: 20, connectTimeout: 5000, statementTimeout: 30_000, snapshotAge: 300_000 }

/** Keys that a clear deletes at once if it has to read them. */
const CLEARED = 1000

/**
 * An abstract-level database in tables of PostgreSQL, or of a database server that speaks its protocol.
 *
 * @extends {AbstractLevel<any, any, any>}
 */
class PostgresLevel extends AbstractLevel {
  #location
  #options
  #statements
  /** @type {PostgresLevel | null} the one whose connections it uses */
  #parent
  /** @type {Fence | null} */
  #fence
  /** @type {Engine | null} */
  #engine = null
  #moments = /** @type {Moments} */ (/** @type {unknown} */ (undefined))
  #writer = /** @type {Writer} */ (/** @type {unknown} */ (undefined))

  /**
   * @param {string} location postgres://user:password@host:port/database
   * @param {import('..').PostgresLevelOptions<any, any>} [options]
   */
  constructor (location, options = {}) {
    const { parent = null, fence = null } = /** @type {any} */ (options)[kFenced] ?? {}
    checkLocation(location)
    super(manifest, othersOf(options))
    this.#location = location
    this.#options = options
    this.#statements = makeStatements(checkPrefix(options.prefix))
    this.#parent = parent
    this.#fence = fence
  }

  /** Its URL, without the password. */
  get location () { return describeLocation(this.#location) }

  /** The name and the token that its writes are bound to; null for none. */
  get fence () { return this.#fence === null ? null : { ...this.#fence } }

  /** The owners of names. The database must be open. */
  get leases () { return this.#opened().leases }

  /**
   * The same database, whose writes fail with `LEVEL_FENCED` once the token is not the present one of that name.
   *
   * @param {Fence} fence
   * @param {import('abstract-level').AbstractDatabaseOptions<any, any>} [options]
   */
  fenced ({ name, token }, options) {
    if (typeof name !== 'string' || !Number.isSafeInteger(token)) throw new TypeError('A fence has a name, and a token that is an integer')
    const own = { [kFenced]: { parent: this.#parent ?? this, fence: { name, token } } }
    return new PostgresLevel(this.#location, { ...this.#options, ...options, ...own })
  }

  /**
   * Asks the database server about itself; null is for what it does not have.
   *
   * @returns {Promise<{ version: string | null, synchronousCommit: string | null, fsync: string | null }>}
   */
  async engine () {
    const { connections } = this.#opened()
    const { showVersion, showCommit, showSync } = this.#statements
    const say = (/** @type {import('./wire').Statement} */ statement) => connections.read({ statement, values: [] }).then(([[text]]) => String(text), () => null)
    return { version: await say(showVersion), synchronousCommit: await say(showCommit), fsync: await say(showSync) }
  }

  /** @param {any} options */
  async _open (options) {
    if (this.#parent === null) await this.#openEngine(options)
    else await this.#share(this.#parent)
    const { connections, outcomes } = this.#opened()
    this.#moments = new Moments(connections)
    this.#writer = new Writer(connections, outcomes, this.#fence)
  }

  /** @param {any} options */
  async #openEngine (options) {
    const { replicas = [], ssl, ...given } = this.#options
    const limits = { ...DEFAULTS, ...defined(given), ssl }
    const connections = new Connections(this.#location, replicas.map(checkLocation), limits, this.#statements)
    try {
      await openTables(connections, options)
    } catch (error) {
      await connections.end()
      throw error
    }
    this.#engine = { connections, outcomes: new Outcomes(connections), leases: new Leases(connections) }
  }

  /** @param {PostgresLevel} parent */
  async #share (parent) {
    await parent.open({ passive: true })
    this.#engine = parent.#engine
    parent.attachResource(this)
  }

  async _close () {
    await this.#writer.idle()
    const { connections, outcomes } = this.#opened()
    this.#engine = null
    if (this.#parent !== null) return this.#parent.detachResource(this)
    outcomes.forget()
    await connections.end()
  }

  /**
   * @param {Step} step
   * @param {unknown} [snapshot]
   * @returns {Promise<Row[]>}
   */
  async #read (step, snapshot) {
    const { connections, outcomes } = this.#opened()
    const moment = PostgresSnapshot.momentOf(snapshot)
    if (!outcomes.areKnown) await outcomes.settle()
    return moment === undefined ? connections.read(step) : moment.read(step)
  }

  /** @param {Buffer} key @param {any} options */
  async _get (key, { snapshot }) {
    const rows = await this.#read({ statement: this.#statements.get, values: [storedKey(key).stored] }, snapshot)
    return rows.length === 0 ? undefined : rows[0][0]
  }

  /** @param {Buffer[]} keys @param {any} options */
  async _getMany (keys, { snapshot }) {
    const stored = keys.map(key => storedKey(key).stored)
    const rows = await this.#read({ statement: this.#statements.getMany, values: [arrayOf(stored)] }, snapshot)
    const values = new Map(rows.map(([key, value]) => [textOf(key), value]))
    return stored.map(key => values.get(textOf(key)))
  }

  /** @param {Buffer} key @param {any} options */
  async _has (key, options) {
    return (await this._hasMany([key], options))[0]
  }

  /** @param {Buffer[]} keys @param {any} options */
  async _hasMany (keys, { snapshot }) {
    const stored = keys.map(key => storedKey(key).stored)
    const rows = await this.#read({ statement: this.#statements.hasMany, values: [arrayOf(stored)] }, snapshot)
    const found = new Set(rows.map(([key]) => textOf(key)))
    return stored.map(key => found.has(textOf(key)))
  }

  /** @param {Buffer} key @param {Buffer} value */
  _put (key, value) { return this._batch([{ type: 'put', key, value }]) }

  /** @param {Buffer} key */
  _del (key) { return this._batch([{ type: 'del', key }]) }

  /** @param {Operation[]} operations */
  async _batch (operations) {
    if (!this.#isReady()) await this.#ready()
    return this.#writer.batch(operations)
  }

  /** @param {any} options */
  async _clear (options) {
    if (!this.#isReady()) await this.#ready()
    const { snapshot, limit } = options
    const [lower, upper] = [lowerOf(options), upperOf(options)]
    if (snapshot != null || limit >= 0 || isLong(lower) || (upper !== null && isLong(upper))) return this.#clearKeys(options)
    if (upper === null || Buffer.compare(lower, upper) < 0) await this.#writer.clear(lower, upper ?? LAST)
  }

  /** @param {any} options */
  async #clearKeys (options) {
    const source = this.#source(options.snapshot)
    const pages = new Pages(step => source.read(step), this.#statements, options, false)
    try {
      for (let left = options.limit >= 0 ? options.limit : Infinity; left > 0;) {
        const entries = (await pages.page(CLEARED, left)).slice(0, left)
        if (entries.length === 0) return
        await this.#writer.batch(entries.map(({ key }) => ({ type: 'del', key })))
        left -= entries.length
      }
    } finally {
      source.close()
    }
  }

  /** Whether a write may go at once. */
  #isReady () { return this.#moments.areSettled && this.#opened().outcomes.areKnown }

  async #ready () {
    await this.#moments.settle()
    await this.#opened().outcomes.settle()
  }

  /**
   * Something to read pages from: the snapshot, or one of its own.
   *
   * @param {unknown} snapshot
   * @returns {import('./iterators').Source}
   */
  #source (snapshot) {
    const given = PostgresSnapshot.momentOf(snapshot)
    const moment = given ?? this.#moments.take()
    const { outcomes } = this.#opened()
    return {
      async read (step) {
        if (!outcomes.areKnown) await outcomes.settle()
        return moment.read(step)
      },
      close () { if (given === undefined) moment.close() }
    }
  }

  /** @param {any} options */
  _iterator (options) { return new EntryIterator(this, this.#statements, this.#source(options.snapshot), options) }

  /** @param {any} options */
  _keys (options) { return new KeyIterator(this, this.#statements, this.#source(options.snapshot), options) }

  /** @param {any} options */
  _values (options) { return new ValueIterator(this, this.#statements, this.#source(options.snapshot), options) }

  /** @param {any} options */
  _snapshot (options) { return new PostgresSnapshot(this.#moments.take(options.stale === true), options) }

  #opened () {
    if (this.#engine !== null) return this.#engine
    throw failure('LEVEL_DATABASE_NOT_OPEN', 'Database is not open')
  }
}

/** The options that are abstract-level's, and others' business. @param {any} options */
function othersOf (options) {
  const { prefix, ssl, replicas, [kFenced]: fenced, ...rest } = options
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !(name in DEFAULTS)))
}

/** @param {Record<string, any>} options */
function defined (options) {
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined))
}

/** @param {Buffer | null} bytes */
function textOf (bytes) { return /** @type {any} */ (bytes).latin1Slice() }

module.exports = { PostgresLevel }
