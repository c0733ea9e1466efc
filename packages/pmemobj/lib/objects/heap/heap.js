'use strict'

const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { Buffers } = require('./buffers')
const { Cache } = require('./cache')
const { Classes } = require('./classes')
const { Collector } = require('../collector/collector')
const { adopt } = require('./copy-in')
const { Identity } = require('./identity')
const { Originals } = require('./originals')
const { MetaNode } = require('../nodes/meta-node')
const { kindOf } = require('../nodes/kinds')
const { MAPS } = require('../record/layout')
const { damaged, reader } = require('../record/reader')
const { writer } = require('../record/writer')
const { Shapes } = require('./shapes')
const { Transaction } = require('./transaction')
const { checkWork, refuseLater } = require('./work')

/** Versions that no node has. */
const BETWEEN_TURNS = -2
const CLOSED = -3
/** A number that no commit has. */
const UNKNOWN = -1

const CACHE_SIZE = 2 ** 16

/**
 * The objects of a pool, as this thread sees them.
 *
 * It begins as a reader: within one turn of the event loop it sees one commit, by a snapshot. The
 * thread that is the first to write is the writer from then on, and sees its own writes; others are
 * refused theirs.
 */
class Heap {
  version = BETWEEN_TURNS
  identity = new Identity()
  transaction = new Transaction()
  classes = new Classes()
  #pool
  #maps
  #depth = 0
  #isWriter = false
  // A reader's: the snapshot that it sees, and the version and commit of the one that it has seen last.
  /** @type {unknown} */
  #snapshot
  #seen = 1
  #epoch = UNKNOWN

  /**
   * @param {unknown} pool handle
   * @param {{ cacheSize?: number, collect?: boolean, strict?: boolean }} [options] see OpenOptions
   */
  constructor (pool, { cacheSize = CACHE_SIZE, collect = true, strict = false } = {}) {
    this.#pool = pool
    writer.register()
    reader.register()
    this.collector = new Collector(this, collect)
    this.cache = new Cache(cacheSize)
    this.originals = new Originals(strict)
    this.#maps = {
      objects: binding.openMap(pool, MAPS.objects),
      shapes: binding.openMap(pool, MAPS.shapes),
      buffers: binding.openMap(pool, MAPS.buffers)
    }
    this.shapes = new Shapes(this, this.#maps.shapes)
    this.meta = new MetaNode(this)
    this.buffers = new Buffers(this)
  }

  /** Handle of the pool. */
  get pool () { return this.#pool }

  get maps () { return this.#maps }

  /** Handle of what a reader sees now; undefined of the writer, which sees the latest commit. */
  get snapshot () { return this.#snapshot }

  get inTransaction () { return this.#depth > 0 }

  get isWriter () { return this.#isWriter }

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
    const known = this.identity.get(id)
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
   * The record of an object; undefined if there is none. Valid until the next one is read.
   *
   * @param {number} id
   */
  read (id) {
    return this.readFrom(this.#maps.objects, id)
  }

  /** @param {number} map @param {number} id */
  readFrom (map, id) {
    writer.reset()
    writer.id(id)
    return this.#fetch(map)
  }

  /** @param {number} id @param {number} part @param {number} number */
  readPart (id, part, number) {
    writer.reset()
    writer.part(id, part, number)
    return this.#fetch(this.#maps.objects)
  }

  /** @param {number} map */
  #fetch (map) {
    return reader.fetch(this.#pool, map, writer.at, this.#snapshot) ? reader : undefined
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

  // Turns

  /** Makes sure that there is a commit to look at. */
  enter () {
    if (this.version > 0) return
    if (this.version === CLOSED) throw createError('PMEMOBJ_CLOSED', 'The pool is closed')
    const epoch = binding.epoch(this.#pool)
    if (this.#isWriter) {
      this.#see(epoch)
    } else {
      this.#snapshot = binding.takeSnapshot(this.#pool)
      // If another thread commits just now, it is not known which of the two the snapshot has.
      this.#see(binding.epoch(this.#pool) === epoch ? epoch : UNKNOWN)
      setImmediate(() => this.#leave())
    }
    this.version = this.#seen
  }

  /**
   * Keeps what was read if it is of the same commit.
   *
   * @param {number} epoch
   */
  #see (epoch) {
    if (epoch === UNKNOWN || epoch !== this.#epoch) this.#seen++
    this.#epoch = epoch
  }

  #leave () {
    if (this.#snapshot === undefined) return
    binding.closeSnapshot(this.#snapshot)
    this.#snapshot = undefined
    this.version = BETWEEN_TURNS
  }

  /** A reader sees the latest commit from now on, in this turn too. */
  refresh () {
    this.#checkOpen()
    this.#leave()
  }

  /** Makes this thread the one that writes. */
  claim () {
    this.#checkOpen()
    if (this.#isWriter) return
    if (!binding.claimObjects(this.#pool)) {
      throw createError('PMEMOBJ_READ_ONLY', 'Another thread writes the objects of the pool')
    }
    this.#leave()
    this.#isWriter = true
    this.enter()
    this.meta.load()
    // An earlier writer may have left garbage.
    this.collector.dropped()
  }

  #checkOpen () {
    if (this.version === CLOSED) throw createError('PMEMOBJ_CLOSED', 'The pool is closed')
  }

  // Transactions

  /** Begins one, or one within the one under way. Gives what rollBack() takes. */
  begin () {
    if (!this.#isWriter || this.version === CLOSED) this.claim()
    this.#depth++
    return this.transaction.savepoint
  }

  /** Ends it. The outermost one puts all that has changed into the pool; if that fails, nothing has. */
  commit () {
    if (--this.#depth > 0) return
    const { transaction } = this
    try {
      this.#write()
    } catch (error) {
      this.shapes.failed()
      this.#takeBack(0)
      throw error
    }
    this.shapes.committed()
    transaction.committed()
    this.originals.committed()
  }

  #write () {
    const { transaction } = this
    const { objects } = this.#maps
    writer.reset()
    for (const node of transaction.dirty) {
      if (node.attached && node !== this.meta) node.encode(writer, objects)
    }
    for (const text of transaction.texts) text.write(writer, objects)
    if (this.shapes.write(writer) || this.meta.dirty) this.meta.encode(writer, objects)
    for (const other of transaction.others) other.write(writer)
    if (writer.at > 0 || transaction.saved) binding.commit(this.#pool, writer.at, transaction.saved)
  }

  /**
   * Puts a node into the pool, whatever becomes of the transaction under way.
   *
   * @param {import('../nodes/node').Node} node
   */
  writeAlone (node) {
    writer.reset()
    node.encode(writer, this.#maps.objects)
    binding.commit(this.#pool, writer.at, false)
  }

  /** @param {number} savepoint */
  rollBack (savepoint) {
    if (--this.#depth > 0) this.transaction.rollBack(savepoint)
    else this.#takeBack(savepoint)
  }

  /** @param {number} savepoint */
  #takeBack (savepoint) {
    this.transaction.rollBack(savepoint)
    this.transaction.dismissed()
  }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  run (work) {
    checkWork(work)
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
    if (this.version === CLOSED) return
    this.collector.stop()
    this.#leave()
    this.buffers.close()
    this.version = CLOSED
  }
}

module.exports = { Heap }
