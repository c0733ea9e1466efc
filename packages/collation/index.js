'use strict'

const { couchCollation, pouchCollation } = require('./lib/collations')
const { after, decodeKey, encodeKey } = require('./lib/key-encoding')

module.exports = { after, couchCollation, decodeKey, encodeKey, pouchCollation }
