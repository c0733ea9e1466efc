'use strict'

const { randomBytes } = require('node:crypto')
const { createError } = require('../../base/codes')
const { checkWork, refuseLater } = require('../heap/work')
const { ID } = require('./notes')
const { Part } = require('./part')

/** @typedef {import('./part').Member} Member */

/** The pools of the one under way in this thread. @type {Set<import('../heap/heap').Heap>} */
let underWay = new Set()

/**
 * Calls a function. All that it changes in several pools is in them, durably, when this returns; or nothing of it, if it
 * throws or the process ends.
 *
 * @template T
 * @param {Member[]} members
 * @param {() => T} work
 * @returns {T} what it gives
 */
function runOver (members, work) {
  checkWork(work)
  const isNested = members.every(({ heap }) => underWay.has(heap))
  if (!isNested && members.some(({ heap }) => heap.inTransaction)) {
    throw createError('PMEMOBJ_IN_TRANSACTION', 'A transaction over several pools begins before any of them is in another one')
  }
  const before = underWay
  if (!isNested) underWay = new Set(members.map(({ heap }) => heap))
  try {
    const result = runIn(members, work)
    if (isNested) members.forEach(({ heap }) => heap.commit())
    else commit(members)
    return result
  } finally {
    underWay = before
  }
}

/**
 * @template T
 * @param {Member[]} members
 * @param {() => T} work
 */
function runIn (members, work) {
  /** @type {number[]} */
  const savepoints = []
  try {
    for (const { heap } of members) savepoints.push(heap.begin())
    const result = work()
    refuseLater(result)
    return result
  } catch (error) {
    savepoints.forEach((savepoint, i) => members[i].heap.rollBack(savepoint))
    throw error
  }
}

/** @param {Member[]} members */
function commit (members) {
  /** @type {Part[]} */
  let parts
  try {
    parts = members.map(member => new Part(member))
    checkBytes(parts)
  } catch (error) {
    members.forEach(({ heap }) => heap.rollBack(0))
    throw error
  }
  const changed = parts.filter(part => !part.isEmpty)
  // Bytes that were changed where they lie cannot wait for what another pool says.
  const coordinator = changed.find(part => part.hasBytes) ?? changed[0] ?? parts[0]
  const others = parts.filter(part => part !== coordinator)
  if (changed.length < 2) commitAlone(coordinator, others)
  else commitTogether(coordinator, changed.filter(part => part !== coordinator), others)
}

/** @param {Part[]} parts */
function checkBytes (parts) {
  if (parts.filter(part => part.hasBytes).length < 2) return
  throw createError('PMEMOBJ_INVALID', 'A transaction over several pools can change bytes of buffers in one of them')
}

/** @param {Part} part @param {Part[]} others in which nothing has changed */
function commitAlone (part, others) {
  attempt([part, ...others], () => part.commit())
  part.finish()
  for (const other of others) other.finish()
}

/**
 * Does something; if it fails, the parts are taken back.
 *
 * @param {Part[]} parts
 * @param {() => void} work
 */
function attempt (parts, work) {
  try {
    work()
  } catch (error) {
    for (const part of parts) part.rollBack()
    throw error
  }
}

/**
 * First each part is noted in its pool; then the coordinator's is in its pool, and with it that they all are; then the
 * others are brought in.
 *
 * @param {Part} coordinator
 * @param {Part[]} changed the others that have changed
 * @param {Part[]} others all of them
 */
function commitTogether (coordinator, changed, others) {
  const transaction = randomBytes(ID)
  attempt([coordinator, ...others], () => tellApart([coordinator, ...changed]))
  prepare(transaction, coordinator, changed, others)
  decide(transaction, coordinator, changed, others)
  coordinator.finish()
  const failures = changed.map(bringIn).filter(failure => failure !== undefined)
  for (const other of others) if (!changed.includes(other)) other.finish()
  if (failures.length === 0) coordinator.settle(transaction)
  else throw notBroughtIn(failures)
}

/** Gives a pool another id where it has that of one before it: a copy has that of its original. @param {Part[]} parts */
function tellApart (parts) {
  const known = new Set()
  for (const { notes } of parts) {
    if (known.has(notes.id.toString('hex'))) notes.renewId()
    known.add(notes.id.toString('hex'))
  }
}

/** @param {Buffer} transaction @param {Part} coordinator @param {Part[]} changed @param {Part[]} others */
function prepare (transaction, coordinator, changed, others) {
  /** @type {Part[]} */
  const prepared = []
  attempt([coordinator, ...others], () => {
    try {
      for (const part of changed) {
        prepared.push(part)
        part.prepare(transaction, coordinator)
      }
    } catch (error) {
      forget(prepared)
      throw error
    }
  })
}

/** Drops what is noted. It does no harm where that fails: nobody has decided it. @param {Part[]} parts */
function forget (parts) {
  for (const part of parts) {
    try {
      part.notes.forget()
    } catch {}
  }
}

/** @param {Buffer} transaction @param {Part} coordinator @param {Part[]} changed @param {Part[]} others */
function decide (transaction, coordinator, changed, others) {
  try {
    coordinator.decide(transaction, changed.map(part => part.notes.id))
  } catch (error) {
    // It may be durable: the next opening finds out.
    const isUnknown = error.code === 'PMEMOBJ_IO'
    if (!isUnknown) forget(changed)
    for (const part of [coordinator, ...others]) {
      if (isUnknown && (part === coordinator || changed.includes(part))) part.leave()
      else part.rollBack()
    }
    throw error
  }
}

/** @typedef {{ path: string, cause: Error }} Failure */

/** @param {Part} part @returns {Failure | undefined} */
function bringIn (part) {
  try {
    part.bringIn()
  } catch (cause) {
    part.leave()
    return { path: part.path, cause }
  }
  part.finish()
}

/** @param {Failure[]} failures */
function notBroughtIn (failures) {
  const whats = failures.map(({ path, cause }) => `${path} (${cause.message})`)
  const error = createError('PMEMOBJ_IN_DOUBT', `The transaction is done, except that these could not bring in their part, and were closed; they do when they are opened again: ${whats.join('; ')}`)
  return Object.assign(error, { cause: failures[0].cause })
}

module.exports = { runOver }
