'use strict'

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
function ended (transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(toLevelError(transaction.error))
  })
}

/** @param {DOMException | null} error */
function toLevelError (error) {
  const code = error?.name === 'QuotaExceededError' ? 'LEVEL_NO_SPACE' : 'LEVEL_IO_ERROR'
  return Object.assign(new Error(error?.message ?? 'The transaction was aborted', { cause: error }), { code })
}

/** An error as abstract-level has it. @param {string} message @param {unknown} [cause] @param {string} [code] */
function notOpen (message, cause, code = 'LEVEL_DATABASE_NOT_OPEN') { return Object.assign(new Error(message, { cause }), { code }) }

module.exports = { ended, notOpen, toLevelError }
