'use strict'

const { createError } = require('./codes')

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
 * What the operating system said, as an error of this package with that one as its cause.
 *
 * @param {any} error of node:fs
 */
function fromSystem (error) {
  return Object.assign(createError(CODES[error.code] ?? 'PMEMOBJ_IO', error.message), { cause: error })
}

module.exports = { fromSystem }
