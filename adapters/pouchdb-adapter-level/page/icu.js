'use strict'

/** Pages have no ICU that makes sort keys, and PouchDB orders strings by code unit. */
const icu = null

function tellOfMissing () {}

module.exports = { icu, tellOfMissing }
