'use strict'

const { fauxton } = require('./lib/fauxton')

// Before @potoroo/fauxton is packed.
if (!fauxton.state().ready) fauxton.fetch()
