'use strict'

const { types } = require('node:util')

/**
 * Throws for what cannot be the function of a transaction.
 *
 * @param {unknown} work
 */
function checkWork (work) {
  if (typeof work !== 'function') throw new TypeError('A transaction takes a function')
  if (types.isAsyncFunction(work) || types.isGeneratorFunction(work)) {
    throw new TypeError('A transaction is done when its function returns: it cannot be async, or a generator')
  }
}

/**
 * Refuses a result that would do something later: that could not be taken back, nor be part of the transaction.
 *
 * @param {any} result
 */
function refuseLater (result) {
  const isPromise = typeof result?.then === 'function'
  if (!isPromise && !types.isGeneratorObject(result)) return
  if (isPromise) Promise.resolve(result).catch(() => {})
  throw new TypeError('A transaction is done when its function returns: it cannot give a promise, or a generator')
}

module.exports = { checkWork, refuseLater }
