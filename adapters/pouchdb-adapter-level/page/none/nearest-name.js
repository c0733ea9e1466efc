'use strict'

/** Errors in a page say which name is unknown, and not what may be meant. */
function nearestOf () { return undefined }

module.exports = { nearestOf }
