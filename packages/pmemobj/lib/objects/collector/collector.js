'use strict'

const { createError } = require('../../base/codes')
const { Collection } = require('./collection')

/** References that have to go before the collector looks for what went with them; or half of what stays, if that is more. */
const FIRST_THRESHOLD = 1024
/** Milliseconds of work, and of rest after it: a fifth of a thread at most. */
const WORK = 1
const REST = 4

/** Frees what nothing reaches any more: when it is asked to, and in the background. */
class Collector {
  #heap
  #inBackground
  #dropped = 0
  #threshold = FIRST_THRESHOLD
  /** @type {Collection | undefined} the one under way */
  #collection
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {import('../heap/heap').Heap} heap
   * @param {boolean} inBackground whether to begin by itself
   */
  constructor (heap, inBackground) {
    this.#heap = heap
    this.#inBackground = inBackground
  }

  /** A reference to an object has lost its place: maybe nothing else refers to that. */
  dropped () {
    if (++this.#dropped < this.#threshold || !this.#inBackground) return
    this.#timer ??= this.#later()
  }

  /** All of it, now. A collection that is under way begins again. */
  collect () {
    if (this.#heap.inTransaction) {
      throw createError('PMEMOBJ_IN_TRANSACTION', 'Nothing can be collected while a transaction is under way')
    }
    this.stop()
    this.#heap.claim()
    const collection = this.#start()
    try {
      while (collection.step());
    } finally {
      collection.close()
    }
    this.#finished(collection)
    return { objects: collection.objects, kept: collection.kept }
  }

  /** Never within a transaction, which is done when its function returns. */
  #later () {
    return setTimeout(() => this.#work(), REST).unref()
  }

  #work () {
    try {
      this.#collection ??= this.#start()
      if (worked(this.#collection)) {
        this.#timer = this.#later()
      } else {
        const collection = this.#collection
        this.stop()
        this.#finished(collection)
      }
    } catch (error) {
      this.stop()
      this.#failed(error)
    }
  }

  #start () {
    this.#dropped = 0
    // A plain value that is assigned again must not bring back what nothing refers to.
    this.#heap.originals.forget()
    return new Collection(this.#heap)
  }

  /** @param {Collection} collection */
  #finished ({ kept }) {
    this.#threshold = Math.max(FIRST_THRESHOLD, kept / 2)
  }

  /**
   * No program has asked for it, so none is told. A full pool may have room later; what else there is does not pass.
   *
   * @param {Error & { code?: unknown }} error
   */
  #failed (error) {
    if (!String(error.code).startsWith('PMEMOBJ_')) throw error
    if (error.code !== 'PMEMOBJ_NO_SPACE') this.#inBackground = false
  }

  /** Leaves what is under way. The pool may be closed then. */
  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#collection?.close()
    this.#collection = undefined
  }
}

/**
 * Whether there is more to do.
 *
 * @param {Collection} collection
 */
function worked (collection) {
  const end = performance.now() + WORK
  do {
    if (!collection.step()) return false
  } while (performance.now() < end)
  return true
}

module.exports = { Collector }
