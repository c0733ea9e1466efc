'use strict'

const path = require('node:path')
const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { writer } = require('../record/writer')
const { Notes } = require('./notes')
const { renumbered } = require('./prepared')

/** @typedef {import('./prepared').Prepared} Prepared */

/**
 * The pool that is asked whether a part is to be brought in: its handle or its path, or false: the part is not to be.
 * Default: the pool where it was.
 *
 * @typedef {{ handle: unknown, path: string } | string | false | undefined} Coordinator
 */

/** Whether something waits for what another pool says. @param {unknown} pool handle */
function isInDoubt (pool) {
  return Notes.find(pool)?.prepared !== undefined
}

/**
 * Brings in the part of a transaction over several pools that a crash has left, or drops it.
 *
 * @param {unknown} pool handle; this thread writes its objects
 * @param {string} location of the pool
 * @param {Coordinator} coordinator
 * @throws PMEMOBJ_IN_DOUBT where the pool that knows cannot be asked
 */
function settle (pool, location, coordinator) {
  const notes = Notes.find(pool)
  const prepared = notes?.prepared
  if (notes === undefined || prepared === undefined) return
  if (coordinator === false) return notes.forget()
  askCoordinator(prepared, location, coordinator, (other, place, mayWrite) => {
    const isOriginal = isWhereItWas(prepared, notes, location, place)
    if (other.partsOf(prepared.transaction) === undefined) {
      if (isOriginal) return notes.forget()
      throw inDoubt(location, place, [new Error(`This is a copy, or was moved: ${place} does not have the transaction, or has forgotten it since the original has its part`)])
    }
    bringIn(pool, notes, prepared)
    // The original, or another copy, may be still to ask.
    if (mayWrite && isOriginal) forgetPart(other, prepared.transaction, notes.id)
  })
}

/**
 * Whether the pool is the one that has noted the part, and no copy: it lies where it did, as seen from the coordinator. A
 * pool that was restored has no id, or another.
 *
 * @param {Prepared} prepared
 * @param {Notes} notes of the pool
 * @param {string} location of the pool
 * @param {string} place of the coordinator
 */
function isWhereItWas ({ own, coordinator }, notes, location, place) {
  if (own === undefined) return true
  const isAsBefore = path.resolve(location) === own.path || path.relative(path.resolve(place), path.resolve(location)) === path.relative(coordinator.path, own.path)
  return isAsBefore && notes.knownId?.equals(own.id) === true
}

/** If that fails, it only stays: the part is brought in. @param {Notes} other @param {Buffer} transaction @param {Buffer} id */
function forgetPart (other, transaction, id) {
  try {
    other.settle(transaction, id)
  } catch {}
}

/** @param {unknown} pool handle @param {Notes} notes of the pool @param {Prepared} prepared */
function bringIn (pool, notes, prepared) {
  const operations = renumbered(prepared, name => binding.openMap(pool, name))
  writer.register()
  writer.reset()
  writer.raw(operations)
  notes.writeBroughtIn(writer)
  binding.commit(pool, writer.at, false, true)
  notes.flush()
}

/**
 * Calls with the notes of the pool that knows, and whether they may be written to.
 *
 * @param {Prepared} prepared
 * @param {string} location of the pool that asks
 * @param {Exclude<Coordinator, false>} coordinator
 * @param {(notes: Notes, place: string, mayWrite: boolean) => void} ask
 */
function askCoordinator ({ transaction, coordinator: { id, ...known } }, location, coordinator, ask) {
  // A copy of it that was restored has another id: it knows what was done, and not what was not.
  const isRight = (/** @type {Notes} */ notes) => notes.knownId?.equals(id) === true || notes.partsOf(transaction) !== undefined
  if (typeof coordinator === 'object') {
    const notes = Notes.find(coordinator.handle)
    if (notes !== undefined && isRight(notes)) return ask(notes, coordinator.path, true)
    throw inDoubt(location, known.path, [new Error('The pool that was given is another one')])
  }
  const places = coordinator === undefined ? [path.resolve(path.dirname(location), known.relative), known.path] : [coordinator]
  /** @type {Error[]} */
  const reasons = []
  for (const place of new Set(places)) {
    const opened = openOr(place, reasons)
    if (opened === null) continue
    try {
      const notes = Notes.find(opened.pool)
      if (notes !== undefined && isRight(notes)) return ask(notes, place, opened.mayWrite)
    } finally {
      binding.close(opened.pool)
    }
    reasons.push(new Error(`${place} is another pool`))
  }
  throw inDoubt(location, known.path, reasons)
}

/** @param {string} location @param {Error[]} reasons gets why it cannot be opened @returns {ReturnType<typeof open> | null} */
function openOr (location, reasons) {
  try {
    return open(location)
  } catch (error) {
    reasons.push(error)
    return null
  }
}

/**
 * Opens a pool to write, which makes durable what a process that was killed has left there; or to read, where somebody has
 * it open, and so has done that.
 *
 * @param {string} location
 */
function open (location) {
  const options = (/** @type {boolean} */ readOnly) => /** @type {const} */ ([location, false, false, false, 0, 0, 0, undefined, undefined, readOnly, 0])
  try {
    return { pool: binding.open(...options(false)), mayWrite: true }
  } catch (error) {
    if (error.code !== 'PMEMOBJ_IN_USE') throw error
    return { pool: binding.open(...options(true)), mayWrite: false }
  }
}

/**
 * Removes what a pool has noted of transactions that are done in all their pools. If that fails, it only stays.
 *
 * @param {import('../heap/heap').Heap} heap
 */
function forgetSettled (heap) {
  const { settled } = heap
  try {
    for (const transaction of settled) heap.notes.settle(transaction)
  } catch {}
  settled.length = 0
}

/** @param {string} location @param {string} other @param {Error[]} reasons */
function inDoubt (location, other, reasons) {
  const error = createError('PMEMOBJ_IN_DOUBT', `${location}: only the pool that was at ${other} knows whether a transaction over both was done. ` +
    `${reasons.map(({ message }) => message).join('; ')}. Open that pool, and give it with the option coordinator, or drop the part with coordinator: false`)
  return Object.assign(error, { cause: reasons.at(-1) })
}

module.exports = { forgetSettled, isInDoubt, settle }
