'use strict'

/** A page has one thread that writes. */
function refuse () { throw new TypeError('Pages have no prepared writes') }

module.exports = { prepareEdits: refuse, resultsOf: refuse, writePrepared: refuse }
