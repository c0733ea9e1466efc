'use strict'

/** Pages have no ICU that makes sort keys, and PouchDB orders strings by code unit. */
module.exports = { icu: null, tellOfMissing () {} }
