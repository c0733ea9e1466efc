'use strict'

/** Ids may be any string. Defining a property takes much longer than assigning it. */
function setOwn (object, key, value) {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

module.exports = { setOwn }
