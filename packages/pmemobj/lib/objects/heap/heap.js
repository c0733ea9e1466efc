'use strict'

const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { Buffers } = require('./buffers')
const { Cache } = require('./cache')
const { Classes } = require('./classes')
const { Collector } = require('../collector/collector')
const { adopt } = require('./copy-in')
const { Fresh } = require('./fresh')
const { Identity } = require('./identity')
const { Originals } = require('./originals')
const { MetaNode } = require('../nodes/meta-node')
const { kindOf } = require('../nodes/kinds')
const { damaged } = require('../record/reader')
const { writer } = require('../record/writer')
const { Records } = require('./records')
const { Shapes } = require('./shapes')
const { Watching } = require('../watch/watching')
const { changesOf } = require('../watch/changes')
const { Transaction } = require('./transaction')
const { checkWork, refuseLater } = require('./work')

const CACHE_SIZE = 2 ** 16

/** The objects of a pool, as this thread sees them. */
class Heap extends Records {
  identity = new Identity()
  transaction = new Transaction()
  #depth = 0
  /** Whether the transaction under way saves bytes that programs may write to. */
  #savesAll = false

  /**
   * @param {unknown} pool handle
   * @param {{ cacheSize?: number, collect?: boolean, strict?: boolean, path?: string, coordinator?: import('../joint/settle').Coordinator, snapshot?: unknown, classes?: Classes }} [options]
   *   see OpenOptions; the path of the pool; what knows of transactions over several pools; a snapshot (handle) of the only state that is seen; classes that are registered
   */
  constructor (pool, { cacheSize = CACHE_SIZE, collect = true, strict = false, path = '', coordinator, snapshot, classes = new Classes() } = {}) {
    super(pool, path, { coordinator, snapshot })
    this.classes = classes
    this.collector = new Collector(this, collect)
    this.cache = new Cache(cacheSize)
    this.originals = new Originals(this, strict)
    this.fresh = new Fresh(this)
    this.shapes = new Shapes(this, this.maps.shapes)
    this.meta = new MetaNode(this)
    this.buffers = new Buffers(this)
    this.watching = new Watching(this, path)
  }

  get inTransaction () { return this.#depth > 0 }

  get savesAll () { return this.#savesAll }

  get root () {
    if (this.meta.version !== this.version) this.meta.load()
    return this.reveal(this.meta.root)
  }

  set root (value) {
    this.meta.change(() => this.meta.setRoot(value))
  }

  /**
   * Returns what users get for the content of a slot.
   *
   * @param {import('./types').Slot} slot
   * @returns {any}
   */
  reveal (slot) {
    return typeof slot === 'object' && slot !== null ? slot.reveal(this) : slot
  }

  /**
   * The node of an object of the pool.
   *
   * @param {number} id
   * @returns {import('../nodes/node').Node}
   */
  find (id) {
    const known = this.identity.get(id) ?? this.fresh.find(id)
    if (known !== undefined) return known
    const reader = this.read(id)
    if (reader === undefined) throw damaged()
    const kind = reader.u8()
    const node = new (kindOf(kind))(this, id)
    node.decode(reader, kind)
    node.version = this.version
    this.cache.add(node)
    return node
  }

  /**
   * Makes a slot of a value that users give.
   *
   * @param {any} value
   * @param {boolean} attached whether the slot's object is in the pool
   */
  adopt (value, attached) {
    return adopt(this, value, attached)
  }

  /** The id of an object that the transaction adds. */
  newId () {
    return this.meta.newId()
  }

  /** @param {Iterable<import('./types').Slot>} slots whose strings have lost their place */
  drop (slots) {
    for (const slot of slots) {
      if (typeof slot === 'object' && slot !== null) slot.drop?.(this)
    }
  }

  /** Makes this thread the one that writes. */
  claim () {
    if (!super.claim()) return false
    this.meta.load()
    // An earlier writer may have left garbage.
    this.collector.dropped()
    return true
  }

  // Transactions

  /** Begins one, or one within the one under way. Gives what rollBack() takes. */
  begin () {
    if (!this.mayWrite) this.claim()
    this.#depth++
    return this.transaction.savepoint
  }

  /** Ends it. The outermost one puts all that has changed into the pool; if that fails, nothing has. */
  commit () {
    if (this.#depth > 1) {
      this.#depth--
      return
    }
    const { transaction } = this
    let others = false
    try {
      this.encode()
      if (writer.at > 0 || transaction.saved) others = binding.commit(this.pool, writer.at, transaction.saved) === true
    } catch (error) {
      this.rollBack(0)
      throw error
    }
    this.finish(others)
  }

  /** Leaves the operations of the commit with the writer. */
  encode () {
    const { transaction } = this
    const { objects } = this.maps
    writer.reset()
    // First: nodes that were made of them since write what has changed.
    this.fresh.write(writer)
    for (const node of transaction.dirty) {
      if (node.attached && node !== this.meta) node.encode(writer, objects)
    }
    for (const text of transaction.texts) text.write(writer, objects)
    if (this.shapes.write(writer) || this.meta.dirty) this.meta.encode(writer, objects)
    for (const other of transaction.others) other.write(writer)
  }

  /**
   * Ends the outermost transaction, which is in the pool.
   *
   * @param {boolean} others whether other threads watch what has changed
   */
  finish (others) {
    const { transaction, watching } = this
    this.#depth = 0
    const changes = others || !watching.isEmpty ? changesOf(transaction, this.fresh) : undefined
    this.fresh.clear()
    this.shapes.committed()
    transaction.committed()
    this.originals.committed()
    if (changes !== undefined) watching.tell(changes, others)
  }

  /** @param {number} savepoint */
  rollBack (savepoint) {
    const isOver = --this.#depth === 0
    this.transaction.rollBack(savepoint)
    if (!isOver) return
    this.fresh.clear()
    this.shapes.failed()
    this.transaction.dismissed()
  }

  /**
   * @template T
   * @param {() => T} work
   * @param {{ saveAll?: boolean }} [options] whether bytes are saved before a program may write to them
   * @returns {T}
   */
  run (work, { saveAll = false } = {}) {
    checkWork(work)
    return saveAll || this.#savesAll ? this.#runWithDrafts(work) : this.#run(work)
  }

  /** @template T @param {() => T} work @returns {T} */
  #run (work) {
    const savepoint = this.begin()
    let result
    try {
      result = work()
      refuseLater(result)
    } catch (error) {
      this.rollBack(savepoint)
      throw error
    }
    this.commit()
    return result
  }

  /**
   * The same; all that the function writes to buffers that JavaScript has, or gets meanwhile, is part of the transaction.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  #runWithDrafts (work) {
    const { buffers } = this
    const isNested = this.#savesAll
    // This one does not take back what was written before.
    if (isNested) buffers.keepDrafts()
    try {
      return this.#run(() => this.#draft(work))
    } finally {
      this.#savesAll = isNested
      if (isNested) buffers.draftHeld()
    }
  }

  /** @template T @param {() => T} work @returns {T} */
  #draft (work) {
    const { buffers } = this
    this.#savesAll = true
    try {
      buffers.beginDrafts()
      const result = work()
      refuseLater(result)
      buffers.keepDrafts()
      return result
    } catch (error) {
      buffers.dropDrafts()
      throw error
    }
  }

  /**
   * A persistent object that nothing in the pool refers to yet.
   *
   * @param {unknown} value
   */
  create (value) {
    const savepoint = this.begin()
    try {
      return this.reveal(adopt(this, value, false, true))
    } finally {
      this.rollBack(savepoint)
    }
  }

  collect () {
    return this.collector.collect()
  }

  /** Closing is refused in a transaction. */
  checkIdle () {
    if (this.inTransaction) throw createError('PMEMOBJ_IN_TRANSACTION', 'A pool cannot be closed in a transaction')
  }

  /** To be called when the pool is closed. */
  close () {
    if (this.closed) return
    this.collector.stop()
    super.close()
    this.watching.close()
    this.buffers.close()
  }
}

module.exports = { Heap }
