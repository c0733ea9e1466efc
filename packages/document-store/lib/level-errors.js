'use strict'

const { CouchError, createError } = require('@potoroo/errors')

/** The error of a level as one of ours: closed, full, or internal with its cause. */
function fromLevel (error) {
  if (error instanceof CouchError) return error
  const code = String(error?.code ?? '')
  if (/NOT_OPEN|CLOSED/.test(code)) return createError('CLOSED', { cause: error })
  if (/LEVEL_PMEM_FULL|NO_SPACE|ENOSPC/.test(code)) return createError('NO_SPACE', { cause: error })
  return createError('INTERNAL', { reason: error?.message, cause: error })
}

module.exports = { fromLevel }
