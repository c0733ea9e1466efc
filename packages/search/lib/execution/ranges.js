'use strict'

const { LAST, keyPart, orderedNumber } = require('../index/layout')
const { DocumentSet } = require('./document-set')
const { constantMatches, termsOf } = require('./multi-term')
const { ENTRY } = require('./work')

/**
 * @typedef {import('./terms').Search} Search
 * @typedef {{ field: string, low: string | number | null, high: string | number | null, includeLow: boolean, includeHigh: boolean }} Range
 */

/**
 * The documents with numbers of a range.
 *
 * @param {Search} search
 * @param {string} field
 * @param {{ low: number | null, high: number | null, includeLow: boolean, includeHigh: boolean }} range
 * @param {number} boost
 */
async function numberMatches ({ reader, work }, field, { low, high, includeLow, includeHigh }, boost) {
  const range = {
    ...(low === null ? {} : { [includeLow ? 'gte' : 'gt']: orderedNumber(low) }),
    ...(high === null ? {} : { [includeHigh ? 'lte' : 'lt']: orderedNumber(high) })
  }
  const docs = new DocumentSet()
  for await (const page of reader.numbers(field, range)) {
    for (const doc of page) docs.add(doc)
    await work.spend(ENTRY * page.length)
  }
  return docs.matches(boost, work)
}

/** Terms in the order of their code points. @param {string} a @param {string} b */
function isBelow (a, b) { return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 }

/**
 * The documents with terms of a range.
 *
 * @param {Search} search
 * @param {Range} range
 * @param {number} boost
 * @param {import('./matches').Matches} [wanted]
 */
async function textMatches (search, { field, low, high, includeLow, includeHigh }, boost, wanted) {
  const from = low === null ? '' : keyPart(String(low))
  const to = high === null ? LAST : keyPart(String(high))
  const isUp = (/** @type {string} */ term) => isBelow(term, to) || (term === to && includeHigh)
  const matcher = {
    prefix: '',
    accepts: (/** @type {string} */ term) => isUp(term) && (includeLow || term !== from),
    // After the last one there is nothing to be read.
    next: (/** @type {string} */ term) => term === '' ? from : isUp(term.endsWith('\0') ? term.slice(0, -1) : term) ? term : undefined
  }
  return constantMatches(search, field, await termsOf(search, field, matcher), boost, wanted)
}

/**
 * @param {Search} search
 * @param {Range} range numbers where both ends are, or the only one is
 * @param {number} boost
 * @param {import('./matches').Matches} [wanted]
 */
function rangeMatches (search, range, boost, wanted) {
  const { field, low, high } = range
  if (typeof (low ?? high) === 'number') return numberMatches(search, field, { ...range, low: /** @type {number | null} */ (low), high: /** @type {number | null} */ (high) }, boost)
  return textMatches(search, range, boost, wanted)
}

module.exports = { numberMatches, rangeMatches }
