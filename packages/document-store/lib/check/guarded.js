'use strict'

/**
 * Gives the problems of one record, or says that it cannot be read at all. The level's errors are thrown, except for damage.
 *
 * @param {string} what
 * @param {AsyncIterable<string>} problems
 */
async function * guarded (what, problems) {
  try {
    yield * problems
  } catch (error) {
    if (String(error.cause?.code).startsWith('LEVEL_')) throw error
    if (error.told) return
    yield `${what} cannot be read: ${error.message}`
  }
}

module.exports = { guarded }
