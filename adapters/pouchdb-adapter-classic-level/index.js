'use strict'

const { resolve } = require('node:path')
const { ClassicLevel } = require('classic-level')
const { createAdapter, openOnLevel } = require('pouchdb-adapter-document-store')

const { DurableLevel } = require('./lib/durable-level')

module.exports = createAdapter({
  name: 'classic-level',
  identify: (name) => resolve(name),
  open (name, options) {
    const level = options.sync === false ? new ClassicLevel(name) : new DurableLevel(name)
    return openOnLevel(level, options, () => ClassicLevel.destroy(name))
  }
})
