'use strict'

const { resolve } = require('node:path')
const { PmemLevel } = require('pmem-level')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')

module.exports = createAdapter({
  name: 'pmem',
  identify: (name) => resolve(name),
  open (name, options) {
    const { size, maxSize } = options
    return openOnLevel(new PmemLevel(name, { size, maxSize }), options, () => PmemLevel.destroy(name))
  }
})
