'use strict'

/** Says whether a value of JSON is an object, and no list. @param {any} value */
function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

module.exports = { isObject }
