'use strict'

const { Level } = require('level')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')
const { takeLock } = require('./lock')
const { PageLevel } = require('./page-level')

/** The names of databases in IndexedDB begin with it. */
const PREFIX = 'potoroo-'

module.exports = createAdapter({
  name: 'level',
  async open (name, options) {
    const location = PREFIX + name
    const release = await takeLock(location)
    try {
      const { store, close, destroy } = await openOnLevel(new PageLevel(location), options, () => Level.destroy(location, ''))
      return { store, close: () => close().finally(release), destroy: () => destroy().finally(release) }
    } catch (error) {
      await release()
      throw error
    }
  }
})
