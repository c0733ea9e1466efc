'use strict'

/** Its analyzers would make up most of what a page loads. */
function installSearch () {}

module.exports = { installSearch }
