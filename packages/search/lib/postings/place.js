'use strict'

/**
 * Finds the first document from one on: the further it is, the larger the steps.
 *
 * @param {Float64Array} docs ascending
 * @param {number} from
 * @param {number} to what is returned where there is none
 * @param {number} doc
 */
function placeOf (docs, from, to, doc) {
  let step = 1
  while (from + step < to && docs[from + step] < doc) {
    from += step
    step *= 2
  }
  let end = Math.min(to, from + step)
  while (from < end) {
    const middle = (from + end) >>> 1
    if (docs[middle] < doc) from = middle + 1
    else end = middle
  }
  return from
}

module.exports = { placeOf }
