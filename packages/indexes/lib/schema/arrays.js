'use strict'

const { canonical } = require('./equality')
const { invalid } = require('./invalid')
const { count } = require('./values')

/**
 * @typedef {import('./check').Check} Check
 * @typedef {import('./keywords').Keyword} Keyword
 * @typedef {import('./keywords').Validator} Validator
 */

/** @param {string} what @param {(length: number, limit: number) => boolean} fits @returns {Keyword} */
function length (what, fits) {
  return (argument, { place }) => {
    const limit = count(argument, place)
    const words = `must have at ${what} ${limit} items`
    return (value, check) => !Array.isArray(value) || fits(value.length, limit) || check.fail(words)
  }
}

/** @type {Keyword} */
function uniqueItems (argument, { place }) {
  if (typeof argument !== 'boolean') throw invalid(place, 'must be true or false')
  if (!argument) return () => true
  return (value, check) => !Array.isArray(value) || areUnique(value, check) || check.fail('must have no two equal items')
}

/** @param {any[]} items @param {Check} check */
function areUnique (items, check) {
  const texts = new Set()
  for (const item of items) texts.add(canonical(item, size => check.spend(4 * size)))
  return texts.size === items.length
}

/** Asks of items from one on; of all where failures are told. @param {any[]} list @param {number} from @param {Check} check @param {Validator} validate */
function each (list, from, check, validate) {
  let isValid = true
  for (let i = from; i < list.length; i++) {
    if (check.inside(validate, list[i], i)) continue
    isValid = false
    if (check.path === null) return false
  }
  return isValid
}

/** @type {Keyword} */
function prefixItems (argument, { compile }) {
  const parts = /** @type {any[]} */ (argument).map(schema => compile(schema))
  return (value, check, seen) => {
    if (!Array.isArray(value)) return true
    if (seen !== null) seen.items = Math.max(seen.items, Math.min(parts.length, value.length))
    let isValid = true
    for (let i = 0; i < parts.length && i < value.length; i++) if (!check.inside(parts[i], value[i], i)) isValid = false
    return isValid
  }
}

/** @type {Keyword} */
function items (argument, { compile, schema }) {
  const from = schema.prefixItems?.length ?? 0
  const validate = compile(argument)
  return (value, check, seen) => {
    if (!Array.isArray(value)) return true
    if (seen !== null) seen.items = value.length
    return each(value, from, check, validate)
  }
}

/** @type {Keyword} */
function contains (argument, { compile, place, schema }) {
  const validate = compile(argument)
  const least = schema.minContains === undefined ? 1 : count(schema.minContains, place)
  const most = schema.maxContains === undefined ? Infinity : count(schema.maxContains, place)
  const words = `must contain ${most === Infinity ? 'at least ' : ''}${least}${most === Infinity ? '' : ` to ${most}`} of a kind`
  return (value, check, seen) => {
    if (!Array.isArray(value)) return true
    let found = 0
    for (let i = 0; i < value.length; i++) {
      if (!check.silently(validate, value[i], null)) continue
      found++
      seen?.single.add(i)
    }
    return (found >= least && found <= most) || check.fail(words)
  }
}

/** Asked last of a schema. @type {Keyword} */
function unevaluatedItems (argument, { compile }) {
  const validate = compile(argument)
  return (value, check, seen) => {
    const own = /** @type {import('./check').Seen} */ (seen)
    if (!Array.isArray(value)) return true
    const { items: from, single } = own
    own.items = value.length
    let isValid = true
    for (let i = from; i < value.length; i++) if (!single.has(i) && !check.inside(validate, value[i], i)) isValid = false
    return isValid
  }
}

/** @type {Record<string, Keyword>} */
const keywords = {
  minItems: length('least', (size, limit) => size >= limit),
  maxItems: length('most', (size, limit) => size <= limit),
  uniqueItems,
  prefixItems,
  items,
  contains
}

module.exports = { unevaluatedItems, keywords }
