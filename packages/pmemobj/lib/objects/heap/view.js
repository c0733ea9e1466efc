'use strict'

const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { checkWork, refuseLater } = require('./work')

/** Versions that no node has. */
const BETWEEN_TURNS = -2
const CLOSED = -3
/** A number that no commit has. */
const UNKNOWN = -1

/**
 * A thread's view of a pool's objects.
 *
 * It begins as a reader: within one turn of the event loop it sees one commit, by a snapshot. The
 * thread that is the first to write is the writer from then on, and sees its own writes; others are
 * refused theirs.
 */
class View {
  /** Data that have it are as the pool's. */
  version = BETWEEN_TURNS
  #pool
  /** How many transactions are under way that only read. */
  #reading = 0
  #isWriter = false
  /** Whether there is one state to see, which somebody keeps. */
  #isKept
  // A reader's: the snapshot that it sees, and the version and commit of the one that it has seen last.
  /** @type {unknown} */
  #snapshot
  #seen = 1
  #epoch = UNKNOWN

  /**
   * @param {unknown} pool handle
   * @param {unknown} snapshot handle; undefined: each state is seen
   */
  constructor (pool, snapshot) {
    this.#pool = pool
    this.#isKept = snapshot !== undefined
    if (!this.#isKept) return
    this.#snapshot = snapshot
    this.version = this.#seen
  }

  /** Handle of the pool. */
  get pool () { return this.#pool }

  /** Handle of what a reader sees now; undefined of the writer, which sees the latest commit. */
  get snapshot () { return this.#snapshot }

  get closed () { return this.version === CLOSED }

  get isWriter () { return this.#isWriter }

  /** Whether it can write at once. */
  get mayWrite () { return this.#isWriter && this.version !== CLOSED && this.#reading === 0 }

  /** Makes sure that there is a commit to look at. */
  enter () {
    if (this.version > 0) return
    if (this.version === CLOSED) throw closedError(this.#isKept)
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
    if (this.#snapshot === undefined || this.#isKept) return
    binding.closeSnapshot(this.#snapshot)
    this.#snapshot = undefined
    this.version = BETWEEN_TURNS
  }

  /** A reader sees the latest commit from now on, in this turn too. */
  refresh () {
    this.#checkOpen()
    if (this.#reading > 0) throw createError('PMEMOBJ_IN_TRANSACTION', 'A transaction that only reads sees one state from its beginning to its end')
    this.#leave()
  }

  /** Makes this thread the one that writes. Returns whether it was another one before, or none. */
  claim () {
    this.#checkOpen()
    if (this.#reading > 0) throw createError('PMEMOBJ_READ_ONLY', 'The transaction under way only reads')
    if (this.#isWriter) return false
    if (this.#isKept) throw createError('PMEMOBJ_READ_ONLY', 'Objects as they were cannot be changed: assign them to those that are, which copies them')
    if (!binding.claimObjects(this.#pool)) {
      throw createError('PMEMOBJ_READ_ONLY', 'Another thread writes the objects of the pool')
    }
    this.settle()
    this.#leave()
    this.#isWriter = true
    this.enter()
    return true
  }

  /** Called when it is the one, before it looks. */
  settle () {}

  #checkOpen () {
    if (this.version === CLOSED) throw closedError(this.#isKept)
  }

  /**
   * Calls a function that only reads, and sees one state: the latest.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  runReading (work) {
    checkWork(work)
    if (!this.#isWriter && this.#reading === 0) this.refresh()
    this.enter()
    this.#reading++
    try {
      const result = work()
      refuseLater(result)
      return result
    } finally {
      this.#reading--
    }
  }

  /** There is nothing to see any more. */
  close () {
    this.#leave()
    this.version = CLOSED
  }
}

/** @param {boolean} isKept whether what is seen is a state that is kept */
function closedError (isKept) { return createError('PMEMOBJ_CLOSED', isKept ? 'The state is closed, or its pool is' : 'The pool is closed') }

module.exports = { closedError, View }
