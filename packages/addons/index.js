'use strict'

const { loadAddon } = require('./lib/load-addon')
const { platforms } = require('./lib/platform')

module.exports = { loadAddon, platforms }
