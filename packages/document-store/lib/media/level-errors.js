'use strict'

const { CouchError, createError } = require('@potoroo/errors')

/** A level's code → ours. @type {Map<string, string>} */
const CODES = new Map([
  ['EDQUOT', 'NO_SPACE'],
  ['ENOSPC', 'NO_SPACE'],
  ['LEVEL_BATCH_NOT_OPEN', 'CLOSED'],
  ['LEVEL_DATABASE_NOT_OPEN', 'CLOSED'],
  ['LEVEL_ITERATOR_NOT_OPEN', 'CLOSED'],
  ['LEVEL_SNAPSHOT_NOT_OPEN', 'CLOSED'],
  ['LEVEL_FENCED', 'NOT_OWNER'],
  ['LEVEL_NO_SPACE', 'NO_SPACE'],
  ['LEVEL_PMEM_FULL', 'NO_SPACE'],
  ['LEVEL_POSTGRES_FULL', 'UNAVAILABLE'],
  ['LEVEL_SNAPSHOT_EXPIRED', 'UNAVAILABLE'],
  ['LEVEL_UNAVAILABLE', 'UNAVAILABLE']
])

/** A level's code → what the code of ours does not say. @type {Record<string, string | undefined>} */
const REASONS = {
  LEVEL_CORRUPTION: 'The storage is damaged',
  LEVEL_IO_ERROR: 'The storage can no longer be read or written',
  LEVEL_POSTGRES_FULL: 'The database that holds the data is full',
  LEVEL_PMEM_NO_MEMORY: 'The operating system gives the storage no memory'
}

/**
 * The error of a level as one of ours: closed, full, another's, out of reach for a moment, or internal with its cause.
 * The level's own words are only in the cause: they name files.
 *
 * @param {any} error
 */
function fromLevel (error) {
  if (error instanceof CouchError) return error
  const code = String(error?.code)
  return createError(CODES.get(code) ?? 'INTERNAL', { reason: REASONS[code], cause: error })
}

module.exports = { fromLevel }
