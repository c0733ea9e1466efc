'use strict'

const { createError } = require('@potoroo/errors')

/**
 * @import { Core } from '../store/core'
 */

/** Entries that are read, where nothing ever waits, before others have their turn: a millisecond or two. */
const A_TURN = 1024

/** The cost of a page beside its entries: there may be very many short scans one after the other. */
const A_PAGE = 16

/** core → entries that were read since others had their turn @type {WeakMap<object, number>} */
const reads = new WeakMap()

/**
 * The next page of an iterator of the level; CLOSED where the store was closed meanwhile.
 *
 * @template T
 * @param {Core} core
 * @param {{ nextv (size: number): Promise<T[]> }} iterator
 * @param {number} size
 */
async function nextPage (core, iterator, size) {
  core.assertOpen()
  const page = await readPage(core, iterator, size)
  if (isTurn(core, page.length)) await core.keyspace.turn()
  core.assertOpen()
  return page
}

/**
 * The same without turns, for commits: those end, though the store is closing.
 *
 * @template T
 * @param {Core} core
 * @param {{ nextv (size: number): Promise<T[]> }} iterator
 * @param {number} size
 */
async function readPage (core, iterator, size) {
  try {
    return await iterator.nextv(size)
  } catch (error) {
    throw core.closed ? createError('CLOSED', { cause: error }) : error
  }
}

/** @param {Core} core @param {number} length */
function isTurn (core, length) {
  const count = (reads.get(core) ?? 0) + A_PAGE + length
  reads.set(core, count < A_TURN ? count : 0)
  return count >= A_TURN
}

/**
 * Lets others have their turn now and then, where entries were read at once.
 *
 * @param {Core} core
 * @param {number} length
 * @returns {void | Promise<void>} a promise where it is time
 */
function afterRead (core, length) { if (isTurn(core, length)) return core.keyspace.turn() }

module.exports = { afterRead, nextPage, readPage }
