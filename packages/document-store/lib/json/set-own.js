'use strict'

/**
 * Ids may be any string. Defining a property takes much longer than assigning it.
 *
 * @param {Record<string, any>} object
 * @param {string} key
 * @param {unknown} value
 */
function setOwn (object, key, value) {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

module.exports = { setOwn }
