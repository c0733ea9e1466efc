'use strict'

const { doubt } = require('./values')

/**
 * Calls of `index`, as prelude-index.js takes them: each is a row whose key is the list of its arguments. If it would throw there, the answer is a doubt.
 *
 * @typedef {'search' | 'nouveau'} Dialect
 */

/** Types of values that a type of Nouveau's takes. @type {Record<string, string[]>} */
const TYPES = { stored: ['number', 'string'], double: ['number'], string: ['string'], text: ['string'] }

/** Arguments that a call has at most. @type {Record<Dialect, number>} */
const MOST = { search: 3, nouveau: 4 }

/** @type {Record<Dialect, (given: any[]) => any[]>} */
const takers = {
  search ([name, value, options]) {
    checkType(value, ['string', 'number', 'boolean'])
    return [nameOf(name), value, optionsOf(options)]
  },
  nouveau ([type, name, value, options]) {
    checkType(value, typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : doubt())
    return [type, nameOf(name), value, optionsOf(options)]
  }
}

/** @param {any} value @param {string[]} types */
function checkType (value, types) { if (!types.includes(typeof value)) doubt() }

/** @param {any} name */
function nameOf (name) { return typeof name === 'string' && name[0] !== '_' ? name : doubt() }

/** @param {any} options */
function optionsOf (options) {
  if (!options) return {}
  return typeof options === 'object' ? options : doubt()
}

module.exports = { MOST, takers }
