'use strict'

const { toPouchError } = require('./pouch-error')

/**
 * Answers a callback of pouchdb-core, never before the caller's turn has ended.
 *
 * @param {Promise<any>} promise
 * @param {(error: any, result?: any) => void} callback
 */
function answer (promise, callback) {
  promise.then((result) => callback(null, result), (error) => callback(toPouchError(error)))
}

module.exports = { answer }
