'use strict'

const { createAdapter } = require('./lib/create-adapter')
const { openOnLevel } = require('./lib/open-on-level')
const { plugin } = require('./lib/open-store')
const { toPouchError } = require('./lib/pouch-error')

module.exports = Object.assign(plugin, { createAdapter, openOnLevel, toPouchError })
