'use strict'

const vm = require('node:vm')

// V8 stops an expression only where it runs under a clock, and only `vm` has one. Setting it costs
// about 100 µs, so what cannot take long goes without.
const clocked = vm.createContext(Object.create(null))
const script = new vm.Script('expression.test(text)')

/**
 * Tests a text for as long as it may take.
 *
 * @param {RegExp} expression that is compiled, which no clock stops
 * @param {string} text
 * @param {number} timeout milliseconds
 * @returns {boolean | undefined} undefined where it takes longer
 */
function testUnderClock (expression, text, timeout) {
  Object.assign(clocked, { expression, text })
  try {
    return script.runInContext(clocked, { timeout: Math.ceil(timeout) })
  } catch (error) {
    if (/** @type {any} */ (error)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    Object.assign(clocked, { expression: undefined, text: undefined })
  }
}

module.exports = { testUnderClock }
