'use strict'

const fs = require('node:fs')
const path = require('node:path')
const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { checkDurability, checkKey } = require('./pool-options')
const { bytesOf } = require('./size')

// Address space is reserved for all of it: 128 TiB are what a process has.
const DEFAULT_MAX_SIZE = 2 ** 36

/**
 * Opens or makes a pool's files.
 *
 * @param {string} location
 * @param {import('../..').OpenOptions & { exclusive?: boolean }} options
 * @param {boolean} readOnly
 * @returns {unknown} what the addon takes for the pool
 */
function openHandle (location, options, readOnly) {
  const { size = 0, maxSize = DEFAULT_MAX_SIZE, createIfMissing = !readOnly, errorIfExists = false, exclusive = false } = options
  const first = bytesOf(size, 'size')
  const greatest = bytesOf(maxSize, 'maxSize')
  try {
    // An existing pool keeps its greatest size, unless another is asked for.
    return binding.open(location, Boolean(createIfMissing), Boolean(errorIfExists), Boolean(exclusive),
      first, greatest, options.maxSize === undefined ? 0 : greatest, checkDurability(options.durability), checkKey(options.key), readOnly,
      options.decryptedMemory === undefined ? 0 : bytesOf(options.decryptedMemory, 'decryptedMemory'))
  } catch (error) {
    // One that exists keeps its size, whatever is asked for.
    if (error.code === 'PMEMOBJ_NO_SPACE' && greatest > 0 && first > greatest) throw createError('PMEMOBJ_INVALID', `The size, ${first} bytes, is greater than the maxSize, ${greatest} bytes`)
    if (error.code === 'PMEMOBJ_NOT_FOUND' && createIfMissing && !fs.existsSync(path.dirname(path.resolve(location)))) throw createError(error.code, `${location}: there is no folder ${path.dirname(path.resolve(location))}; make it first`)
    if (error.code !== 'PMEMOBJ_EXISTS' || errorIfExists) throw error
    throw createError(error.code, `${location} is a copy of a pool that this process has open: libpmemobj opens one pool of an id. Open it in another process, or copy by backup() and restore()`)
  }
}

module.exports = { DEFAULT_MAX_SIZE, openHandle }
