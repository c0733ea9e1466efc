'use strict'

const plugin = require('..')
const { testAdapter } = require('../../pouchdb-adapter-document-store/test/adapter-suite')

let count = 0

testAdapter({ adapter: 'memory-level', plugin, name: () => `memory-${++count}` })
