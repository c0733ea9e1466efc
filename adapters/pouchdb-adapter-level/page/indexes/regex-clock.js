'use strict'

/** No clock stops an expression in a page; it is the page's own. @param {RegExp} expression @param {string} text */
function testUnderClock (expression, text) { return expression.test(text) }

module.exports = { testUnderClock }
