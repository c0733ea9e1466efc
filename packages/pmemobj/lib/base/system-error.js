'use strict'

const { createError } = require('./codes')

/** @type {Record<string, import('../..').Code>} */
const CODES = {
  ENOENT: 'PMEMOBJ_NOT_FOUND',
  EEXIST: 'PMEMOBJ_EXISTS',
  ENOTEMPTY: 'PMEMOBJ_EXISTS',
  EACCES: 'PMEMOBJ_PERMISSION',
  EPERM: 'PMEMOBJ_PERMISSION',
  EROFS: 'PMEMOBJ_PERMISSION',
  ENOSPC: 'PMEMOBJ_NO_SPACE',
  EDQUOT: 'PMEMOBJ_NO_SPACE',
  ENOMEM: 'PMEMOBJ_NO_MEMORY'
}

/**
 * Returns an error of this package for one of the operating system, which is its cause.
 *
 * @param {NodeJS.ErrnoException} error of node:fs
 */
function fromSystem (error) {
  return Object.assign(createError(CODES[String(error.code)] ?? 'PMEMOBJ_IO', error.message), { cause: error })
}

module.exports = { fromSystem }
