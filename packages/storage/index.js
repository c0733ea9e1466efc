'use strict'

const { open } = require('./lib/open')
const { DurableClassicLevel } = require('./lib/durable-classic-level')

module.exports = { open, DurableClassicLevel }
