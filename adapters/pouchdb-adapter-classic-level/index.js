'use strict'

const { resolve } = require('node:path')
const { ClassicLevel } = require('classic-level')
const { DurableClassicLevel } = require('@potoroo/storage')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')

module.exports = createAdapter({
  name: 'classic-level',
  identify: (name) => resolve(name),
  options: ['sync'],
  open (name, options) {
    const level = new DurableClassicLevel(name, { sync: options.sync !== false })
    return openOnLevel(level, options, () => ClassicLevel.destroy(name))
  }
})
