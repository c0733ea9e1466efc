'use strict'

const binding = require('../../binding/binding')
const { KIND, META, PART, UNATTACHED } = require('../record/layout')
const { reader } = require('../record/reader')
const { Scan } = require('../record/scan')
const { writer } = require('../record/writer')
const { IdSet } = require('./id-set')
const { Ids } = require('./ids')

// Why what this deletes is garbage, though programs go on between its steps:
//
// It looks first, in small steps, which objects JavaScript has let go. Then it takes a snapshot, between
// transactions, and in the same instant notes which objects JavaScript has in its hands: those that it has not
// been seen to let go, for to ask V8 of each would take long. An object *of the snapshot* that neither the root reached there nor any of those
// can never be reached again: whoever stores a reference to it has to have it in hand, and got it from
// an object that was reached or in hand, of which it is then one. So the set of what is garbage in a
// snapshot only grows, and to mark in the snapshot needs to know of no write that comes later (there
// is no write barrier).
//
// Only ids that the snapshot has are ever deleted. An object that is made, attached or rolled back later has
// another id, for ids are not used twice; one that a transaction was given, but that was rolled back,
// was not in the snapshot, which has only what was committed. A buffer is in the pool before an object
// refers to it: it is in hand then, or garbage.
//
// A commit deletes whole objects, none of which anything reachable refers to. So the pool is sound
// between any two of them, and after a crash the rest is garbage as before, for the next collection.
//
// Threads that read are in snapshots of their own. Objects that they have in hand do not count: if one was
// deleted, they are told so, PMEMOBJ_NOT_FOUND, in their next turn.
//
// Shapes stay: there are few (at most 65,536), and the next object with the same names uses them again.

/** Records that are read in a step, and ids that a commit deletes: a small part of a millisecond each. */
const RECORDS = 16
const BATCH = 256

/** One mark and sweep, a step at a time. */
class Collection {
  #heap
  /** @type {unknown} handle, once it has begun */
  #snapshot
  /** Ids that the snapshot has and nothing was found to refer to. */
  #candidates = new IdSet()
  /** Ids of buffers whose bytes the snapshot has. */
  #buffers = new IdSet()
  /** Ids of objects that may be in hand. @type {Iterator<number>} */
  #hands = [].values()
  /** @type {(() => void) | undefined} */
  #onBegin
  /** @type {Ids | undefined} */
  #ids
  /** Reached, and not read. @type {number[]} */
  #waiting = []
  #scan
  #current = UNATTACHED
  /** @type {Iterator<number> | undefined} */
  #garbage
  #look
  #step = this.#begin

  /** Objects that were deleted; that stay, of those which there were when it began. */
  objects = 0
  kept = 0
  /** Objects that the root reaches. @type {number | undefined} */
  #reached

  /**
   * @param {import('../heap/heap').Heap} heap of the thread that writes, in no transaction
   * @param {() => void} [onBegin] called when it takes its snapshot: what becomes garbage later is not found
   */
  constructor (heap, onBegin) {
    this.#heap = heap
    this.#onBegin = onBegin
    this.#look = heap.identity.look()
    this.#scan = new Scan({
      reference: id => this.#reach(id),
      // It refers to nothing, and is no object of its own to users.
      text: id => { this.#candidates.remove(id) }
    })
  }

  /** Objects that stay only because JavaScript may have them, or what refers to them. */
  get held () { return this.#reached === undefined ? 0 : this.kept - this.#reached }

  /** @returns {boolean} whether there is more to do */
  step () {
    return this.#step()
  }

  #begin () {
    if (!this.#look.next().done) return true
    const { buffers, identity, maps, originals, pool } = this.#heap
    // A plain value that is assigned again must not bring back what nothing refers to.
    originals.forget()
    this.#hands = chain(identity.hands, identity.handsOutside(), buffers.roots())
    this.#snapshot = binding.takeSnapshot(pool)
    this.#ids = this.#list(maps.objects)
    this.#onBegin?.()
    this.#step = this.#listObjects
    return true
  }

  /** @param {number} map */
  #list (map) {
    return new Ids(this.#heap.pool, map, this.#snapshot)
  }

  #listObjects () {
    if (this.#listed(id => this.#candidates.add(id))) return true
    this.#ids = this.#list(this.#heap.maps.buffers)
    this.#step = this.#listBuffers
    return true
  }

  #listBuffers () {
    /** @param {number} id */
    const add = id => {
      this.#candidates.add(id)
      this.#buffers.add(id)
    }
    if (this.#listed(add)) return true
    this.#read(META)
    this.#step = this.#mark
    return true
  }

  /**
   * Whether there may be more.
   *
   * @param {(id: number) => void} add
   */
  #listed (add) {
    const ids = /** @type {Ids} */ (this.#ids)
    if (ids.next(add)) return true
    ids.close()
    this.#ids = undefined
    return false
  }

  /** @param {number} id */
  #reach (id) {
    if (!this.#candidates.remove(id)) return
    this.kept++
    this.#waiting.push(id)
  }

  #mark () {
    for (let i = 0; i < RECORDS; i++) {
      if (!this.#markOne()) return true
    }
    return true
  }

  /** Reads one record, or one part. */
  #markOne () {
    if (this.#scan.part >= 0) {
      writer.reset()
      writer.part(this.#current, PART.chunk, this.#scan.part)
      this.#scan.next(this.#fetch())
    } else if (this.#waiting.length > 0) {
      this.#read(/** @type {number} */ (this.#waiting.pop()))
    } else if (!this.#takeHand()) {
      this.#release()
      this.#garbage = this.#candidates[Symbol.iterator]()
      this.#step = this.#sweep
      return false
    }
    return true
  }

  /** Comes after all that the root reaches. @returns {boolean} false after the last */
  #takeHand () {
    this.#reached ??= this.kept
    const { done, value } = this.#hands.next()
    if (!done) this.#reach(value)
    return !done
  }

  /** @param {number} id */
  #read (id) {
    this.#current = id
    writer.reset()
    writer.id(id)
    const found = this.#fetch()
    // A buffer that no object refers to yet has only bytes.
    if (found !== undefined) this.#scan.begin(found)
  }

  #fetch () {
    return reader.fetch(this.#heap.pool, this.#heap.maps.objects, writer.at, this.#snapshot) ? reader : undefined
  }

  /** Deletes a batch. */
  #sweep () {
    const garbage = /** @type {Iterator<number>} */ (this.#garbage)
    const batch = []
    for (let next; batch.length < BATCH && !(next = garbage.next()).done;) batch.push(next.value)
    if (batch.length === 0) return false
    const { identity, maps, pool } = this.#heap
    const buffers = batch.filter(id => this.#buffers.remove(id))
    const objects = batch.filter(id => this.#isObject(id)).length
    writer.reset()
    for (const { from, to } of runsOf(batch)) writer.deleteIds(maps.objects, from, to)
    for (const id of buffers) writer.delete(maps.buffers, id)
    binding.commit(pool, writer.at, false)
    for (const id of batch) identity.forget(id)
    this.objects += objects
    return true
  }

  /**
   * Neither a string, nor what has gone since with its slot.
   *
   * @param {number} id
   */
  #isObject (id) {
    const record = this.#heap.read(id)
    return record !== undefined && record.u8() !== KIND.text
  }

  #release () {
    this.#ids?.close()
    this.#ids = undefined
    if (this.#snapshot !== undefined) binding.closeSnapshot(this.#snapshot)
    this.#snapshot = undefined
  }

  /** Ends it, done or not. */
  close () {
    this.#release()
    this.#step = () => false
  }
}

/** @param {Array<Iterable<number>>} lists */
function * chain (...lists) {
  for (const list of lists) yield * list
}

/**
 * Ids, ascending, as ranges of those that follow each other: a range is one operation.
 *
 * @param {number[]} ids
 */
function runsOf (ids) {
  const runs = []
  /** @type {{ from: number, to: number } | undefined} */
  let run
  for (const id of ids) {
    if (run?.to !== id) runs.push(run = { from: id, to: id })
    run.to = id + 1
  }
  return runs
}

module.exports = { Collection }
