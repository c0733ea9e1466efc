'use strict'

const { createError } = require('@potoroo/errors')
const { fromLevel } = require('./level-errors')

/** Entries that a scan reads, where nothing ever waits, before others have their turn: a millisecond or two. */
const A_TURN = 1024

/** iterator → entries that were read since others had their turn @type {WeakMap<object, number>} */
const reads = new WeakMap()

/** The next page of an iterator of the level; CLOSED where the store was closed meanwhile. */
async function nextPage (core, iterator, size) {
  core.assertOpen()
  let page
  try {
    page = await iterator.nextv(size)
  } catch (error) {
    throw core.closed ? createError('CLOSED', { cause: error }) : fromLevel(error)
  }
  if (isTurn(iterator, page.length)) await core.keyspace.turn()
  core.assertOpen()
  return page
}

function isTurn (iterator, length) {
  const count = (reads.get(iterator) ?? 0) + length
  reads.set(iterator, count < A_TURN ? count : 0)
  return count >= A_TURN
}

module.exports = { nextPage }
