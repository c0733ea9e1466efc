'use strict'

const { Level } = require('level')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')
const { PageLevel } = require('./page-level')

/** What the name of a database in IndexedDB begins with. */
const PREFIX = 'potoroo-'

module.exports = createAdapter({
  name: 'level',
  open (name, options) {
    const location = PREFIX + name
    return openOnLevel(new PageLevel(location), options, () => Level.destroy(location, ''))
  }
})
