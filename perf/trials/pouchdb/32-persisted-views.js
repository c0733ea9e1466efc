'use strict'

const { persistedViews } = require('../../lib/pouchdb/views')

module.exports = persistedViews('persisted-views', {})
