'use strict'

/**
 * pmemobj's code → abstract-level's, or one of ours where it has none.
 *
 * @type {Readonly<Record<string, string>>}
 */
const codes = Object.freeze({
  PMEMOBJ_NOT_FOUND: 'LEVEL_PMEM_NOT_FOUND',
  PMEMOBJ_EXISTS: 'LEVEL_PMEM_EXISTS',
  PMEMOBJ_NOT_A_POOL: 'LEVEL_PMEM_NOT_A_POOL',
  PMEMOBJ_LAYOUT_VERSION: 'LEVEL_PMEM_LAYOUT_VERSION',
  PMEMOBJ_OLDER_LAYOUT: 'LEVEL_PMEM_OLDER_LAYOUT',
  PMEMOBJ_IN_USE: 'LEVEL_LOCKED',
  PMEMOBJ_NO_SPACE: 'LEVEL_PMEM_FULL',
  PMEMOBJ_CORRUPT: 'LEVEL_CORRUPTION',
  PMEMOBJ_PERMISSION: 'LEVEL_PMEM_PERMISSION',
  PMEMOBJ_INVALID: 'LEVEL_PMEM_INVALID',
  PMEMOBJ_IO: 'LEVEL_IO_ERROR',
  PMEMOBJ_NO_MEMORY: 'LEVEL_PMEM_NO_MEMORY',
  PMEMOBJ_CLOSED: 'LEVEL_DATABASE_NOT_OPEN',
  PMEMOBJ_NOT_A_BACKUP: 'LEVEL_PMEM_NOT_A_BACKUP',
  PMEMOBJ_BACKUP_VERSION: 'LEVEL_PMEM_BACKUP_VERSION',
  PMEMOBJ_BACKUP_DAMAGED: 'LEVEL_PMEM_BACKUP_DAMAGED',
  PMEMOBJ_BAD_DUMP: 'LEVEL_PMEM_BAD_DUMP',
  PMEMOBJ_KEY_NEEDED: 'LEVEL_PMEM_KEY_NEEDED',
  PMEMOBJ_WRONG_KEY: 'LEVEL_PMEM_WRONG_KEY',
  PMEMOBJ_NOT_ENCRYPTED: 'LEVEL_PMEM_NOT_ENCRYPTED',
  PMEMOBJ_ENCRYPTED: 'LEVEL_PMEM_ENCRYPTED',
  PMEMOBJ_READ_ONLY: 'LEVEL_PMEM_READ_ONLY',
  PMEMOBJ_IN_TRANSACTION: 'LEVEL_PMEM_IN_TRANSACTION',
  PMEMOBJ_IN_DOUBT: 'LEVEL_PMEM_IN_DOUBT'
})

/**
 * @param {any} error what pmemobj threw; anything else (a TypeError) is given back as it is
 */
function toLevelError (error) {
  const code = codes[error.code]
  if (code === undefined) return error
  return Object.assign(new Error(error.message, { cause: error }), { code })
}

/**
 * @template T
 * @param {() => T} action
 */
function attempt (action) {
  try {
    return action()
  } catch (error) {
    throw toLevelError(error)
  }
}

/** @param {any} error @returns {never} */
function rethrow (error) {
  throw toLevelError(error)
}

module.exports = { attempt, codes, rethrow, toLevelError }
