'use strict'

const { createError } = require('@potoroo/errors')

/** @type {any} */
let indexes

/** The file of the indexes gives what is in it. @param {any} given */
function provideIndexes (given) { indexes = given }

/**
 * Loads the file of the indexes, which comes by itself where an application imported it before.
 *
 * @returns {Promise<any>} what it gave
 * @throws UNAVAILABLE where it could not be loaded: the next call tries again
 */
async function loadIndexes () {
  try {
    if (indexes === undefined) await import('./part.mjs')
  } catch (cause) {
    throw createError('UNAVAILABLE', { reason: 'The file that has the indexes of pouchdb-adapter-level was not loaded: without a network, load it before (import \'pouchdb-adapter-level/indexes\')', cause })
  }
  return indexes
}

module.exports = { loadIndexes, provideIndexes }
