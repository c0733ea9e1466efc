'use strict'

const { createError } = require('@potoroo/errors')

/** Adds numbers, and arrays member by member: a number is an array of one. @param {any[]} values */
function sum (values) {
  let total = /** @type {number | number[]} */ (0)
  for (const value of values) {
    if (Array.isArray(value)) total = addArrays(typeof total === 'number' ? [total] : total, value)
    else if (typeof value !== 'number') throw notNumbers()
    else if (typeof total === 'number') total += value
    else total[0] += value
  }
  return total
}

/**
 * Adds to the first one.
 *
 * @param {number[]} totals
 * @param {any[]} values
 */
function addArrays (totals, values) {
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== 'number') throw notNumbers()
    if (i < totals.length) totals[i] += values[i]
    else totals.push(values[i])
  }
  return totals
}

function notNumbers () { return builtInError('_sum function requires map values to be numbers or number arrays') }

/** PouchDB's own words. @param {string} reason */
function builtInError (reason) {
  return createError('FUNCTION_ERROR', { error: 'invalid_value', reason: `builtin ${reason}` })
}

module.exports = { builtInError, notNumbers, sum }
