'use strict'

const { createError } = require('../../base/codes')
const binding = require('../../binding/binding')
const { Collection } = require('./collection')
const { hurryV8 } = require('./hurry')

/** References that have to go before the collector looks at once for what went with them; or half of what stays, if that is more. */
const FIRST_THRESHOLD = 1024
/** Milliseconds of work, and of rest after it: a fifth of a thread at most. */
const WORK = 1
const REST = 4
/** Milliseconds until it looks in any case, and how many times as long as the last look took, if that is more. */
const DELAY = 1000
const SHARE = 10
/** Objects that JavaScript may have let go, which are enough to ask V8. */
const MANY = 1000
/** How often it looks again whether JavaScript has let go, each time after twice as long. */
const LOOKS = 7

/** Frees what nothing reaches any more: when it is asked to, and in the background. */
class Collector {
  #heap
  #inBackground
  #dropped = 0
  #threshold = FIRST_THRESHOLD
  #delay = DELAY
  /** Milliseconds that the one under way has taken. */
  #spent = 0
  /** Looks since something was freed or dropped. */
  #looks = 0
  /** @type {Collection | undefined} the one under way */
  #collection
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {NodeJS.Timeout | undefined} */
  #returning

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
    this.#dropped++
    if (!this.#inBackground || this.#collection !== undefined) return
    if (this.#dropped === 1) this.#looks = 0
    if (this.#timer === undefined) this.#work(this.#delay)
    else if (this.#dropped === this.#threshold) this.#work(REST)
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
    if (collection.objects > 0) binding.checkpoint(this.#heap.pool)
    return { objects: collection.objects, kept: collection.kept }
  }

  /** Works a little, later: never within a transaction, which is done when its function returns. @param {number} delay */
  #work (delay) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#try(() => this.#goOn()), delay).unref()
  }

  #goOn () {
    this.#collection ??= this.#start()
    const begin = performance.now()
    const hasMore = worked(this.#collection)
    this.#spent += performance.now() - begin
    if (hasMore) return this.#work(REST)
    const collection = this.#collection
    this.stop()
    this.#finished(collection)
    if (collection.objects > 0) this.#giveBack()
    this.#lookAgain(collection)
  }

  #start () {
    this.#spent = 0
    return new Collection(this.#heap, () => { this.#dropped = 0 })
  }

  /** @param {Collection} collection */
  #finished ({ kept }) {
    this.#threshold = Math.max(FIRST_THRESHOLD, kept / 2)
    this.#delay = Math.max(DELAY, SHARE * this.#spent)
  }

  /** References may have been dropped meanwhile, and objects of JavaScript's be gone without a sign. @param {Collection} collection */
  #lookAgain ({ held, objects }) {
    if (this.#dropped > 0 || objects > 0) this.#looks = 0
    if (this.#dropped === 0 && (held === 0 || this.#looks >= LOOKS)) return
    if (held >= MANY) hurryV8()
    this.#work(this.#delay * 2 ** this.#looks++)
  }

  /** Gives back the room of what was freed, which is in use until a checkpoint does without it. */
  #giveBack () {
    if (binding.giveBack(this.#heap.pool)) return
    this.#returning = setTimeout(() => this.#try(() => this.#giveBack()), REST).unref()
  }

  /**
   * No program has asked for it, so none is told. A full pool may have room later; what else there is does not pass.
   *
   * @param {() => void} work
   */
  #try (work) {
    try {
      work()
    } catch (error) {
      this.stop()
      if (!String(error.code).startsWith('PMEMOBJ_')) throw error
      if (error.code !== 'PMEMOBJ_NO_SPACE') this.#inBackground = false
    }
  }

  /** Leaves what is under way. The pool may be closed then. */
  stop () {
    clearTimeout(this.#timer)
    clearTimeout(this.#returning)
    this.#timer = undefined
    this.#returning = undefined
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
