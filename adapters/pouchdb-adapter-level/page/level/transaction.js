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

module.exports = { ended, toLevelError }
