'use strict'

/**
 * Works on several items at once and gives the results in the items' order.
 *
 * @template T, R
 * @param {AsyncIterable<T> | Iterable<T>} items read no further ahead than is worked on
 * @param {number} limit items at once
 * @param {(item: T) => Promise<R>} work
 * @returns {AsyncGenerator<R>}
 */
async function * orderedMap (items, limit, work) {
  const iterator = (/** @type {any} */ (items)[Symbol.asyncIterator] ?? /** @type {any} */ (items)[Symbol.iterator]).call(items)
  /** @type {Promise<R>[]} */
  const running = []
  let ended = false
  try {
    while (true) {
      while (!ended && running.length < limit) {
        const { value, done } = await iterator.next()
        if (done) ended = true
        else running.push(handled(work(value)))
      }
      if (running.length === 0) return
      yield await /** @type {Promise<R>} */ (running.shift())
    }
  } finally {
    await Promise.allSettled(running)
    await iterator.return?.()
  }
}

/**
 * Its failure is met when its turn comes, which may be later.
 * @template {Promise<any>} P
 * @param {P} promise
 */
function handled (promise) {
  promise.catch(() => {})
  return promise
}

module.exports = { orderedMap }
