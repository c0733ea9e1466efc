'use strict'

const { SHORT, UNATTACHED } = require('../record/layout')
const { refused } = require('./refusal')
const { Text } = require('./text')

/** @param {unknown} value */
function isPrimitive (value) {
  return value === null || (typeof value !== 'object' && typeof value !== 'function')
}

/**
 * Makes a slot of it.
 *
 * @param {any} value
 * @param {string | symbol} name
 * @param {{ pathTo: (name: string | symbol) => string }} [copying] knows what it is in
 */
function keepPrimitive (value, name, copying) {
  if (typeof value === 'symbol' && Symbol.keyFor(value) === undefined) throw refused(value, copying?.pathTo(name) ?? name)
  if (typeof value === 'string' && value.length > SHORT) return new Text(UNATTACHED, value)
  return value
}

module.exports = { isPrimitive, keepPrimitive }
