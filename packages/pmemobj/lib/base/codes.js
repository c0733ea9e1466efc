'use strict'

/** Every code that an error of this package may have, and what it means. */
const codes = Object.freeze({
  PMEMOBJ_NOT_FOUND: 'There is no such pool, or no such map',
  PMEMOBJ_EXISTS: 'There is a pool, or something else, at the path already',
  PMEMOBJ_NOT_A_POOL: 'The file is not a pool of libpmemobj, or not one of this package',
  PMEMOBJ_LAYOUT_VERSION: 'The pool has a layout version that this release does not read',
  PMEMOBJ_OLDER_LAYOUT: 'The pool has a former layout version, and is opened with readOnly: opening it to write once brings it up',
  PMEMOBJ_IN_USE: 'Another process, or another Pool of this thread, has the pool open',
  PMEMOBJ_NO_SPACE: 'The file system, or the pool at its greatest size, is full',
  PMEMOBJ_CORRUPT: 'A header, page or value fails its checksum or its bounds',
  PMEMOBJ_PERMISSION: 'The operating system refuses access',
  PMEMOBJ_INVALID: 'An argument is out of range: a key too long, a snapshot of another pool',
  PMEMOBJ_KEY_NEEDED: 'The pool, or the backup, is encrypted, and no key is given',
  PMEMOBJ_WRONG_KEY: 'The pool, or the backup, is encrypted with another key',
  PMEMOBJ_NOT_ENCRYPTED: 'A key is given, and the pool is not encrypted',
  PMEMOBJ_ENCRYPTED: 'A pool that is encrypted cannot hold that: a PersistentArrayBuffer is memory of the pool itself',
  PMEMOBJ_IO: 'Anything else that the operating system said',
  PMEMOBJ_NO_MEMORY: 'The operating system gives no memory, or no thread: nothing was done',
  PMEMOBJ_CLOSED: 'The pool, iterator or snapshot is closed',
  PMEMOBJ_READ_ONLY: 'The pool was opened with readOnly, or another thread is the one that writes its objects',
  PMEMOBJ_IN_TRANSACTION: 'A transaction is under way, in which this call cannot be made',
  PMEMOBJ_IN_DOUBT: 'Only another pool knows whether a transaction over both was done, and cannot be asked; or one of them has its part to bring in',
  PMEMOBJ_NOT_A_BACKUP: 'What is to be restored is not a backup of a pool',
  PMEMOBJ_BACKUP_VERSION: 'The backup has a version of the format that this release does not read',
  PMEMOBJ_BACKUP_DAMAGED: 'The backup ends too early, fails a checksum, or contradicts itself',
  PMEMOBJ_BAD_DUMP: 'What is to be loaded is not a whole dump of ordered maps'
})

/**
 * @param {keyof typeof codes} code
 * @param {string} message
 * @returns {Error & { code: string }}
 */
function createError (code, message) {
  return Object.assign(new Error(message), { code })
}

module.exports = { codes, createError }
