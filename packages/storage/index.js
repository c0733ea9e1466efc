'use strict'

const { duplicateDescriptor } = require('./lib/descriptor')
const { open } = require('./lib/open')
const { DurableClassicLevel } = require('./lib/durable-classic-level')

module.exports = { open, duplicateDescriptor, DurableClassicLevel }
