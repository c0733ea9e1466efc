'use strict'

/** A page tests its expressions itself. @param {RegExp} expression @param {string} text */
async function testInThread (expression, text) { return { found: expression.test(text) } }

module.exports = { testInThread }
