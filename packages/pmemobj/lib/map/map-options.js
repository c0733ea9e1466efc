'use strict'

const { checkOptions } = require('@potoroo/errors/known-options')

// Names of the options of an OrderedMap's methods.

const READING = ['encoding', 'snapshot']
const COUNTING = ['gt', 'gte', 'lt', 'lte', 'snapshot']
const CLEARING = [...COUNTING, 'reverse', 'limit']

/** By the method that takes them. */
const OPTIONS = {
  'map.get()': READING,
  'map.getMany()': READING,
  'map.has()': ['snapshot'],
  'map.hasMany()': ['snapshot'],
  'map.clear()': CLEARING,
  'map.clearAsync()': CLEARING,
  'map.count()': COUNTING,
  'map.iterator()': [...CLEARING, 'keys', 'values', 'keyEncoding', 'valueEncoding']
}

/**
 * Refuses an option that a method does not have.
 *
 * @param {unknown} options
 * @param {keyof typeof OPTIONS} of
 * @throws TypeError
 */
function checkNames (options, of) { checkOptions(options, OPTIONS[of], of) }

// Reads do the same each time, and compare names one by one: a list of them, or a Set, costs several times as much.

/** @param {unknown} options @param {'map.get()' | 'map.getMany()'} of */
function checkReading (options, of) {
  if (typeof options !== 'object') return checkNames(options, of)
  for (const name in options) if (name !== 'encoding' && name !== 'snapshot') return checkNames(options, of)
}

/** @param {unknown} options */
function checkCounting (options) {
  if (typeof options !== 'object') return checkNames(options, 'map.count()')
  for (const name in options) if (!isOfRange(name)) return checkNames(options, 'map.count()')
}

/** @param {unknown} options */
function checkIterating (options) {
  if (typeof options !== 'object') return checkNames(options, 'map.iterator()')
  for (const name in options) if (!isOfRange(name) && !isOfIterator(name)) return checkNames(options, 'map.iterator()')
}

/** @param {string} name */
function isOfRange (name) { return name === 'gte' || name === 'lt' || name === 'gt' || name === 'lte' || name === 'snapshot' }

/** @param {string} name */
function isOfIterator (name) {
  return name === 'reverse' || name === 'limit' || name === 'keys' || name === 'values' || name === 'keyEncoding' || name === 'valueEncoding'
}

module.exports = { OPTIONS, checkCounting, checkIterating, checkNames, checkReading }
