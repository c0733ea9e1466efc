'use strict'

/** The functions that a query may call, as `Math.round(price)`: those of numbers alone. @type {Record<string, (...numbers: number[]) => number>} */
const functions = Object.fromEntries(['abs', 'ceil', 'floor', 'max', 'min', 'pow', 'round', 'sqrt', 'trunc', 'log', 'exp', 'sign'].map(name => [name, /** @type {any} */ (Math)[name]]))

module.exports = { functions }
