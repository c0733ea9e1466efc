'use strict'

/** The type of a value in JSON's words: `typeof` says `object` of null and of arrays. @param {any} value */
function typeOf (value) {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

module.exports = { typeOf }
