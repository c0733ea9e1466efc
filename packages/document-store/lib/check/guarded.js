'use strict'

/** The problems of one record, or that it cannot be read at all. What the level throws is thrown. */
async function * guarded (what, problems) {
  try {
    yield * problems
  } catch (error) {
    if (String(error.code).startsWith('LEVEL_')) throw error
    yield `${what} cannot be read: ${error.message}`
  }
}

module.exports = { guarded }
