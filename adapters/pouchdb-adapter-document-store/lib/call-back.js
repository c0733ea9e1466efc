'use strict'

const { toPouchError } = require('./pouch-error')

/** @typedef {(error: any, result?: any) => void} Callback of pouchdb-core */

/**
 * Answers a callback of pouchdb-core, never before the caller's turn has ended.
 *
 * @param {Promise<any>} promise
 * @param {Callback} callback
 */
function answer (promise, callback) {
  promise.then((result) => callback(null, result), (error) => callback(toPouchError(error)))
}

module.exports = { answer }
