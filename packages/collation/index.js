'use strict'

const { couchCollation, pouchCollation, rawCollation } = require('./lib/collations')
const { icu } = require('./lib/icu')
const { after } = require('./lib/key-encoding')

/** Versions of the collator for CouchDB's `_info` and `_versions`; null if there is none. */
const collator = icu && {
  libraryVersion: icu.libraryVersion,
  collatorVersion: icu.collatorVersion,
  algorithmVersion: icu.algorithmVersion
}

module.exports = { after, collator, couchCollation, pouchCollation, rawCollation }
