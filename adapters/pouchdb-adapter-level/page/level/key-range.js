'use strict'

/* global IDBKeyRange */

const { Bytes, latin1 } = require('../bytes')

/** Ranges of keys, as levels and IndexedDB have them. */

/**
 * @typedef {{ gt?: Uint8Array, gte?: Uint8Array, lt?: Uint8Array, lte?: Uint8Array }} Range
 * @typedef {{ gt?: string, gte?: string, lt?: string, lte?: string }} TextRange
 */

/** Tells whether a key is in a range, of its latin1 text: IDBKeyRange takes far longer. @param {Range} range */
function textsWithin ({ gt, gte, lt, lte }) {
  const [least, greatest] = [gte ?? gt, lte ?? lt].map(key => key && latin1(key))
  return (/** @type {string} */ text) =>
    (least === undefined || (gte === undefined ? text > least : text >= least)) &&
    (greatest === undefined || (lte === undefined ? text < greatest : text <= greatest))
}

/** @param {TextRange} options @returns {Range} */
function bytesOf ({ gt, gte, lt, lte }) { return { gt: bytes(gt), gte: bytes(gte), lt: bytes(lt), lte: bytes(lte) } }

/** @param {string | undefined} key */
function bytes (key) { return key === undefined ? undefined : Bytes.from(key) }

/** @param {Range} range @param {Uint8Array} key @param {boolean} reverse */
function upTo (range, key, reverse) { return reverse ? { ...range, gt: undefined, gte: key } : { ...range, lt: undefined, lte: key } }

/** @param {Range} range @param {Uint8Array} key @param {boolean} reverse */
function beyond (range, key, reverse) { return reverse ? { ...range, lte: undefined, lt: key } : { ...range, gte: undefined, gt: key } }

/** @param {Range} range @returns {IDBKeyRange | undefined | null} undefined: all keys; null: none */
function rangeOf ({ gt, gte, lt, lte }) {
  const lower = gte ?? gt
  const upper = lte ?? lt
  try {
    if (lower !== undefined && upper !== undefined) return IDBKeyRange.bound(lower, upper, gte === undefined, lte === undefined)
    if (lower !== undefined) return IDBKeyRange.lowerBound(lower, gte === undefined)
    return upper === undefined ? undefined : IDBKeyRange.upperBound(upper, lte === undefined)
  } catch {
    // IndexedDB has no empty range.
    return null
  }
}

module.exports = { beyond, bytesOf, rangeOf, textsWithin, upTo }
