'use strict'

const { CouchError, createError } = require('@potoroo/errors')

/** @type {Record<string, string | undefined>} */
const REASONS = {
  LEVEL_CORRUPTION: 'The storage is damaged',
  LEVEL_IO_ERROR: 'The storage can no longer be read or written',
  LEVEL_PMEM_NO_MEMORY: 'The operating system gives the storage no memory'
}

/**
 * The error of a level as one of ours: closed, full, another's, out of reach, or internal with its cause. The level's own words are
 * only in the cause: they name files.
 *
 * @param {any} error
 */
function fromLevel (error) {
  if (error instanceof CouchError) return error
  const code = String(error?.code ?? '')
  if (/NOT_OPEN|CLOSED/.test(code)) return createError('CLOSED', { cause: error })
  if (/LEVEL_PMEM_FULL|NO_SPACE|ENOSPC|EDQUOT/.test(code)) return createError('NO_SPACE', { cause: error })
  if (code === 'LEVEL_FENCED') return createError('NOT_OWNER', { cause: error })
  if (code === 'LEVEL_POSTGRES_FULL') return createError('UNAVAILABLE', { reason: 'What holds the data is full', cause: error })
  if (code === 'LEVEL_UNAVAILABLE') return createError('UNAVAILABLE', { cause: error })
  return createError('INTERNAL', { reason: REASONS[code], cause: error })
}

module.exports = { fromLevel }
