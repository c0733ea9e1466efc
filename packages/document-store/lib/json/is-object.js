'use strict'

/** Says whether a value of JSON is an object, and no list. @param {unknown} value @returns {value is Record<string, any>} */
function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

module.exports = { isObject }
